// Broadcasts of 8 B to 1 MiB from rank 0 beside MPI_Bcast, MPI_Ibcast and MPI_Bcast_init. Figures: at 8 B and 1 KiB
// auto at most 0.60 of the best of MPI's through shared memory, 1.05 with RONDO_SHM=off; 1.05 of longer ones. Usage:
// broadcast CSV [--quick] [--regime R] [--busy]
#include "dense_move.hpp"
#include "persistent_collectives.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

void measure(int bytes, const bench::Options& options, bench::Report& report) {
  int p = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> buffer(static_cast<std::size_t>(bytes));
  const auto byte = [](std::size_t k) { return static_cast<char>(k % 113 + 1); };
  const auto fill = [&] {
    for (std::size_t k = 0; k < buffer.size(); ++k) buffer[k] = rank == 0 ? byte(k) : char{0};
  };
  const auto init_mpi = [&](MPI_Request* request) {
    MPI_Bcast_init(buffer.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
  };
  const bench::DenseMove broadcast{
      .mpi_name = "MPI_Bcast",
      .init = [&](rondo::Comm& comm, const rondo::Options& asked) { return comm.bcast_init(buffer, 0, asked); },
      .run = [&](rondo::Comm& comm) { comm.bcast(buffer, 0); },
      .start = [&](rondo::Comm& comm) { return comm.ibcast(buffer, 0); },
      .run_mpi = [&] { MPI_Bcast(buffer.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD); },
      .start_mpi =
          [&](MPI_Request* request) { MPI_Ibcast(buffer.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD, request); },
      .init_mpi = init_mpi,
      .spoil = fill,
      .right =
          [&] {
            bool right = true;
            for (std::size_t k = 0; k < buffer.size(); ++k) right = right && buffer[k] == byte(k);
            return right;
          }};
  bench::measure_move(broadcast, {"direct", "tree", "node-aware", "scatter-allgather", "chain", "circulant"},
                      std::to_string(p) + " ranks, " + std::to_string(bytes) + " B",
                      bytes <= 1024 ? bench::limit_of_short_messages() : 1.05, options, report);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmark(argc, argv,
                              bench::options_of({.window_seconds = 0.006, .rounds = 9, .most_rounds = 20}, argc, argv),
                              bench::options_of({.window_seconds = 0.003, .rounds = 5, .most_rounds = 10}, argc, argv),
                              [](const bench::Options& options, bench::Report& report) {
                                for (const int bytes : {8, 1024, 65536, 1 << 20}) measure(bytes, options, report);
                              });
}
