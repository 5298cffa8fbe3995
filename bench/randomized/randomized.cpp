// The randomized alltoall's algorithms beside MPI_Alltoall, as the Slim Fly paper shows them (section 3, figure 2):
// speed-up of medians over block size and ranks, with 95% intervals. All sizes are randomized, also those that the
// paper's selection would not.
// Usage: randomized CSV [--quick] [--busy]; speed-ups go to a file beside it, CSV's name with -speedup. --busy keeps
// rounds in which something else ran too: ratios within rounds still say something then.
#include "bootstrap.hpp"
#include "dense_exchange.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// A row for each variant at each point, for bench/plot/draw.py, on rank 0.
class SpeedUps {
 public:
  SpeedUps(bool printing, std::string csv) : printing_(printing) {
    if (!printing_ || csv.empty()) return;
    csv.insert(csv.rfind(".csv"), "-speedup");
    file_ = std::fopen(csv.c_str(), "a");
    if (file_ != nullptr && std::ftell(file_) == 0)
      std::fprintf(file_, "ranks,bytes,variant,reference,reference us,median us,speed-up,lower,upper\n");
  }
  SpeedUps(const SpeedUps&) = delete;
  SpeedUps& operator=(const SpeedUps&) = delete;
  ~SpeedUps() {
    if (file_ != nullptr) std::fclose(file_);
  }

  void add(int ranks, int bytes, const bench::Result& reference, const bench::Result& result, const std::string& name) {
    if (!printing_) return;
    if (!reference.right || !result.right) {
      std::printf("  no speed-up of %s: wrong data\n", result.name.c_str());
      return;
    }
    const bench::Estimate speed_up = bench::bootstrap_ratio(reference.seconds, result.seconds);
    std::printf("  %-28s %10.2f x   [%.2f, %.2f]\n", name.c_str(), speed_up.value, speed_up.lower, speed_up.upper);
    std::fflush(stdout);
    if (file_ == nullptr) return;
    std::fprintf(file_, "%d,%d,\"%s\",\"%s\",%.4f,%.4f,%.4f,%.4f,%.4f\n", ranks, bytes, name.c_str(),
                 reference.name.c_str(), 1e6 * bench::median(reference.seconds), 1e6 * bench::median(result.seconds),
                 speed_up.value, speed_up.lower, speed_up.upper);
    std::fflush(file_);
  }

 private:
  bool printing_;
  std::FILE* file_ = nullptr;
};

void measure(int bytes, const bench::Options& options, bench::Report& report, SpeedUps& speed_ups) {
  bench::DenseExchange exchange(bytes);
  std::vector<bench::Variant> variants;
#if defined(OPEN_MPI)
  variants.push_back(exchange.mpi_alltoall());
#else
  variants.push_back(exchange.mpi_ialltoall(true));  // MPICH's blocking one spins: with more ranks than cores for ages
#endif
  for (const char* algorithm : {"scatter", "randomized", "segmented", "paper"})
    variants.push_back(exchange.rondo_with({.algorithm = rondo::algorithm_from(algorithm)}, algorithm));
  variants.push_back(exchange.rondo_with(
      {.algorithm = rondo::Algorithm::randomized, .dense = {.queue = rondo::Queue::batches}}, "randomized in batches"));
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string what = options.named(std::to_string(ranks) + " ranks, " + std::to_string(bytes) + " B");
  report.point(what, comparison);
  const auto wrong = static_cast<double>(std::ranges::count(comparison.results, false, &bench::Result::right));
  report.require(what + ", variants with wrong data", {wrong, wrong, wrong}, 0);
  for (std::size_t i = 1; i < comparison.results.size(); ++i) {
    const bench::Result& result = comparison.results[i];
    speed_ups.add(ranks, bytes, comparison.results.front(), result, options.named(result.name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool busy = false;
  for (int i = 2; i < argc; ++i) busy = busy || std::strcmp(argv[i], "--busy") == 0;
  const std::string csv = argc > 1 ? argv[1] : "";
  const auto with_busy = [&](bench::Options options) {
    if (busy) options.good_share = 0;
    return options;
  };
  const bench::Options full{.window_seconds = 0.002, .rounds = 50, .most_rounds = 120};  // the paper times 50 calls
  return bench::run_benchmark(argc, argv, with_busy(full),
                              with_busy({.window_seconds = 0.002, .rounds = 9, .most_rounds = 20}),
                              [&](const bench::Options& options, bench::Report& report) {
                                int rank = 0;
                                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                                SpeedUps speed_ups(rank == 0, csv);
                                for (int bytes = 4; bytes <= 256 * 1024; bytes *= 4)
                                  measure(bytes, options, report, speed_ups);
                              });
}
