#include "collectives/tuning/measured_times.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::internal {

void MeasuredTimes::add(std::string_view plan, std::int64_t bytes, double nanoseconds) {
  Points& points = by_plan_[std::string(plan)];
  const auto place = std::ranges::lower_bound(points, bytes, {}, &Points::value_type::first);
  points.insert(place, {bytes, nanoseconds});
}

std::optional<double> MeasuredTimes::nanoseconds(std::string_view plan, std::int64_t bytes) const {
  const auto found = by_plan_.find(plan);
  if (found == by_plan_.end()) return std::nullopt;
  const Points& points = found->second;
  const auto above = std::ranges::lower_bound(points, bytes, {}, &Points::value_type::first);
  if (above == points.end())
    return points.back().second * static_cast<double>(bytes) / static_cast<double>(points.back().first);
  if (above->first == bytes || above == points.begin()) return above->second;
  const auto below = std::prev(above);
  const double share = std::log(static_cast<double>(bytes) / static_cast<double>(below->first)) /
                       std::log(static_cast<double>(above->first) / static_cast<double>(below->first));
  return below->second * std::pow(above->second / below->second, share);
}

}  // namespace rondo::internal
