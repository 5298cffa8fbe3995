/// @file
/// The rivals in a dense collective that is no alltoall: MPI's functions, and Rondo's in all forms.
#ifndef RONDO_BENCH_DENSE_MOVE_HPP
#define RONDO_BENCH_DENSE_MOVE_HPP

#include "harness.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One collective on MPI_COMM_WORLD, in the words of both.
struct DenseMove {
  std::string mpi_name;  ///< "MPI_Bcast"
  std::function<rondo::Request(rondo::Comm&, const rondo::Options&)> init;
  std::function<void(rondo::Comm&)> run;
  std::function<rondo::Request(rondo::Comm&)> start;
  std::function<void()> run_mpi;
  std::function<void(MPI_Request*)> start_mpi;
  std::function<void(MPI_Request*)> init_mpi;
  std::function<void()> spoil;  ///< what is to arrive
  std::function<bool()> right;  ///< whether it has
};

/// Times auto, persistent, blocking and nonblocking, each of `algorithms` that applies here, persistent, and MPI's
/// three forms; prints the point. Figures: auto, persistent, at most `limit` of the best of MPI's, and at most 1.10 of
/// the best of Rondo's.
void measure_move(const DenseMove& move, const std::vector<std::string>& algorithms, const std::string& point,
                  double limit, const Options& options, Report& report);

/// After --busy, options that keep rounds in which something else ran too.
[[nodiscard]] Options options_of(Options options, int argc, char** argv);

/// The limit that is asked for short messages: through shared memory, or with RONDO_SHM=off.
[[nodiscard]] double limit_of_short_messages();

}  // namespace bench

#endif
