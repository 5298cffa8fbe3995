/// @file
/// The costs of a Machine as users have them, as a simulated machine has them, and as a communicator's messages do.
#ifndef RONDO_COLLECTIVES_REHEARSAL_MACHINE_COSTS_HPP
#define RONDO_COLLECTIVES_REHEARSAL_MACHINE_COSTS_HPP

#include <rondo/basics/machine.hpp>

#include "collectives/selection/cost_model.hpp"
#include "runtime/machine/machine.hpp"

#include <cstdint>
#include <span>

namespace rondo::internal {

/// With `size` ranks. Throws Error, MPI_ERR_ARG, for what cannot be.
[[nodiscard]] machine::Machine simulated_machine(const rondo::Machine& machine, int size);

/// A machine whose messages cost what a communicator's do, as nearly as LogGP can say it. `nodes`: a number for the
/// node of each of `size` ranks, 0 for one that shares memory with nobody; empty where all messages cost the same.
[[nodiscard]] rondo::Machine machine_of(const CostModel& costs, std::span<const std::int64_t> nodes, int size);

}  // namespace rondo::internal

#endif
