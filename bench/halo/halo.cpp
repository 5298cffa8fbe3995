// Halo exchanges, persistent and blocking, beside MPI's neighborhood collectives and exchanges written by hand.
// Figures: persistent auto never above 1.10x the best rival, and blocking auto not above 1.10x the best of MPI's
// blocking calls and exchanges written by hand. Usage: halo CSV [--quick] [--regime back-to-back|alone] [--all]
#include "exchange.hpp"
#include "report.hpp"

#include <cstring>
#include <string>

namespace {

void measure(const rondo::Neighborhood& hood, const char* name, int bytes, bool all, const bench::Options& options,
             bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(hood.dimensions()), 0);
  MPI_Dims_create(p, hood.dimensions(), sizes.data());
  bench::Exchange exchange(sizes, hood, bytes);
  std::vector<bench::Variant> variants{exchange.rondo_persistent("auto", true), exchange.rondo_blocking("auto")};
  if (all) {
    for (const char* algorithm : {"direct", "coalesced", "combining"}) {
      variants.push_back(exchange.rondo_persistent(algorithm, true));
    }
  }
  variants.push_back(exchange.mpi_neighbor_alltoall());
  variants.push_back(exchange.mpi_neighbor_alltoallw());
  variants.push_back(exchange.mpi_ineighbor_alltoallw());
#if !defined(OPEN_MPI)
  const bool yielding[] = {false, true};  // MPICH never yields by itself
#else
  const bool yielding[] = {false};
#endif
  for (const bool yields : yielding) {
    variants.push_back(exchange.isend_irecv(yields));
    variants.push_back(exchange.persistent_point_to_point(yields));
  }
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what =
      options.named(std::string(name) + ", " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B");
  report.point(what, comparison);
  const bench::Result* rival = bench::best(comparison, [](const bench::Result& result) { return !result.ours; });
  if (rival == nullptr) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + rival->name, bench::ratio(comparison.results[0], *rival), 1.10);
  report.require(what + ", blocking / " + rival->name, bench::ratio(comparison.results[1], *rival), 1.10);
}

}  // namespace

int main(int argc, char** argv) {
  bool all = false;
  for (int i = 2; i < argc; ++i) all = all || std::strcmp(argv[i], "--all") == 0;
  return bench::run_benchmark(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (const int bytes : {8, 64, 512, 4096, 16384, 65536}) {
                                  measure(rondo::moore(2, 1), "9-point", bytes, all, options, report);
                                  measure(rondo::moore(3, 1), "27-point", bytes, all, options, report);
                                }
                              });
}
