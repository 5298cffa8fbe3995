/// @file
/// What a lowering of a broadcast is given.
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

/// A broadcast on one rank of p: the root's block goes to all others. By definition all ranks know its size, so all
/// predict alike.
struct Problem {
  int rank;
  int size;  ///< p
  int root;
  const BlockShape& block;  ///< in the send buffer of the root, in the receive buffers of the others
  const CostModel& costs;
  int radix = 0;             ///< of trees; 0: the cost model's choice
  std::int64_t segment = 0;  ///< bytes of the parts that a long block is sent in; 0: the cost model's choice
  double ranks_per_core = 1;
  int fewest_near = 0;                    ///< how many others each rank at least finds on its node
  const NodeMembers* nodes = nullptr;     ///< where there are several, and one of several ranks; otherwise null
  bool uniform = true;                    ///< for choose()
  const OfferedPlans* offered = nullptr;  ///< algorithms of the user\'s own

  [[nodiscard]] std::int64_t bytes() const { return block.layout->size(); }
  [[nodiscard]] bool is_root() const noexcept { return rank == root; }
  /// The number of the rank among all, counted from the root on.
  [[nodiscard]] int number() const noexcept { return (rank - root + size) % size; }
  /// The rank with a number, which is less than 2 p.
  [[nodiscard]] int rank_of(int number) const noexcept { return (root + number) % size; }
  [[nodiscard]] Space space() const noexcept { return is_root() ? Space::send : Space::recv; }
};

/// More of them are never made: a tag each.
inline constexpr std::int64_t kMostSegments = 1024;

/// How a block is cut: into parts of `bytes` bytes each, of which the last may have fewer.
struct Segments {
  std::int64_t bytes;
  int count;
};
/// Into at least `wanted` bytes each: whole cache lines, and at most `most` parts. None of a block without bytes.
[[nodiscard]] Segments segments_of(std::int64_t block, std::int64_t wanted, std::int64_t most = kMostSegments);

/// The parts of the block as a builder knows them. A scattered one that is passed on is packed once: by the root before
/// its first message, and elsewhere it stays as it arrived until it has been copied to where the user wants it.
class Parts {
 public:
  /// `sends`: how often this rank sends a part, at most.
  Parts(const Problem& problem, const Segments& segments, int sends, ScheduleBuilder& builder);

  [[nodiscard]] int count() const noexcept { return static_cast<int>(travels_.size()); }
  /// The part as messages send and receive it.
  [[nodiscard]] const BlockId& operator[](int part) const { return travels_[static_cast<std::size_t>(part)]; }
  /// To be called once parts were received.
  void land(std::span<const int> parts, ScheduleBuilder& builder) const;

 private:
  std::vector<BlockId> travels_;
  std::vector<BlockId> user_;  ///< empty where they are the same
};

}  // namespace rondo::internal::broadcast

#endif
