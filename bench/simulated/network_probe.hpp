/// @file
/// What the library finds out about a network when a communicator is made, on a simulated machine.
#ifndef RONDO_BENCH_SIMULATED_NETWORK_PROBE_HPP
#define RONDO_BENCH_SIMULATED_NETWORK_PROBE_HPP

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/machine/machine.hpp"

namespace rondo::internal::simulated {

/// The messages of NetworkProbe, and what it makes of their times. `members`: of the machine, two nodes at least.
[[nodiscard]] NetworkTimes probe(const machine::Machine& machine, const NodeMembers& members);

}  // namespace rondo::internal::simulated

#endif
