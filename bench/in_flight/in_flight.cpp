// What a short message takes in MPI when many are in flight: the time of an exchange between 2 ranks over the number of
// its messages, by hand and by MPI_Neighbor_alltoall. It says why neighborhoods of hundreds of neighbors are slow
// (ICPP 2019, figures 3 and 4). The least of many timings, so that other programs hardly matter.
// Usage: in_flight CSV [--quick]
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

namespace {

/// The least time of an exchange on the slower rank, in seconds.
double least(int times, const std::function<void()>& exchange) {
  double found = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double since = MPI_Wtime();
    exchange();
    double took = MPI_Wtime() - since;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    found = std::min(found, took);
  }
  return found;
}

struct Buffers {
  explicit Buffers(std::size_t messages) : send(messages), recv(messages, -1), requests(2 * messages) {
    for (std::size_t i = 0; i < messages; ++i) send[i] = static_cast<int>(i);
  }
  [[nodiscard]] bool right() const { return send == recv; }

  std::vector<int> send;
  std::vector<int> recv;
  std::vector<MPI_Request> requests;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || argc < 2) {
    if (rank == 0) std::fprintf(stderr, "usage, with 2 ranks: in_flight CSV [--quick]\n");
    MPI_Finalize();
    return 2;
  }
  const int times = argc > 2 && std::strcmp(argv[2], "--quick") == 0 ? 20 : 200;
  std::FILE* const csv = rank == 0 ? std::fopen(argv[1], "w") : nullptr;
  if (csv != nullptr) std::fprintf(csv, "messages in flight,by hand ns each,MPI_Neighbor_alltoall ns each,data\n");
  bool all_right = true;
  const int other = 1 - rank;
  for (const int messages : {8, 26, 80, 124, 255, 624, 1023, 3124}) {
    const auto count = static_cast<std::size_t>(messages);
    const std::vector<int> partners(count, other);
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, messages, partners.data(), partners.data(), messages,
                                   partners.data(), partners.data(), MPI_INFO_NULL, 0, &graph);
    Buffers hand(count);
    const double by_hand = least(times, [&] {
      for (std::size_t i = 0; i < count; ++i)
        MPI_Irecv(&hand.recv[i], 1, MPI_INT, other, static_cast<int>(i), MPI_COMM_WORLD, &hand.requests[i]);
      for (std::size_t i = 0; i < count; ++i)
        MPI_Isend(&hand.send[i], 1, MPI_INT, other, static_cast<int>(i), MPI_COMM_WORLD, &hand.requests[count + i]);
      MPI_Waitall(2 * messages, hand.requests.data(), MPI_STATUSES_IGNORE);
    });
    Buffers collective(count);
    const double by_mpi = least(times, [&] {
      MPI_Neighbor_alltoall(collective.send.data(), 1, MPI_INT, collective.recv.data(), 1, MPI_INT, graph);
    });
    MPI_Comm_free(&graph);
    const bool right = hand.right() && collective.right();
    all_right = all_right && right;
    if (csv == nullptr) continue;
    std::fprintf(csv, "%d,%.1f,%.1f,%s\n", messages, by_hand / messages * 1e9, by_mpi / messages * 1e9,
                 right ? "right" : "wrong");
    std::printf("%5d messages in flight: %8.1f ns each by hand, %8.1f by MPI_Neighbor_alltoall%s\n", messages,
                by_hand / messages * 1e9, by_mpi / messages * 1e9, right ? "" : "  WRONG DATA");
  }
  if (csv != nullptr) std::fclose(csv);
  MPI_Finalize();
  return all_right ? 0 : 3;
}
