// The paper's neighborhoods (ICPP 2019, section 4.1: n^d vectors, f = -1) beside MPI_Neighbor_alltoall.
// Figures: auto never above 1.10x the best of all; at 16 ranks at least 40x faster than MPI_Neighbor_alltoall for d=5,
// n=5, m=1, 8x for m=100, 3x for d=3, n=5, m=1. Usage: cartesian CSV [--quick] [--only D,N,M]
#include "exchange.hpp"
#include "report.hpp"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

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
  bench::Exchange exchange(sizes, rondo::box(point.d, point.n, -1), point.m * static_cast<int>(sizeof(int)));
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "direct", "coalesced", "combining"}) {
    variants.push_back(exchange.rondo_persistent(algorithm, false));
  }
  variants.push_back(exchange.rondo_blocking("auto"));
  variants.push_back(exchange.mpi_neighbor_alltoall());
  variants.push_back(exchange.isend_irecv(false));
#if !defined(OPEN_MPI)
  variants.push_back(exchange.isend_irecv(true));  // MPICH never yields by itself
#endif
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named("d=" + std::to_string(point.d) + " n=" + std::to_string(point.n) +
                                         " m=" + std::to_string(point.m) + ", " + std::to_string(p) + " ranks");
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  // What auto runs, forced or blocking, is the same schedule: only the luck of where its memory lies differs.
  const auto is_rival = [&](const bench::Result& result) {
    return !result.name.starts_with("rondo auto") && chosen.name != "rondo auto (" + result.name.substr(6) + ")";
  };
  const bench::Result* fastest = bench::best(comparison, is_rival);
  if (fastest == nullptr) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + fastest->name, bench::ratio(chosen, *fastest), 1.10);
  const bench::Result* mpi =
      bench::best(comparison, [](const bench::Result& result) { return result.name == "MPI_Neighbor_alltoall"; });
  if (mpi == nullptr || p != 16 || point.n != 5) return;
  const double wanted = point.d == 5 && point.m == 1     ? 40
                        : point.d == 5 && point.m == 100 ? 8
                        : point.d == 3 && point.m == 1   ? 3
                                                         : 0;
  if (wanted > 0) report.require(what + ", MPI_Neighbor_alltoall / auto", bench::ratio(*mpi, chosen), wanted, true);
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
                                    for (const int m : {1, 10, 100}) {
                                      if (only.d == 0 || (only.d == d && only.n == n && only.m == m))
                                        measure({d, n, m}, options, report);
                                    }
                                  }
                                }
                              });
}
