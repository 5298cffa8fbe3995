/// @file
/// Problem: the input of a dense allgather lowering.
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

/// An allgather on one rank of p: the rank's block goes to all ranks, and block j comes from rank j. By definition all
/// ranks know the sizes of all blocks, so all ranks predict alike.
struct Problem {
  int rank;
  int size;                          ///< p
  const BlockShape& send;            ///< ignored in place
  std::span<const BlockShape> recv;  ///< p blocks; in place, the rank's own one holds what it sends
  const CostModel& costs;
  bool in_place = false;
  int ports = 0;                          ///< exchanges that the direct algorithm has in flight at once; 0: all
  int fewest_near = 0;                    ///< the fewest other ranks that any rank has on its node
  const NodeMembers* nodes = nullptr;     ///< null unless there are several nodes, one of them with several ranks
  bool uniform = true;                    ///< for choose(): all ranks predict alike
  const OfferedPlans* offered = nullptr;  ///< the user's own algorithms

  [[nodiscard]] std::int64_t bytes_of(int rank_of_block) const {
    return recv[static_cast<std::size_t>(rank_of_block)].layout->size();
  }
  /// Returns the bytes of the largest block.
  [[nodiscard]] std::int64_t largest() const;
  /// Returns the rank `steps` after this one on the ring of all ranks; before this one if negative. `steps` is at most
  /// p either way.
  [[nodiscard]] int rank_at(int steps) const noexcept { return (rank + steps + size) % size; }
};

/// Returns the maximum size, in bytes, of `blocks` blocks of successive ranks together. Rank 0 comes after the last.
/// O(p).
[[nodiscard]] std::int64_t most_bytes_of(const Problem& problem, std::int64_t blocks);

/// The blocks of one rank's problem, as ids of a builder.
struct Blocks {
  /// Adds all blocks to the builder. A window must be set before construction.
  Blocks(const Problem& problem, ScheduleBuilder& builder);

  BlockId own;                ///< the block that the rank sends
  std::vector<BlockId> recv;  ///< the blocks of all ranks
};

/// Builds the copy of a rank's block to its place among those received, unless the block is empty or in place.
void copy_to_self(const Problem& problem, const Blocks& blocks, ScheduleBuilder& builder);

}  // namespace rondo::internal::dense_allgather

#endif
