/// @file
/// MeasuredTimes: what plans of a dense alltoall took where they were measured.
#ifndef RONDO_COLLECTIVES_TUNING_MEASURED_TIMES_HPP
#define RONDO_COLLECTIVES_TUNING_MEASURED_TIMES_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal {

/// By plan and size of block, for one number of ranks. Where something was measured, no model knows better.
class MeasuredTimes {
 public:
  using Points = std::vector<std::pair<std::int64_t, double>>;  ///< bytes of a block, ascending, and nanoseconds

  /// `bytes` at least 1, `nanoseconds` above 0; one time for each size.
  void add(std::string_view plan, std::int64_t bytes, double nanoseconds);
  /// Between sizes that were measured, a straight line on logarithmic scales; beyond them a block of less is no faster,
  /// and one of more as much slower as it is longer. Nothing for a plan that was not measured.
  [[nodiscard]] std::optional<double> nanoseconds(std::string_view plan, std::int64_t bytes) const;

  [[nodiscard]] bool empty() const noexcept { return by_plan_.empty(); }
  [[nodiscard]] const std::map<std::string, Points, std::less<>>& by_plan() const noexcept { return by_plan_; }

 private:
  std::map<std::string, Points, std::less<>> by_plan_;
};

}  // namespace rondo::internal

#endif
