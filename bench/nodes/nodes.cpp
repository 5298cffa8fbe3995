// Between nodes: node-aware beside Rondo's other algorithms, MPI's collectives and exchanges written by hand, for
// alltoalls and allgathers of 27-point neighborhoods and for dense alltoalls. Figures: node-aware at most 0.6 of the
// best of the others for neighborhoods of 8 to 512 B; auto at most 1.10 of the best of all. Usage: nodes CSV [--network
// NAME] [--quick]
#include "allgather_exchange.hpp"
#include "dense_exchange.hpp"
#include "exchange.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

bool is_node_aware(const bench::Result& result) { return result.name.starts_with("rondo node-aware"); }

/// `variants`: auto, node-aware, and the others.
void compare(const std::string& what, const std::vector<bench::Variant>& variants, double limit,
             const bench::Options& options, bench::Report& report) {
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  const auto found = std::ranges::find_if(comparison.results, is_node_aware);
  const auto is_auto = [&](const bench::Result& result) { return &result == &chosen; };
  const bench::Result* other =
      bench::best(comparison, [&](const bench::Result& result) { return !is_auto(result) && !is_node_aware(result); });
  const bench::Result* best = bench::best(comparison, [&](const bench::Result& result) { return !is_auto(result); });
  if (other == nullptr || best == nullptr || found == comparison.results.end()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", node-aware / " + other->name, bench::ratio(*found, *other), limit);
  report.require(what + ", auto / " + best->name, bench::ratio(chosen, *best), 1.10);
}

void measure_halo(const std::string& network, int p, int bytes, const bench::Options& options, bench::Report& report) {
  std::vector<int> sizes(3, 0);
  MPI_Dims_create(p, 3, sizes.data());
  bench::Exchange exchange(sizes, rondo::moore(3, 1), bytes);
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "node-aware", "direct", "coalesced", "combining"})
    variants.push_back(exchange.rondo_persistent(algorithm, false));
  variants.push_back(exchange.mpi_neighbor_alltoall());
  variants.push_back(exchange.mpi_ineighbor_alltoallw());
  variants.push_back(exchange.persistent_point_to_point(false));
  compare(network + "27-point, " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B", variants, 0.6,
          options, report);
}

void measure_allgather(const std::string& network, int p, int bytes, const bench::Options& options,
                       bench::Report& report) {
  std::vector<int> sizes(3, 0);
  MPI_Dims_create(p, 3, sizes.data());
  bench::AllgatherExchange exchange(sizes, rondo::moore(3, 1), bytes);
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "node-aware", "direct", "coalesced", "combining"})
    variants.push_back(exchange.rondo_persistent(algorithm));
  variants.push_back(exchange.mpi_neighbor_allgather());
  variants.push_back(exchange.isend_irecv(false));
  compare(network + "27-point allgather, " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B", variants,
          0.6, options, report);
}

void measure_dense(const std::string& network, int p, int bytes, const bench::Options& options, bench::Report& report) {
  bench::DenseExchange exchange(bytes);
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "node-aware", "direct", "bruck"})
    variants.push_back(exchange.rondo_persistent(algorithm));
  variants.push_back(exchange.mpi_alltoall());
  variants.push_back(exchange.mpi_ialltoall(false));
  variants.push_back(exchange.isend_irecv(false));
  compare(network + "alltoall, " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B", variants, 1.0,
          options, report);
}

}  // namespace

int main(int argc, char** argv) {
  std::string network;
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--network") == 0) network = std::string(argv[i + 1]) + ", ";
  }
  return bench::run_back_to_back(argc, argv, {.window_seconds = 0.02, .rounds = 9, .most_rounds = 20, .good_share = 0},
                                 {.window_seconds = 0.01, .rounds = 5, .most_rounds = 10, .good_share = 0},
                                 [&](const bench::Options& options, bench::Report& report) {
                                   int p = 0;
                                   MPI_Comm_size(MPI_COMM_WORLD, &p);
                                   for (const int bytes : {8, 64, 512, 4096}) {
                                     measure_halo(network, p, bytes, options, report);
                                     measure_allgather(network, p, bytes, options, report);
                                     measure_dense(network, p, bytes, options, report);
                                   }
                                 });
}
