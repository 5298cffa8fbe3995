/// @file
/// Tables, CSV files and checks of benchmark figures.
#ifndef RONDO_BENCH_REPORT_HPP
#define RONDO_BENCH_REPORT_HPP

#include "harness.hpp"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Collects the points of one benchmark on rank 0. Every line goes to standard output and, with a file, to CSV.
class Report {
 public:
  /// `csv` may be empty: no file. It is appended to, so that several runs (rank counts) make one file.
  Report(bool printing, const std::string& csv);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();

  /// One point: all variants in microseconds, median and quartiles, and the ratio of `subject` to the fastest of the
  /// variants that are `against` it.
  void point(const std::string& what, const Comparison& comparison);
  /// A figure that must hold: `value` at most `limit` (or at least, when `at_least`). Remembered for summary().
  void require(const std::string& what, const Quartiles& value, double limit, bool at_least = false);
  /// A point that the machine left no good rounds for: counts as missed, since nothing was shown.
  void no_figure(const std::string& what);
  /// Prints which requirements do not hold, last; whether all do.
  bool summary();

 private:
  bool printing_;
  std::FILE* csv_ = nullptr;
  int required_ = 0;
  std::vector<std::string> missed_;
};

/// The main function of a benchmark of MPI programs, whose first argument is the CSV file: calls `measure` once for
/// each regime, with `full` or, after --quick, `quick`; --regime back-to-back or alone takes that one only.
[[nodiscard]] int run_benchmark(int argc, char** argv, const Options& full, const Options& quick,
                                const std::function<void(const Options&, Report&)>& measure);
/// The same for one regime, back to back: of what is no exchange.
[[nodiscard]] int run_back_to_back(int argc, char** argv, const Options& full, const Options& quick,
                                   const std::function<void(const Options&, Report&)>& measure);

}  // namespace bench

#endif
