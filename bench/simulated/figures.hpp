/// @file
/// Figures: what a simulated exchange took, as tables and in a CSV file.
#ifndef RONDO_BENCH_SIMULATED_FIGURES_HPP
#define RONDO_BENCH_SIMULATED_FIGURES_HPP

#include "run_plans.hpp"
#include "runtime/machine/machine.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace rondo::internal::simulated {

/// A machine, and what figures say of it.
struct Site {
  machine::Machine machine;
  int nodes;
  std::string mapping;
};

class Figures {
 public:
  /// Writes the file anew. Throws std::runtime_error where it cannot.
  explicit Figures(const std::string& csv);
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  ~Figures();

  /// From now on all is about one exchange.
  void begin(const Site& site, const std::string& collective, std::int64_t bytes);
  /// A plan, beside the first one of the exchange.
  void add(const Timing& timing);
  /// What auto takes, beside the best.
  void end();
  /// Whether all data that were looked at were right.
  [[nodiscard]] bool all_right() const noexcept { return all_right_; }
  /// The largest ratio of what auto took to the best.
  [[nodiscard]] double worst_choice() const noexcept { return worst_choice_; }

 private:
  std::FILE* file_;
  std::string exchange_;  ///< the first columns of its rows
  std::vector<Timing> timings_;
  bool all_right_ = true;
  double worst_choice_ = 1;
};

}  // namespace rondo::internal::simulated

#endif
