/// @file
/// What a lowering of a dense alltoall is given.
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
  std::span<const BlockShape> send;  ///< p of them; in place: those of the receive buffer
  std::span<const BlockShape> recv;
  bool uniform;  ///< all ranks know the sizes of the largest and the smallest block of them all
  const CostModel& costs;
  std::int64_t largest = 0;  ///< bytes, where uniform
  std::int64_t smallest = 0;
  bool in_place = false;
  Options options = {};
  /// Where the problem is not regular but regular enough, and a Bruck algorithm is available: the sizes of the blocks
  /// that pass through, see radix_to_exchange().
  const RoundSizes* passing = nullptr;
  const MeasuredTimes* measured = nullptr;  ///< with as many ranks, where somebody did
  /// How many others each rank at least finds on its node: so many messages are near, as on the slowest rank.
  int fewest_near = 0;
  const NodeMembers* nodes = nullptr;     ///< where there are several, and one of several ranks; otherwise null
  const OfferedPlans* offered = nullptr;  ///< algorithms of the user's own
  /// Whether plans are offered, too, that differ in nothing but how many exchanges are in flight: for an operation that
  /// learns. The model knows no gain from fewer.
  bool varies_ports = false;

  /// Whether all blocks of all ranks have `largest` bytes: the regular problem.
  [[nodiscard]] bool regular() const noexcept { return uniform && largest == smallest; }
  /// Whether sizes differ little enough for Bruck et al. (section 3.5: "not too irregular"): the largest block is at
  /// most options.regular_ratio times as long as the smallest, where those below 64 bytes count as 64: in blocks that
  /// short it is messages that cost, not bytes.
  [[nodiscard]] bool regular_enough() const noexcept {
    constexpr std::int64_t kShort = 64;
    return regular() || (uniform && static_cast<double>(largest) <=
                                        options.regular_ratio * static_cast<double>(std::max(smallest, kShort)));
  }
  /// The rank `steps` after this one on the ring of all ranks; negative: before.
  [[nodiscard]] int rank_at(int steps) const noexcept {
    const int at = (rank + steps % size) % size;
    return at < 0 ? at + size : at;
  }
};

/// The blocks of a problem as a builder knows them. In place the blocks that are sent lie in scratch memory, as the
/// first task copied them there: what arrives may overwrite the buffer whenever it comes. A window, or batches, must be
/// set before.
struct Blocks {
  /// `more`: how many more blocks the lowering is going to make.
  Blocks(const Problem& problem, ScheduleBuilder& builder, std::size_t more = 0);

  /// Of those that are sent, block j for the rank j steps before this one: the order of Modified Bruck (section 2).
  [[nodiscard]] std::vector<BlockId> sent_backwards(const Problem& problem) const;

  std::vector<BlockId> send;
  std::vector<BlockId> recv;
};

/// Copies the block that stays on the process, unless it is empty or in place.
void copy_to_self(const Problem& problem, const Blocks& blocks, ScheduleBuilder& builder);

}  // namespace rondo::internal::dense

#endif
