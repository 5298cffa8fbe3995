// The paper's neighborhoods (ICPP 2019, section 4.1: n^d vectors, f = -1) beside MPI_Neighbor_allgather.
// Figures: auto never above 1.10x the best of direct and MPI_Neighbor_allgather; at 16 ranks at least 8x faster than
// MPI_Neighbor_allgather for t = 1024 (d=5, n=4). Usage: allgather CSV [--quick] [--only D,N,M]
#include "allgather_exchange.hpp"
#include "harness.hpp"
#include "report.hpp"

#include <rondo/rondo.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Of a receive buffer: 16 ranks have one each.
constexpr double kMostElements = 1.1e6;

struct Point {
  int d;
  int n;
  int m;
};

void measure(const Point& point, const bench::Options& options, bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(point.d), 0);
  MPI_Dims_create(p, point.d, sizes.data());
  bench::AllgatherExchange gather(sizes, rondo::box(point.d, point.n, -1), point.m * static_cast<int>(sizeof(int)));
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "direct", "coalesced", "combining"})
    variants.push_back(gather.rondo_persistent(algorithm));
  variants.push_back(gather.rondo_blocking());
  variants.push_back(gather.mpi_neighbor_allgather());
  variants.push_back(gather.isend_irecv(false));
#if !defined(OPEN_MPI)
  variants.push_back(gather.isend_irecv(true));  // MPICH never yields by itself
#endif
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named("d=" + std::to_string(point.d) + " n=" + std::to_string(point.n) +
                                         " m=" + std::to_string(point.m) + ", " + std::to_string(p) + " ranks");
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  const auto named = [&](const char* name) {
    return bench::best(comparison, [&](const bench::Result& result) { return result.name == name; });
  };
  const bench::Result* rival = bench::best(comparison, [](const bench::Result& result) {
    return result.name == "rondo direct" || result.name == "MPI_Neighbor_allgather";
  });
  if (rival == nullptr || !chosen.right || chosen.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + rival->name, bench::ratio(chosen, *rival), 1.10);
  const bench::Result* mpi = named("MPI_Neighbor_allgather");
  if (mpi != nullptr && p == 16 && point.d == 5 && point.n == 4)
    report.require(what + ", MPI_Neighbor_allgather / auto", bench::ratio(*mpi, chosen), 8, true);
}

}  // namespace

int main(int argc, char** argv) {
  Point only{0, 0, 0};
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--only") == 0) std::sscanf(argv[i + 1], "%d,%d,%d", &only.d, &only.n, &only.m);
  }
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (int d = 2; d <= 5; ++d) {
                                  for (int n = 3; n <= 5; ++n) {
                                    for (const int m : {1, 10, 100, 1000}) {
                                      if (std::pow(n, d) * m > kMostElements) continue;
                                      if (only.d == 0 || (only.d == d && only.n == n && only.m == m))
                                        measure({d, n, m}, options, report);
                                    }
                                  }
                                }
                              });
}
