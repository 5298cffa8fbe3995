/// @file
/// One start of an operation, under SMPI and, with the same schedules, in our own simulation.
#ifndef RONDO_BENCH_SMPI_BOTH_SIMULATIONS_HPP
#define RONDO_BENCH_SMPI_BOTH_SIMULATIONS_HPP

#include "collectives.hpp"
#include "runtime/machine/machine.hpp"

#include <rondo/rondo.hpp>

namespace rondo::internal::smpi {

/// From when all ranks begin at once to when the last one ends; and whether all data were right.
struct Outcome {
  double nanoseconds;
  bool right;
};
struct Outcomes {
  Outcome smpi;
  Outcome loggp;
};

/// Collective over MPI_COMM_WORLD; rank 0 knows the outcomes. Throws rondo::Error.
[[nodiscard]] Outcomes run_in_both(const machine::Machine& machine, const Collective& collective, int bytes,
                                   const rondo::Options& options);

}  // namespace rondo::internal::smpi

#endif
