/// @file
/// What was measured, and what it says.
#ifndef RONDO_EXAMPLES_STENCIL_ROUNDS_HPP
#define RONDO_EXAMPLES_STENCIL_ROUNDS_HPP

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace stencil {

/// Seconds a step, in one round: a few steps in each way, one way after the other, so that what else the machine does
/// meets all alike.
struct Round {
  double step = 0;            ///< with Rondo, as --mode says
  double first_exchange = 0;  ///< with Rondo, the exchange first, then the computation
  double rival = 0;           ///< with MPI_Neighbor_alltoallw
  double exchange_only = 0;
  double rival_exchange_only = 0;
  double core_share = 1;  ///< of the rank that got least of its core
};

/// Seconds a call until all ranks are through `calls` of them: ranks that share a core wait for each other.
template <typename Body>
double timed(MPI_Comm comm, int calls, Body body) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int call = 0; call < calls; ++call) body();
  MPI_Barrier(comm);
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds / std::max(calls, 1);
}

/// The rounds that count, and a printed line on how many do not: those in which a rank had to share its core. All count
/// where too few are left. `crowded`: there are more ranks than cores.
[[nodiscard]] std::vector<Round> select_rounds(const std::vector<Round>& rounds, bool crowded);

/// Prints the time of a step, and of the exchange alone. `cells`: updated in a step.
void print_step(const std::vector<Round>& rounds, double cells);

/// Prints what a step gained from computing while the halo is on its way.
void print_overlap(const std::vector<Round>& rounds);

/// Prints the ratios to the rival.
void print_rival(const std::vector<Round>& rounds);

}  // namespace stencil

#endif
