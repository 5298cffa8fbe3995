// Dense allgathers of blocks of 8 B to 64 KiB beside MPI_Allgather, MPI_Iallgather and MPI_Allgather_init. Figures: at
// 8 B and 1 KiB auto at most 0.60 of the best of MPI's through shared memory, 1.05 with RONDO_SHM=off; 1.05 of longer
// ones. Usage: dense_allgather CSV [--quick] [--regime R] [--busy]
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
  const auto size = static_cast<std::size_t>(bytes);
  std::vector<char> send(size);
  std::vector<char> recv(size * static_cast<std::size_t>(p));
  const auto byte = [](std::size_t source, std::size_t k) { return static_cast<char>((source * 31 + k) % 113 + 1); };
  for (std::size_t k = 0; k < size; ++k) send[k] = byte(static_cast<std::size_t>(rank), k);
  const auto init_mpi = [&](MPI_Request* request) {
    MPI_Allgather_init(send.data(), bytes, MPI_BYTE, recv.data(), bytes, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                       request);
  };
  const bench::DenseMove allgather{
      .mpi_name = "MPI_Allgather",
      .init = [&](rondo::Comm& comm, const rondo::Options& asked) { return comm.allgather_init(send, recv, asked); },
      .run = [&](rondo::Comm& comm) { comm.allgather(send, recv); },
      .start = [&](rondo::Comm& comm) { return comm.iallgather(send, recv); },
      .run_mpi = [&] { MPI_Allgather(send.data(), bytes, MPI_BYTE, recv.data(), bytes, MPI_BYTE, MPI_COMM_WORLD); },
      .start_mpi =
          [&](MPI_Request* request) {
            MPI_Iallgather(send.data(), bytes, MPI_BYTE, recv.data(), bytes, MPI_BYTE, MPI_COMM_WORLD, request);
          },
      .init_mpi = init_mpi,
      .spoil = [&] { std::ranges::fill(recv, char{0}); },
      .right =
          [&] {
            bool right = true;
            for (std::size_t i = 0; i < recv.size(); ++i) right = right && recv[i] == byte(i / size, i % size);
            return right;
          }};
  bench::measure_move(allgather, {"direct", "ring", "bruck", "circulant", "recursive-doubling", "node-aware"},
                      std::to_string(p) + " ranks, " + std::to_string(bytes) + " B",
                      bytes <= 1024 ? bench::limit_of_short_messages() : 1.05, options, report);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmark(argc, argv,
                              bench::options_of({.window_seconds = 0.006, .rounds = 9, .most_rounds = 20}, argc, argv),
                              bench::options_of({.window_seconds = 0.003, .rounds = 5, .most_rounds = 10}, argc, argv),
                              [](const bench::Options& options, bench::Report& report) {
                                for (const int bytes : {8, 1024, 16384, 65536}) measure(bytes, options, report);
                              });
}
