/// @file
/// One start of an operation on all ranks of a simulated machine.
#ifndef RONDO_RUNTIME_MACHINE_SIMULATED_START_HPP
#define RONDO_RUNTIME_MACHINE_SIMULATED_START_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/machine/loggp_network.hpp"
#include "runtime/machine/simulated_time.hpp"

#include <functional>
#include <span>
#include <vector>

namespace rondo::internal::machine {

/// Starts an execution on each rank, rank by rank at whatever time its clock has, and runs all to their ends. Returns
/// when each rank has ended. `start`: where an execution's start is somebody else's, who starts that of a rank. Throws
/// std::runtime_error when messages lack partners.
[[nodiscard]] std::vector<SimulatedTime> run(LogGPNetwork& network, std::span<Execution* const> of_ranks,
                                             const std::function<void(int rank)>& start = {});

}  // namespace rondo::internal::machine

#endif
