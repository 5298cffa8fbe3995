/// @file
/// What a lowering of a barrier is given.
#ifndef RONDO_COLLECTIVES_BARRIER_PROBLEM_HPP
#define RONDO_COLLECTIVES_BARRIER_PROBLEM_HPP

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"

namespace rondo::internal {
struct OfferedPlans;
}

namespace rondo::internal::barrier {

/// A barrier on one rank of p. Messages carry one byte of the send buffer, as there are none without bytes; nobody
/// looks at it.
struct Problem {
  int rank;
  int size;  ///< p
  const CostModel& costs;
  int radix = 0;                          ///< of the dissemination; 0: the cost model's choice
  int fewest_near = 0;                    ///< how many others each rank at least finds on its node
  const NodeMembers* nodes = nullptr;     ///< where there are several, and one of several ranks; otherwise null
  bool uniform = true;                    ///< for choose()
  const OfferedPlans* offered = nullptr;  ///< algorithms of the user\'s own

  /// The rank `steps` after this one on the ring of all ranks; negative: before. At most p either way.
  [[nodiscard]] int rank_at(int steps) const noexcept { return (rank + steps + size) % size; }
};

}  // namespace rondo::internal::barrier

#endif
