#include "collectives/paths/dimension_order.hpp"

#include "collectives/topology/flat_index.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::internal {
namespace {

/// A set of dimensions, as bits.
using Set = std::uint32_t;

/// Returns C_k, the number of distinct residues other than zero along dimension k.
std::uint32_t distinct_along(std::span<const std::int64_t> keys, const DisplacementKeys& digits, std::size_t k) {
  std::vector<bool> seen(static_cast<std::size_t>(digits.values(k)));
  seen[0] = true;
  std::uint32_t distinct = 0;
  for (const std::int64_t key : keys) {
    const auto digit = static_cast<std::size_t>(digits.digit(key, k));
    distinct += seen[digit] ? 0 : 1;
    seen[digit] = true;
  }
  return distinct;
}

/// Returns how many of `keys` have a digit other than zero for dimension k.
std::uint32_t moving_along(std::span<const std::int64_t> keys, const DisplacementKeys& digits, std::size_t k) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(keys, [&](std::int64_t key) { return digits.part(key, k) != 0; }));
}

/// Counts, for each set of dimensions and each dimension in it, the edges that the dimension adds when it comes last.
class EdgesBySet {
 public:
  EdgesBySet(std::span<const int> dimensions, const DisplacementKeys& digits, std::span<const std::int64_t> keys)
      : dimensions_(dimensions), digits_(digits), edges_((std::size_t{1} << dimensions.size()) * dimensions.size()) {
    count((Set{1} << dimensions.size()) - 1, {keys.begin(), keys.end()}, 0);
  }

  [[nodiscard]] std::uint32_t edges(Set set, std::size_t last) const { return edges_[set * dimensions_.size() + last]; }

 private:
  /// Counts for `set` and its subsets. `keys`: the distinct projections onto `set`. Goes on to the sets without one
  /// more dimension, from `next` on, so that each set is visited once.
  void count(Set set, const std::vector<std::int64_t>& keys, std::size_t next) {
    for (std::size_t place = 0; place < dimensions_.size(); ++place) {
      if ((set >> place & 1U) == 0) continue;
      const auto k = static_cast<std::size_t>(dimensions_[place]);
      edges_[set * dimensions_.size() + place] = moving_along(keys, digits_, k);
      if (place < next) continue;
      std::vector<std::int64_t> projected;
      projected.reserve(keys.size());
      FlatIndex seen(keys.size());
      for (const std::int64_t key : keys) {
        const std::int64_t rest = key - digits_.part(key, k);
        const auto number = static_cast<std::uint32_t>(projected.size());
        if (seen.find_or_add(rest, number) == number) projected.push_back(rest);
      }
      count(set & ~(Set{1} << place), projected, place + 1);
    }
  }

  std::span<const int> dimensions_;
  const DisplacementKeys& digits_;
  std::vector<std::uint32_t> edges_;
};

}  // namespace

DimensionOrderSearch::DimensionOrderSearch(const NeighborhoodFacts& facts) : digits_(facts.grid()) {
  const Grid& grid = facts.grid();
  const FoldedNeighborhood& neighborhood = facts.distinct();
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    if (grid.reaches(neighborhood[v])) keys_.push_back(digits_.key(neighborhood[v]));
  }
  std::vector<std::pair<std::uint32_t, int>> counted;
  for (int k = 0; k < grid.dimensions(); ++k)
    counted.emplace_back(distinct_along(keys_, digits_, static_cast<std::size_t>(k)), k);
  std::ranges::sort(counted);
  for (const auto& [distinct, k] : counted) {
    order_.push_back(k);
    still_ += distinct == 0 ? 1 : 0;
    rounds_ += distinct;
  }
}

double DimensionOrderSearch::expected_nanoseconds() const {
  const std::size_t moving = phases();
  if (moving > kMostDimensions) return std::numeric_limits<double>::infinity();
  constexpr double kSet = 100;  // measured, as if projections were no fewer than offsets
  constexpr double kKey = 7;
  return static_cast<double>(std::size_t{1} << moving) * (kSet + kKey * static_cast<double>(keys_.size()));
}

DimensionOrderSearch::Best DimensionOrderSearch::best() const {
  const std::span<const int> moving = std::span(order_).subspan(still_);
  const EdgesBySet counted(moving, digits_, keys_);
  const Set all = (Set{1} << moving.size()) - 1;
  std::vector<std::uint32_t> fewest(std::size_t{all} + 1, std::numeric_limits<std::uint32_t>::max());
  std::vector<std::uint8_t> last(fewest.size());
  fewest[0] = 0;
  for (Set set = 1; set <= all; ++set) {
    for (std::size_t place = moving.size(); place-- > 0;) {
      if ((set >> place & 1U) == 0) continue;
      const std::uint32_t edges = fewest[set & ~(Set{1} << place)] + counted.edges(set, place);
      if (edges >= fewest[set]) continue;
      fewest[set] = edges;
      last[set] = static_cast<std::uint8_t>(place);
    }
  }
  Best found{{}, fewest[all]};
  for (Set set = all; set != 0; set &= ~(Set{1} << last[set])) found.order.push_back(moving[last[set]]);
  found.order.insert(found.order.end(), order_.rend() - static_cast<std::ptrdiff_t>(still_), order_.rend());
  std::ranges::reverse(found.order);
  return found;
}

}  // namespace rondo::internal
