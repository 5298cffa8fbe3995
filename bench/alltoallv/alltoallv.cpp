// Alltoallv beside MPI_Alltoallv, MPI_Ialltoallv and MPI_Alltoallv_init, for three problems: equal blocks, which
// alltoall can exchange as well (the zero-copy Bruck paper's Figures 8 and 9, persistent and not, 4 B to 80,000 B);
// sizes within a factor of 2, regular enough for Bruck; sizes within a factor of 1000 with empty blocks among them, too
// irregular for it but where all are short. A point is named after its largest block.
// Figure: auto, persistent, never above 1.10x the best of MPI's three and of all of ours that go through alltoallv.
// Usage: alltoallv CSV [--quick] [--only BYTES] [--problem regular|similar|different] [--explain]
#include "dense_exchange.hpp"
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

#if !defined(OPEN_MPI)
constexpr bool kYielding = true;  // MPICH never yields by itself
#else
constexpr bool kYielding = false;
#endif

struct Problem {
  std::string_view name;
  const char* title;
  /// Bytes of a block, of at most `largest`, by a share in [0, 1) and whether it is one of those that may be empty.
  int (*bytes)(int largest, double share, bool maybe_empty);
  std::vector<int> sizes;
};

int equal(int largest, double /*share*/, bool /*maybe_empty*/) { return largest; }

int similar(int largest, double share, bool /*maybe_empty*/) {
  return largest - static_cast<int>(std::lround(share * (largest / 2)));
}

int different(int largest, double share, bool maybe_empty) {
  if (maybe_empty) return 0;
  return std::max(1, static_cast<int>(std::lround(largest * std::pow(1000, -share))));
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{
      {"regular", "equal blocks", equal, {4, 16, 64, 256, 1024, 4096, 16384, 40000, 80000}},
      {"similar", "sizes within a factor of 2", similar, {4, 16, 64, 256, 1024, 4096, 16384, 80000}},
      {"different", "sizes within a factor of 1000", different, {4, 16, 64, 256, 1024, 4096, 16384, 80000}}};
  return all;
}

/// Both ends draw the same. The block of the first rank for the last is the largest, the one back the smallest there
/// can be, so that all sets of ranks have both; every eighth of the others may be empty.
bench::BlockBytes sizes_of(const Problem& problem, int largest, int p) {
  return [&problem, largest, p](int source, int target) {
    if (p > 1 && source == 0 && target == p - 1) return problem.bytes(largest, 0, false);
    if (p > 1 && source == p - 1 && target == 0) return problem.bytes(largest, 1, true);
    std::mt19937 random(static_cast<unsigned>(source * p + target));
    const double share = static_cast<double>(random()) / 4294967296.0;
    return problem.bytes(largest, share, random() % 8 == 0);
  };
}

/// Ours that can be had: under another name they would be a second variant of what runs instead.
void add_candidates(bench::DenseExchange& exchange, int p, std::vector<bench::Variant>& variants) {
  const auto add = [&](const std::string& algorithm, int radix) {
    bench::Variant variant = exchange.rondo_persistent(algorithm, radix);
    if (exchange.runs().starts_with(algorithm)) variants.push_back(std::move(variant));
  };
  for (const char* algorithm : {"direct", "pairwise", "windowed", "scatter", "randomized", "segmented",
                                "irregular-bruck", "compact-bruck", "zero-copy-bruck-blocks"})
    add(algorithm, 0);
  for (const int radix : {2, 3, 4, 6, 8}) {
    if (radix < p) add("bruck", radix);
  }
}

bool by_alltoallv(const bench::Result& result) {
  return result.name.starts_with("rondo v ") || result.name.find("lltoallv") != std::string::npos;
}

void measure(const Problem& problem, int bytes, const bench::Options& options, bool explain, bench::Report& report) {
  int p = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bench::DenseExchange exchange(sizes_of(problem, bytes, p));
  std::vector<bench::Variant> variants{exchange.rondo_persistent("auto")};
  if (explain && rank == 0) std::printf("%s", exchange.explain_first().c_str());
  add_candidates(exchange, p, variants);
  variants.push_back(exchange.rondo_nonblocking());
  variants.push_back(exchange.rondo_blocking());
  // Not persistent, as the paper's: algorithms that need an agreement, an exchange of sizes and datatypes in each call.
  for (const char* algorithm : {"irregular-bruck", "zero-copy-bruck-blocks"}) {
    const std::string name = std::string("rondo v ") + algorithm;
    if (std::ranges::any_of(variants, [&](const bench::Variant& variant) { return variant.name == name; }))
      variants.push_back(exchange.rondo_made_each_time(algorithm));
  }
  variants.push_back(exchange.mpi_alltoall());
  variants.push_back(exchange.mpi_ialltoall(kYielding));
  variants.push_back(exchange.mpi_alltoall_init(kYielding));
  std::optional<bench::DenseExchange> equal_blocks;
  if (problem.name == "regular") {
    equal_blocks.emplace(bytes);
    for (const char* algorithm : {"auto", "zero-copy-bruck-blocks"}) {
      variants.push_back(equal_blocks->rondo_persistent(algorithm));
      variants.push_back(equal_blocks->rondo_blocking(algorithm));
    }
    variants.push_back(equal_blocks->mpi_alltoall());
  }
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what =
      options.named(std::string(problem.title) + ", " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B");
  report.point(what, comparison);
  const auto wrong = static_cast<double>(std::ranges::count_if(
      comparison.results, [](const bench::Result& result) { return result.ours && !result.right; }));
  report.require(what + ", ours with wrong data", {wrong, wrong, wrong}, 0);
  const bench::Result& chosen = comparison.results.front();
  const bench::Result* best = bench::best(
      comparison, [&](const bench::Result& result) { return result.name != chosen.name && by_alltoallv(result); });
  if (best == nullptr || !chosen.right || chosen.seconds.empty())
    report.no_figure(what);
  else
    report.require(what + ", auto / " + best->name, bench::ratio(chosen, *best), 1.10);
}

}  // namespace

int main(int argc, char** argv) {
  bool explain = false;
  int only = 0;
  std::string_view wanted;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--explain") == 0) explain = true;
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--problem") == 0 && i + 1 < argc) wanted = argv[i + 1];
  }
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (const Problem& problem : problems()) {
                                  if (!wanted.empty() && wanted != problem.name) continue;
                                  for (const int bytes : problem.sizes) {
                                    if (only == 0 || only == bytes) measure(problem, bytes, options, explain, report);
                                  }
                                }
                              });
}
