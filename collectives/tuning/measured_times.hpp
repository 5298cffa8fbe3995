/// @file
/// MeasuredTimes: measured times of the plans of a dense alltoall.
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

/// Measured times by plan and size of block, for one number of ranks. A measured time is better than any model's.
class MeasuredTimes {
 public:
  using Points = std::vector<std::pair<std::int64_t, double>>;  ///< bytes of a block, ascending, and nanoseconds

  /// Adds a measured time of a plan. `bytes` at least 1, `nanoseconds` above 0; one time for each size.
  void add(std::string_view plan, std::int64_t bytes, double nanoseconds);
  /// Returns the time of a plan in nanoseconds. Between measured sizes it follows a straight line on logarithmic
  /// scales. A shorter block than measured is no faster than the shortest, and a longer one is slower in proportion to
  /// its length. Returns nothing for a plan that was not measured.
  [[nodiscard]] std::optional<double> nanoseconds(std::string_view plan, std::int64_t bytes) const;

  [[nodiscard]] bool empty() const noexcept { return by_plan_.empty(); }
  [[nodiscard]] const std::map<std::string, Points, std::less<>>& by_plan() const noexcept { return by_plan_; }

 private:
  std::map<std::string, Points, std::less<>> by_plan_;
};

}  // namespace rondo::internal

#endif
