/// @file
/// Functions that convert the costs of a Machine between the forms of users, of simulated machines and of a
/// communicator's messages.
#ifndef RONDO_COLLECTIVES_REHEARSAL_MACHINE_COSTS_HPP
#define RONDO_COLLECTIVES_REHEARSAL_MACHINE_COSTS_HPP

#include <rondo/basics/machine.hpp>

#include "collectives/selection/cost_model.hpp"
#include "runtime/machine/machine.hpp"

#include <cstdint>
#include <span>

namespace rondo::internal {

/// Returns the simulated machine with `size` ranks. Throws Error (MPI_ERR_ARG) for impossible values.
[[nodiscard]] machine::Machine simulated_machine(const rondo::Machine& machine, int size);

/// Returns a machine whose messages cost what a communicator's do, as nearly as LogGP can express it. `nodes`: a number
/// for the node of each of `size` ranks, 0 for a rank that shares memory with no other; empty if all messages cost the
/// same.
[[nodiscard]] rondo::Machine machine_of(const CostModel& costs, std::span<const std::int64_t> nodes, int size);

}  // namespace rondo::internal

#endif
