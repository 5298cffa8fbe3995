// What a blocking or nonblocking call that was made before with the same arguments costs more than starting and waiting
// for the same operation prepared: at one process, where nothing else takes time. Figure: a blocking call at most 60
// ns. Usage: repeated CSV [--quick]
#include "harness.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int kBytes = 8;
constexpr int kNeighbors = 8;

struct Calls {
  const char* name;
  std::function<void(Rondo_Request*)> init;
  std::function<void()> blocking;
  std::function<void(Rondo_Request*)> nonblocking;
};

void measure(const Calls& calls, const bench::Options& options, bench::Report& report) {
  Rondo_Request persistent = RONDO_REQUEST_NULL;
  calls.init(&persistent);
  const auto variant = [](const char* name, const std::function<void()>& once) {
    return bench::Variant{.name = name,
                          .ours = true,
                          .run =
                              [once](int times) {
                                for (int k = 0; k < times; ++k) once();
                              },
                          .verify = [] { return true; }};
  };
  const bench::Comparison comparison = bench::compare(MPI_COMM_SELF,
                                                      {variant("persistent",
                                                               [&] {
                                                                 Rondo_Start(&persistent);
                                                                 Rondo_Wait(&persistent, MPI_STATUS_IGNORE);
                                                               }),
                                                       variant("blocking", calls.blocking),
                                                       variant("nonblocking",
                                                               [&] {
                                                                 Rondo_Request request = RONDO_REQUEST_NULL;
                                                                 calls.nonblocking(&request);
                                                                 Rondo_Wait(&request, MPI_STATUS_IGNORE);
                                                               })},
                                                      options);
  report.point(calls.name, comparison);
  const auto more = [&](std::size_t which) {
    std::vector<double> nanoseconds;
    for (std::size_t i = 0; i < comparison.results[which].seconds.size(); ++i)
      nanoseconds.push_back((comparison.results[which].seconds[i] - comparison.results[0].seconds[i]) * 1e9);
    return bench::quartiles(nanoseconds);
  };
  report.require(std::string(calls.name) + ", blocking, ns more", more(1), 60);
  Rondo_Request_free(&persistent);
}

void measure_all(const bench::Options& options, bench::Report& report) {
  const std::array<int, 2> sizes{1, 1};
  const std::array<int, 2> periods{1, 1};
  const std::array<int, 2 * kNeighbors> offsets{-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1};
  MPI_Comm torus = MPI_COMM_NULL;
  Rondo_Cart_neighborhood_create(MPI_COMM_SELF, 2, sizes.data(), periods.data(), kNeighbors, offsets.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &torus);
  std::vector<char> send(kNeighbors * kBytes);
  std::vector<char> recv(send.size());
  const std::vector<int> counts(kNeighbors, kBytes);
  const std::vector<MPI_Datatype> types(kNeighbors, MPI_BYTE);
  std::vector<MPI_Aint> places;
  for (int i = 0; i < kNeighbors; ++i) places.push_back(i * kBytes);
  char* const from = send.data();
  char* const to = recv.data();
  measure({.name = "Cartesian alltoall",
           .init =
               [&](Rondo_Request* request) {
                 Rondo_Cart_alltoall_init(from, kBytes, MPI_BYTE, to, kBytes, MPI_BYTE, torus, MPI_INFO_NULL, request);
               },
           .blocking = [&] { Rondo_Cart_alltoall(from, kBytes, MPI_BYTE, to, kBytes, MPI_BYTE, torus); },
           .nonblocking =
               [&](Rondo_Request* request) {
                 Rondo_Icart_alltoall(from, kBytes, MPI_BYTE, to, kBytes, MPI_BYTE, torus, request);
               }},
          options, report);
  measure({.name = "Cartesian alltoallw",
           .init =
               [&](Rondo_Request* request) {
                 Rondo_Cart_alltoallw_init(from, counts.data(), places.data(), types.data(), to, counts.data(),
                                           places.data(), types.data(), torus, MPI_INFO_NULL, request);
               },
           .blocking =
               [&] {
                 Rondo_Cart_alltoallw(from, counts.data(), places.data(), types.data(), to, counts.data(),
                                      places.data(), types.data(), torus);
               },
           .nonblocking =
               [&](Rondo_Request* request) {
                 Rondo_Icart_alltoallw(from, counts.data(), places.data(), types.data(), to, counts.data(),
                                       places.data(), types.data(), torus, request);
               }},
          options, report);
  measure({.name = "dense alltoall",
           .init =
               [&](Rondo_Request* request) {
                 Rondo_Alltoall_init(from, kBytes, MPI_BYTE, to, kBytes, MPI_BYTE, MPI_COMM_SELF, MPI_INFO_NULL,
                                     request);
               },
           .blocking = [&] { Rondo_Alltoall(from, kBytes, MPI_BYTE, to, kBytes, MPI_BYTE, MPI_COMM_SELF); },
           .nonblocking =
               [&](Rondo_Request* request) {
                 Rondo_Ialltoall(from, kBytes, MPI_BYTE, to, kBytes, MPI_BYTE, MPI_COMM_SELF, request);
               }},
          options, report);
  MPI_Comm_free(&torus);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_back_to_back(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                                 measure_all);
}
