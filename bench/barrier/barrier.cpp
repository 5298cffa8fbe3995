// Barriers beside MPI_Barrier, MPI_Ibarrier and MPI_Barrier_init. Figures: auto at most 0.60 of the best of MPI's
// through shared memory, 1.05 with RONDO_SHM=off. Usage: barrier CSV [--quick] [--regime R] [--busy]
#include "dense_move.hpp"
#include "persistent_collectives.hpp"

int main(int argc, char** argv) {
  const bench::DenseMove barrier{
      .mpi_name = "MPI_Barrier",
      .init = [](rondo::Comm& comm, const rondo::Options& options) { return comm.barrier_init(options); },
      .run = [](rondo::Comm& comm) { comm.barrier(); },
      .start = [](rondo::Comm& comm) { return comm.ibarrier(); },
      .run_mpi = [] { MPI_Barrier(MPI_COMM_WORLD); },
      .start_mpi = [](MPI_Request* request) { MPI_Ibarrier(MPI_COMM_WORLD, request); },
      .init_mpi = [](MPI_Request* request) { MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request); },
      .spoil = [] {},
      .right = [] { return true; }};
  return bench::run_back_to_back(
      argc, argv, bench::options_of({.window_seconds = 0.006, .rounds = 11, .most_rounds = 25}, argc, argv),
      bench::options_of({.window_seconds = 0.003, .rounds = 5, .most_rounds = 10}, argc, argv),
      [&](const bench::Options& options, bench::Report& report) {
        int p = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &p);
        bench::measure_move(barrier, {"direct", "dissemination", "node-aware"}, std::to_string(p) + " ranks",
                            bench::limit_of_short_messages(), options, report);
      });
}
