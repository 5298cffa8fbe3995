/// @file
/// Problem: the input of a dense alltoall lowering.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_PROBLEM_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_PROBLEM_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/dense_alltoall/options.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {
class MeasuredTimes;
struct OfferedPlans;
}  // namespace rondo::internal

namespace rondo::internal::dense {

struct RoundSizes;

/// An alltoall on one rank of p: block j goes to rank j, and block j comes from rank j (zero-copy Bruck paper, section
/// 2: elements).
struct Problem {
  int rank;
  int size;                          ///< p
  std::span<const BlockShape> send;  ///< p blocks; in place: those of the receive buffer
  std::span<const BlockShape> recv;
  bool uniform;  ///< all ranks know the sizes of the largest and the smallest block of all ranks
  const CostModel& costs;
  std::int64_t largest = 0;  ///< bytes, if uniform
  std::int64_t smallest = 0;
  bool in_place = false;
  Options options = {};
  /// The sizes of the blocks that pass through, if the problem is not regular but regular enough and a Bruck algorithm
  /// is available; see radix_to_exchange().
  const RoundSizes* passing = nullptr;
  const MeasuredTimes* measured = nullptr;  ///< times with as many ranks; null if nothing was measured
  /// The fewest other ranks that any rank has on its node: so many messages are near, as on the slowest rank.
  int fewest_near = 0;
  const NodeMembers* nodes = nullptr;     ///< null unless there are several nodes, one of them with several ranks
  const OfferedPlans* offered = nullptr;  ///< the user's own algorithms
  /// Whether plans are offered that differ only in how many exchanges are in flight, for an operation that learns. The
  /// cost model knows no gain from fewer exchanges.
  bool varies_ports = false;

  /// Returns whether all blocks of all ranks have `largest` bytes: the regular problem.
  [[nodiscard]] bool regular() const noexcept { return uniform && largest == smallest; }
  /// Returns whether sizes differ little enough for Bruck et al. (section 3.5: "not too irregular"): the largest block
  /// of all ranks is at most options.regular_ratio times as long as the smallest. A smallest block below 64 bytes
  /// counts as 64 bytes, because in blocks that short messages cost, not bytes.
  [[nodiscard]] bool regular_enough() const noexcept {
    constexpr std::int64_t kShort = 64;
    return regular() || (uniform && static_cast<double>(largest) <=
                                        options.regular_ratio * static_cast<double>(std::max(smallest, kShort)));
  }
  /// Returns the rank `steps` after this one on the ring of all ranks; negative: before.
  [[nodiscard]] int rank_at(int steps) const noexcept {
    const int at = (rank + steps % size) % size;
    return at < 0 ? at + size : at;
  }
};

/// The blocks of one rank's problem, as ids of a builder. In place, the blocks to send lie in scratch memory, into
/// which the first task copies them, because arriving blocks may overwrite the buffer at any time. A window or batches
/// must be set before construction.
struct Blocks {
  /// Adds the blocks to the builder. `more`: number of further blocks that the lowering is going to make.
  Blocks(const Problem& problem, ScheduleBuilder& builder, std::size_t more = 0);

  /// Returns the blocks to send; block j goes to the rank j steps before this one: the order of Modified Bruck (section
  /// 2).
  [[nodiscard]] std::vector<BlockId> sent_backwards(const Problem& problem) const;

  std::vector<BlockId> send;
  std::vector<BlockId> recv;
};

/// Builds the copy of the block that stays on the process, unless that block is empty or in place.
void copy_to_self(const Problem& problem, const Blocks& blocks, ScheduleBuilder& builder);

}  // namespace rondo::internal::dense

#endif
