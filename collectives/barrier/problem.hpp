/// @file
/// Problem: the input of a lowering of a barrier.
#ifndef RONDO_COLLECTIVES_BARRIER_PROBLEM_HPP
#define RONDO_COLLECTIVES_BARRIER_PROBLEM_HPP

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"

namespace rondo::internal {
struct OfferedPlans;
}

namespace rondo::internal::barrier {

/// A barrier on one rank of p. Each message carries one byte of the send buffer, because a message must have bytes. The
/// byte is never read.
struct Problem {
  int rank;
  int size;  ///< p
  const CostModel& costs;
  int radix = 0;                          ///< of the dissemination; 0: the cost model's choice
  int fewest_near = 0;                    ///< minimum number of other ranks on a rank's node
  const NodeMembers* nodes = nullptr;     ///< null unless there are several nodes, one of them with several ranks
  bool uniform = true;                    ///< for choose()
  const OfferedPlans* offered = nullptr;  ///< the user's own algorithms

  /// Returns the rank `steps` after this one on the ring of all ranks, or before it if negative. At most p either way.
  [[nodiscard]] int rank_at(int steps) const noexcept { return (rank + steps + size) % size; }
};

}  // namespace rondo::internal::barrier

#endif
