#include "report.hpp"

#include <cmath>
#include <string_view>

namespace bench {

Report::Report(bool printing, const std::string& csv) : printing_(printing) {
  if (printing_ && !csv.empty()) csv_ = std::fopen(csv.c_str(), "a");
}

Report::~Report() {
  if (csv_ != nullptr) std::fclose(csv_);
}

void Report::point(const std::string& what, const Comparison& comparison) {
  if (!printing_) return;
  const std::size_t rounds = comparison.results.empty() ? 0 : comparison.results.front().seconds.size();
  std::printf("%s (%zu rounds, %d discarded)\n", what.c_str(), rounds, comparison.discarded);
  for (const Result& result : comparison.results) {
    const Quartiles us = quartiles(result.seconds);
    std::printf("  %-28s %10.2f us  [%.2f, %.2f]%s\n", result.name.c_str(), us.median * 1e6, us.lower * 1e6,
                us.upper * 1e6, result.right ? "" : "  WRONG DATA");
    if (csv_ == nullptr) continue;
    std::fprintf(csv_, "\"%s\",\"%s\",%.4f,%.4f,%.4f,%zu,%d,%s\n", what.c_str(), result.name.c_str(), us.median * 1e6,
                 us.lower * 1e6, us.upper * 1e6, rounds, comparison.discarded, result.right ? "right" : "wrong");
  }
  if (csv_ != nullptr) std::fflush(csv_);  // mpirun kills the others as soon as one rank says that figures were missed
}

void Report::require(const std::string& what, const Quartiles& value, double limit, bool at_least) {
  if (!printing_) return;
  ++required_;
  const bool holds = at_least ? value.median >= limit : value.median <= limit;
  char line[256];
  std::snprintf(line, sizeof line, "%s: %.2f [%.2f, %.2f], must be at %s %.2f", what.c_str(), value.median, value.lower,
                value.upper, at_least ? "least" : "most", limit);
  std::printf("  => %s%s\n", line, holds ? "" : "  MISSED");
  std::fflush(stdout);
  if (!holds) missed_.emplace_back(line);
}

void Report::no_figure(const std::string& what) {
  if (!printing_) return;
  ++required_;
  missed_.push_back(what + ": no figure, all rounds were discarded because the machine was busy");
}

bool Report::summary() {
  if (!printing_) return true;
  std::printf("%d of %d figures hold\n", required_ - static_cast<int>(missed_.size()), required_);
  for (const std::string& line : missed_) std::printf("missed: %s\n", line.c_str());
  return missed_.empty();
}

namespace {

int run(int argc, char** argv, const Options& full, const Options& quick, const std::vector<Regime>& regimes,
        const std::function<void(const Options&, Report&)>& measure) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options options = full;
  std::string_view wanted;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") options = quick;
    if (argument == "--regime" && i + 1 < argc) wanted = argv[i + 1];
  }
  int good = 1;
  {
    Report report(rank == 0, argc > 1 ? argv[1] : "");
    for (const Regime regime : regimes) {
      const std::string_view name = regime == Regime::alone ? "alone" : "back-to-back";
      if (!wanted.empty() && wanted != name) continue;
      options.regime = regime;
      measure(options, report);
    }
    good = report.summary() ? 1 : 0;
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return good == 1 ? 0 : 3;
}

}  // namespace

int run_benchmark(int argc, char** argv, const Options& full, const Options& quick,
                  const std::function<void(const Options&, Report&)>& measure) {
  return run(argc, argv, full, quick, {Regime::back_to_back, Regime::alone}, measure);
}

int run_back_to_back(int argc, char** argv, const Options& full, const Options& quick,
                     const std::function<void(const Options&, Report&)>& measure) {
  return run(argc, argv, full, quick, {Regime::back_to_back}, measure);
}

}  // namespace bench
