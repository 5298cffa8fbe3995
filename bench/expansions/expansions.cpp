// Neighborhoods for which another path expansion than the dimension-wise one costs less (ICPP 2019, section 3.4, an
// open question): auto beside direct, dimension-wise and logarithmic routing and MPI_Neighbor_alltoall, and what was
// predicted. Figures: where the prediction is that auto takes at most 0.9 of dimension-wise routing it takes less, and
// auto is never above 1.10x the best of all. Usage: expansions CSV [--quick] [--explain]
#include "exchange.hpp"
#include "report.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

namespace {

struct Case {
  std::string name;
  std::vector<int> sizes;
  rondo::Neighborhood neighborhood;
};

/// All vectors with coordinates from 0 to less than `sizes`.
rondo::Neighborhood all_of(const std::vector<int>& sizes) {
  rondo::Neighborhood all(static_cast<int>(sizes.size()));
  std::vector<int> vector(sizes.size());
  for (;;) {
    all.add(vector);
    std::size_t k = sizes.size();
    while (k > 0 && vector[k - 1] == sizes[k - 1] - 1) vector[--k] = 0;
    if (k == 0) return all;
    ++vector[k - 1];
  }
}

Case box(const std::vector<int>& sizes) {
  std::string name;
  for (const int size : sizes) name += (name.empty() ? "all of " : " x ") + std::to_string(size);
  return {name, sizes, all_of(sizes)};
}

std::vector<Case> cases(int p) {
  rondo::Neighborhood half(1);
  for (int m = 1; m <= p / 2; ++m) half.add(std::vector{m});
  std::vector<Case> all{{"half a ring", {p}, half}, box({p})};
  const std::array shape = p == 16 ? std::array{8, 2} : std::array{9, 3};
  rondo::Neighborhood diagonal(2);
  for (int m = 1; m < shape[0]; ++m) diagonal.add(std::vector{m, m});
  all.push_back(
      {"diagonal of " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]), {shape[0], shape[1]}, diagonal});
  all.push_back(box({shape[0], shape[1]}));
  if (p == 16) {
    for (const std::vector<int>& sizes : {std::vector{4, 4}, {2, 2, 4}, {2, 2, 2, 2}}) all.push_back(box(sizes));
    return all;
  }
  rondo::Neighborhood plane(3);  // a diagonal of two dimensions, times the third
  for (int m = 0; m < 3; ++m) {
    for (int n = 0; n < 3; ++n) plane.add(std::vector{m, -m, n});
  }
  all.push_back({"diagonal plane of 3 x 3 x 3", {3, 3, 3}, plane});
  all.push_back(box({3, 3, 3}));
  return all;
}

/// From explain()'s table: what each candidate is predicted to take in nanoseconds, the first of each name.
std::map<std::string, double> predictions(const std::string& explained) {
  std::map<std::string, double> predicted;
  std::istringstream lines(explained);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t name_end = line.find("  ");  // names have single blanks
    const std::size_t last = line.find_last_of(' ');
    if (name_end == std::string::npos || last == std::string::npos) continue;
    char* end = nullptr;
    const double nanoseconds = std::strtod(line.c_str() + last, &end);
    if (end != line.c_str() + line.size()) continue;  // the heading
    predicted.emplace(line.substr(0, name_end), nanoseconds);
  }
  return predicted;
}

void measure(const Case& given, int ints, const bench::Options& options, bool explains, bench::Report& report) {
  bench::Exchange exchange(given.sizes, given.neighborhood, ints * static_cast<int>(sizeof(int)));
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "direct", "combining", "logarithmic"})
    variants.push_back(exchange.rondo_persistent(algorithm, false));
  variants.push_back(exchange.mpi_neighbor_alltoall());
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  int p = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string what = options.named(std::to_string(p) + " ranks, " + given.name + ", m=" + std::to_string(ints));
  report.point(what, comparison);
  if (rank == 0 && explains) std::printf("%s", exchange.explain_auto().c_str());
  const bench::Result& chosen = comparison.results[0];
  const bench::Result* fastest =
      bench::best(comparison, [&](const bench::Result& result) { return &result != &chosen; });
  if (fastest == nullptr) {
    report.no_figure(what);
    return;
  }
  std::map<std::string, double> predicted = predictions(exchange.explain_auto());
  const std::string name = chosen.name.substr(std::strlen("rondo auto ("));
  const double own = predicted[name.substr(0, name.size() - 1)];
  const bench::Quartiles to_combining = bench::ratio(chosen, comparison.results[2]);
  const bench::Quartiles to_direct = bench::ratio(chosen, comparison.results[1]);
  if (rank == 0) {
    std::printf(
        "  %s / dimension-wise: %.2f [%.2f, %.2f], predicted %.2f; / direct: %.2f [%.2f, %.2f], predicted %.2f\n",
        chosen.name.c_str(), to_combining.median, to_combining.lower, to_combining.upper, own / predicted["combining"],
        to_direct.median, to_direct.lower, to_direct.upper, own / predicted["direct"]);
  }
  if (own <= 0.9 * predicted["combining"]) report.require(what + ", auto / dimension-wise", to_combining, 1.0);
  report.require(what + ", auto / " + fastest->name, bench::ratio(chosen, *fastest), 1.10);
}

}  // namespace

int main(int argc, char** argv) {
  bool explains = false;
  for (int i = 2; i < argc; ++i) explains = explains || std::strcmp(argv[i], "--explain") == 0;
  return bench::run_benchmark(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 20},
                              [&](const bench::Options& options, bench::Report& report) {
                                int p = 0;
                                MPI_Comm_size(MPI_COMM_WORLD, &p);
                                for (const Case& given : cases(p)) {
                                  for (const int ints : {1, 10, 100}) measure(given, ints, options, explains, report);
                                }
                              });
}
