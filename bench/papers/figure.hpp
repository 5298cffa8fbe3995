/// @file
/// Figure: the times that stand behind a picture of docs/papers.md, as a CSV file.
#ifndef RONDO_BENCH_PAPERS_FIGURE_HPP
#define RONDO_BENCH_PAPERS_FIGURE_HPP

#include "bench/common/bootstrap.hpp"
#include "bench/simulated/run_plans.hpp"

#include <cstdio>
#include <span>
#include <string>

namespace rondo::internal::papers {

/// Where a time belongs: on a line in a panel of the picture.
struct Place {
  std::string panel;
  std::string line;
  double x;
};

class Figure {
 public:
  /// Writes the file anew. Throws std::runtime_error where it cannot.
  explicit Figure(const std::string& csv);
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;
  ~Figure();

  /// One run, which is the same always. `plan`: what ran.
  void add(const Place& place, const std::string& plan, const simulated::Outcome& outcome, int ranks);
  /// Several, which differ in what was drawn at random: their median, and the interval of it.
  void add(const Place& place, const std::string& plan, std::span<const simulated::Outcome> outcomes, int ranks);
  /// What no run gave.
  void add_value(const Place& place, const std::string& what, double value);
  /// Whether all data that were looked at were right.
  [[nodiscard]] bool all_right() const noexcept { return all_right_; }

 private:
  void write(const Place& place, const std::string& plan, const bench::Estimate& time,
             const simulated::Outcome& outcome, int ranks);

  std::FILE* file_;
  bool all_right_ = true;
};

}  // namespace rondo::internal::papers

#endif
