/// @file
/// Problem: the input of a broadcast lowering, and the parts that a block is cut into.
#ifndef RONDO_COLLECTIVES_BROADCAST_PROBLEM_HPP
#define RONDO_COLLECTIVES_BROADCAST_PROBLEM_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {
struct OfferedPlans;
}

namespace rondo::internal::broadcast {

/// The arguments of a broadcast on one rank of p: the root's block goes to all others. By definition all ranks know its
/// size, so all predict alike.
struct Problem {
  int rank;
  int size;  ///< p
  int root;
  const BlockShape& block;  ///< in the send buffer of the root, in the receive buffers of the others
  const CostModel& costs;
  int radix = 0;             ///< radix of trees; 0: the cost model's choice
  std::int64_t segment = 0;  ///< bytes of the parts that a long block is sent in; 0: the cost model's choice
  double ranks_per_core = 1;
  int fewest_near = 0;                    ///< minimum number of other ranks on a rank's node
  const NodeMembers* nodes = nullptr;     ///< null unless there are several nodes, one of them with several ranks
  bool uniform = true;                    ///< for choose()
  const OfferedPlans* offered = nullptr;  ///< the user's own algorithms

  [[nodiscard]] std::int64_t bytes() const { return block.layout->size(); }
  [[nodiscard]] bool is_root() const noexcept { return rank == root; }
  /// Returns the number of this rank, counted from the root on.
  [[nodiscard]] int number() const noexcept { return (rank - root + size) % size; }
  /// Returns the rank with a number, counted from the root on. The number must be less than 2 p.
  [[nodiscard]] int rank_of(int number) const noexcept { return (root + number) % size; }
  /// Returns the space in which the block lies on this rank.
  [[nodiscard]] Space space() const noexcept { return is_root() ? Space::send : Space::recv; }
};

/// Maximum number of parts that a block is cut into. Each part takes a tag.
inline constexpr std::int64_t kMostSegments = 1024;

/// The cut of a block into parts of `bytes` bytes each, of which the last may have fewer.
struct Segments {
  std::int64_t bytes;
  int count;
};
/// Returns the cut of a block into parts of at least `wanted` bytes each: whole cache lines, and at most `most` parts.
/// A block without bytes has no parts.
[[nodiscard]] Segments segments_of(std::int64_t block, std::int64_t wanted, std::int64_t most = kMostSegments);

/// The parts of a broadcast's block, as blocks of a builder. A scattered part that is passed on is packed once: the
/// root packs it before its first message. On other ranks it stays as it arrived until it is copied to the user's
/// buffer.
class Parts {
 public:
  /// Adds the parts to a builder. `sends`: maximum number of times that this rank sends a part.
  Parts(const Problem& problem, const Segments& segments, int sends, ScheduleBuilder& builder);

  [[nodiscard]] int count() const noexcept { return static_cast<int>(travels_.size()); }
  /// Returns the block that messages send and receive for a part.
  [[nodiscard]] const BlockId& operator[](int part) const { return travels_[static_cast<std::size_t>(part)]; }
  /// Copies parts to the user's buffer, unless messages receive them there. Call this after their receives.
  void land(std::span<const int> parts, ScheduleBuilder& builder) const;

 private:
  std::vector<BlockId> travels_;
  std::vector<BlockId> user_;  ///< the parts in the user's buffer; empty if messages use these
};

}  // namespace rondo::internal::broadcast

#endif
