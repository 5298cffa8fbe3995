// Dense alltoalls of 4 B to 256 KiB beside MPI_Alltoall, MPI_Ialltoall and MPI_Alltoall_init; with all of Rondo's own
// algorithms, among them the six variants of the zero-copy Bruck paper's Figures 3 to 5.
// Figures: auto never above 1.10x the best of all; at 16 and 32 ranks with 64 and 256 bytes at least 2x faster than
// MPI_Alltoall under Open MPI, and with 64 KiB at least 1.7x under MPICH; zero-copy Bruck with collapsed runs at least
// 1.3x faster than Basic Bruck at 40,000 bytes. Usage: alltoall CSV [--quick] [--regime R] [--only BYTES] [--explain]
#include "dense_exchange.hpp"
#include "report.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kPaperBytes = 40000;

std::vector<bench::Variant> variants_of(bench::DenseExchange& exchange, int p) {
  std::vector<bench::Variant> variants{exchange.rondo_persistent("auto"), exchange.rondo_nonblocking(),
                                       exchange.rondo_blocking()};
  for (const char* algorithm :
       {"direct", "pairwise", "windowed", "scatter", "randomized", "segmented", "basic-bruck", "basic-bruck-ix",
        "modified-bruck", "modified-bruck-ix", "zero-copy-bruck", "zero-copy-bruck-blocks", "compact-bruck"})
    variants.push_back(exchange.rondo_persistent(algorithm));
  for (const int radix : {2, 3, 4, 6, 8}) {
    if (radix < p) variants.push_back(exchange.rondo_persistent("bruck", radix));
  }
#if !defined(OPEN_MPI)
  constexpr bool kYielding = true;  // MPICH never yields by itself
#else
  constexpr bool kYielding = false;
#endif
  variants.push_back(exchange.mpi_alltoall());
  variants.push_back(exchange.mpi_ialltoall(kYielding));
  variants.push_back(exchange.mpi_alltoall_init(kYielding));
  variants.push_back(exchange.isend_irecv(kYielding));
  return variants;
}

void measure(int bytes, const bench::Options& options, bool explain, bench::Report& report) {
  int p = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bench::DenseExchange exchange(bytes);
  const std::vector<bench::Variant> variants = variants_of(exchange, p);
  if (explain && rank == 0) std::printf("%s", exchange.explain_first().c_str());
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named(std::to_string(p) + " ranks, " + std::to_string(bytes) + " B");
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  const bench::Result* best = bench::best(comparison, [&](const bench::Result& result) {
    return result.name != chosen.name && !result.name.starts_with("Isend/Irecv");  // shown beside, but not asked for
  });
  if (best == nullptr || !chosen.right || chosen.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + best->name, bench::ratio(chosen, *best), 1.10);
  const auto require_faster = [&](const char* slow, const char* fast, double factor) {
    const auto named = [&](const char* name) {
      return bench::best(comparison, [&](const bench::Result& result) {
        return result.name == name || (result.ours && result.name.starts_with(std::string(name) + " ("));
      });
    };
    const bench::Result* one = named(slow);
    const bench::Result* other = named(fast);
    if (one == nullptr || other == nullptr)
      report.no_figure(what + ", " + slow + " / " + fast);
    else
      report.require(what + ", " + slow + " / " + fast, bench::ratio(*one, *other), factor, true);
  };
#if defined(OPEN_MPI)
  if (p >= 16 && (bytes == 64 || bytes == 256)) require_faster("MPI_Alltoall", "rondo auto", 2.0);
#else
  if (p >= 16 && bytes == 65536) require_faster("MPI_Alltoall", "rondo auto", 1.7);
#endif
  if (bytes == kPaperBytes && p >= 16) require_faster("rondo basic-bruck", "rondo zero-copy-bruck-blocks", 1.3);
}

}  // namespace

int main(int argc, char** argv) {
  bool explain = false;
  int only = 0;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--explain") == 0) explain = true;
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = std::atoi(argv[i + 1]);
  }
  return bench::run_benchmark(
      argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
      {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
      [&](const bench::Options& options, bench::Report& report) {
        for (const int bytes : {4, 16, 64, 256, 1024, 4096, 16384, kPaperBytes, 65536, 262144}) {
          if (only == 0 || only == bytes) measure(bytes, options, explain, report);
        }
      });
}
