// Persistent halo exchanges beside MPI's neighborhood collectives and exchanges written by hand.
// Figure: auto is never above 1.10x the best rival. Usage: halo CSV [--quick] [--all]
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
  std::vector<bench::Variant> variants{exchange.rondo_persistent("auto", true)};
  if (all) {
    for (const char* algorithm : {"direct", "coalesced", "combining"}) {
      variants.push_back(exchange.rondo_persistent(algorithm, true));
    }
  }
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
  const std::string what = std::string(name) + ", " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B";
  report.point(what, comparison);
  const bench::Result* rival = bench::best(comparison, [](const bench::Result& result) { return !result.ours; });
  if (rival == nullptr) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + rival->name, bench::ratio(comparison.results.front(), *rival), 1.10);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool quick = false;
  bool all = false;
  for (int i = 2; i < argc; ++i) {
    quick = quick || std::strcmp(argv[i], "--quick") == 0;
    all = all || std::strcmp(argv[i], "--all") == 0;
  }
  bench::Options options;
  if (quick) options = {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15};
  bench::Report report(rank == 0, argc > 1 ? argv[1] : "");
  for (const int bytes : {8, 64, 512, 4096, 16384, 65536}) {
    measure(rondo::moore(2, 1), "9-point", bytes, all, options, report);
    measure(rondo::moore(3, 1), "27-point", bytes, all, options, report);
  }
  int good = report.summary() ? 1 : 0;
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return good == 1 ? 0 : 3;
}
