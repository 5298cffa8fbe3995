/// @file
/// The machine that a run under SMPI simulates: SimGrid's platform and the program of the ranks both ask here.
#ifndef RONDO_BENCH_SMPI_MACHINE_OF_RUN_HPP
#define RONDO_BENCH_SMPI_MACHINE_OF_RUN_HPP

#include "runtime/machine/machine.hpp"

namespace rondo::internal::smpi {

/// As SIMULATED_MACHINE="PLATFORM NETWORK NODES RANKS [CHANGE...]" in the environment says, with ranks in a row on each
/// node. A change takes away what may be why two simulations differ: free-receives, messages cost the cores that
/// receive them nothing; no-gaps, and the ports of nodes no more than their bytes do; wide-links, links between
/// switches never crowd. Throws std::invalid_argument.
[[nodiscard]] machine::Machine machine_of_run();

}  // namespace rondo::internal::smpi

#endif
