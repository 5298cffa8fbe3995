/// @file
/// run(): runs one start of an operation on all ranks of a simulated machine.
#ifndef RONDO_RUNTIME_MACHINE_SIMULATED_START_HPP
#define RONDO_RUNTIME_MACHINE_SIMULATED_START_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/machine/loggp_network.hpp"
#include "runtime/machine/simulated_time.hpp"

#include <functional>
#include <span>
#include <vector>

namespace rondo::internal::machine {

/// Starts an execution on each rank, rank by rank at the time of the rank's clock, and runs all to their ends. Returns
/// the time at which each rank has ended. `start`: starts the execution of a rank, if somebody other than this function
/// must do so. Throws std::runtime_error if messages lack partners or an execution does not end.
[[nodiscard]] std::vector<SimulatedTime> run(LogGPNetwork& network, std::span<Execution* const> of_ranks,
                                             const std::function<void(int rank)>& start = {});

}  // namespace rondo::internal::machine

#endif
