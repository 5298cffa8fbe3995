/// @file
/// What a lowering of a dense allgather is given.
#ifndef RONDO_COLLECTIVES_DENSE_ALLGATHER_PROBLEM_HPP
#define RONDO_COLLECTIVES_DENSE_ALLGATHER_PROBLEM_HPP

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

namespace rondo::internal::dense_allgather {

/// An allgather on one rank of p: its block goes to all ranks, and block j comes from rank j. By definition all ranks
/// know the sizes of all blocks, so all predict alike.
struct Problem {
  int rank;
  int size;                          ///< p
  const BlockShape& send;            ///< not looked at in place
  std::span<const BlockShape> recv;  ///< p; in place, the one of the rank itself holds what it sends
  const CostModel& costs;
  bool in_place = false;
  int ports = 0;                          ///< exchanges that the direct algorithm has in flight at once; 0: all
  int fewest_near = 0;                    ///< how many others each rank at least finds on its node
  const NodeMembers* nodes = nullptr;     ///< where there are several, and one of several ranks; otherwise null
  bool uniform = true;                    ///< for choose()
  const OfferedPlans* offered = nullptr;  ///< algorithms of the user\'s own

  [[nodiscard]] std::int64_t bytes_of(int rank_of_block) const {
    return recv[static_cast<std::size_t>(rank_of_block)].layout->size();
  }
  /// Bytes of the largest block.
  [[nodiscard]] std::int64_t largest() const;
  /// The rank `steps` after this one on the ring of all ranks; negative: before. At most p either way.
  [[nodiscard]] int rank_at(int steps) const noexcept { return (rank + steps + size) % size; }
};

/// Bytes of so many blocks of successive ranks, at most, where rank 0 comes after the last. O(p).
[[nodiscard]] std::int64_t most_bytes_of(const Problem& problem, std::int64_t blocks);

/// The blocks of a problem as a builder knows them.
struct Blocks {
  /// A window must be set before.
  Blocks(const Problem& problem, ScheduleBuilder& builder);

  BlockId own;                ///< what the rank sends
  std::vector<BlockId> recv;  ///< of all ranks
};

/// Copies a rank's block to its place among those received, unless it is empty or in place.
void copy_to_self(const Problem& problem, const Blocks& blocks, ScheduleBuilder& builder);

}  // namespace rondo::internal::dense_allgather

#endif
