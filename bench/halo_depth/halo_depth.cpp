// Halos of depth 1 to 10 of the 5-point and 9-point kernels (EuroMPI 2015, section 7.3) beside MPI_Neighbor_alltoallw
// on a distributed graph communicator, with derived datatypes for rows, columns and corners (triangles for 5 points),
// and beside exchanges written by hand with the same datatypes. Figure: auto is never above 1.05x
// MPI_Neighbor_alltoallw. Usage: halo_depth CSV [--quick] [--all]
#include "halo_matrix.hpp"
#include "harness.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace {

void measure(const bench::HaloPoint& point, bool all, const bench::Options& options, bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  bench::HaloMatrix matrix(point);
  std::vector<bench::Variant> variants{matrix.rondo_halo("auto")};
  if (all) {
    for (const char* algorithm : {"direct", "coalesced", "combining", "joined"})
      variants.push_back(matrix.rondo_halo(algorithm));
  }
  variants.push_back(matrix.mpi_neighbor_alltoallw());
  variants.push_back(matrix.isend_irecv());
  if (point.stencil == rondo::Stencil::box) variants.push_back(matrix.by_dimension());
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named(std::string(point.stencil == rondo::Stencil::star ? "5-point" : "9-point") +
                                         ", " + std::to_string(p) + " ranks, n " + std::to_string(point.n) + " of " +
                                         std::to_string(point.bytes) + " B, depth " + std::to_string(point.depth));
  report.point(what, comparison);
  const bench::Result* mpi =
      bench::best(comparison, [](const bench::Result& result) { return result.name == "MPI_Neighbor_alltoallw"; });
  if (mpi == nullptr) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / MPI_Neighbor_alltoallw", bench::ratio(comparison.results.front(), *mpi), 1.05);
}

}  // namespace

int main(int argc, char** argv) {
  bool all = false;
  for (int i = 2; i < argc; ++i) all = all || std::strcmp(argv[i], "--all") == 0;
  return bench::run_benchmark(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (const rondo::Stencil stencil : {rondo::Stencil::star, rondo::Stencil::box}) {
                                  for (int depth = 1; depth <= 10; ++depth) {
                                    measure({100, depth, stencil, MPI_BYTE, 1}, all, options, report);
                                    measure({1000, depth, stencil, MPI_BYTE, 1}, all, options, report);
                                    measure({1000, depth, stencil, MPI_DOUBLE, 8}, all, options, report);
                                  }
                                }
                              });
}
