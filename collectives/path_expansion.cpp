#include "collectives/path_expansion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rondo {
namespace {

/// Numbers the distinct vectors in `vectors` (t of `width` coordinates each) in lexicographic order, zero vectors left
/// out, by sorting on one coordinate after the other (the paper's BUCKETSORT), last coordinate first.
struct Numbered {
  std::vector<std::size_t> first_of;  ///< a member of each distinct vector
  std::vector<StepId> number_of;      ///< of each vector, or kStays
};

Numbered number_distinct(std::span<const int> vectors, std::size_t width, std::size_t t) {
  const auto at = [&](std::size_t i) { return vectors.subspan(i * width, width); };
  std::vector<std::size_t> order;
  Numbered numbered{{}, std::vector<StepId>(t, kStays)};
  for (std::size_t i = 0; i < t; ++i) {
    if (std::ranges::any_of(at(i), [](int coordinate) { return coordinate != 0; })) order.push_back(i);
  }
  for (std::size_t k = width; k-- > 0;) {
    if (order.empty()) break;
    const auto [low, high] = std::ranges::minmax_element(order, {}, [&](std::size_t i) { return at(i)[k]; });
    const std::int64_t least = at(*low)[k];
    const std::int64_t values = at(*high)[k] - least + 1;
    if (values > 4 * static_cast<std::int64_t>(order.size()) + 64) {  // far apart: buckets would be empty
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return at(i)[k]; });
      continue;
    }
    std::vector<std::size_t> begins(static_cast<std::size_t>(values) + 1);
    for (const std::size_t i : order) ++begins[static_cast<std::size_t>(at(i)[k] - least) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> sorted(order.size());
    for (const std::size_t i : order) sorted[begins[static_cast<std::size_t>(at(i)[k] - least)]++] = i;
    order.swap(sorted);
  }
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (place == 0 || !std::ranges::equal(at(order[place]), at(order[place - 1])))
      numbered.first_of.push_back(order[place]);
    numbered.number_of[order[place]] = static_cast<StepId>(numbered.first_of.size() - 1);
  }
  return numbered;
}

ExpansionStage stage_along(const Grid& grid, const Neighborhood& neighborhood, std::span<const int> dimensions) {
  const auto t = static_cast<std::size_t>(neighborhood.size());
  const auto d = static_cast<std::size_t>(grid.dimensions());
  const std::size_t width = dimensions.size();
  const std::span<const int> offsets = neighborhood.flattened();
  std::vector<int> residues(t * width);
  for (std::size_t column = 0; column < width; ++column) {
    const int k = dimensions[column];
    for (std::size_t i = 0; i < t; ++i)
      residues[i * width + column] = grid.residue(k, offsets[i * d + static_cast<std::size_t>(k)]);
  }
  Numbered numbered = number_distinct(residues, width, t);
  ExpansionStage stage{std::vector<int>(numbered.first_of.size() * d), std::move(numbered.number_of)};
  for (std::size_t step = 0; step < numbered.first_of.size(); ++step) {
    for (std::size_t column = 0; column < width; ++column) {
      stage.steps[step * d + static_cast<std::size_t>(dimensions[column])] =
          residues[numbered.first_of[step] * width + column];
    }
  }
  return stage;
}

}  // namespace

PathExpansion expand_by_groups(const Grid& grid, const Neighborhood& neighborhood,
                               std::span<const std::vector<int>> groups, std::string name) {
  std::vector<ExpansionStage> stages;
  for (const std::vector<int>& group : groups) {
    std::vector<int> ascending = group;  // so that steps are numbered in lexicographic order
    std::ranges::sort(ascending);
    stages.push_back(stage_along(grid, neighborhood, ascending));
  }
  return {std::move(name), grid.dimensions(), std::move(stages)};
}

PathExpansion expand_by_dimension(const Grid& grid, const Neighborhood& neighborhood, std::span<const int> order) {
  std::vector<std::vector<int>> groups;
  for (const int k : order) groups.push_back({k});
  return expand_by_groups(grid, neighborhood, groups, "dimension-wise");
}

PathExpansion expand_directly(const Grid& grid, const Neighborhood& neighborhood) {
  std::vector<int> all(static_cast<std::size_t>(grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return expand_by_groups(grid, neighborhood, {{all}}, "direct");
}

std::vector<int> order_by_distinct_residues(const Grid& grid, const Neighborhood& neighborhood) {
  std::vector<std::pair<StepId, int>> keyed;
  for (int k = 0; k < grid.dimensions(); ++k) {
    const ExpansionStage stage = stage_along(grid, neighborhood, {{k}});
    keyed.emplace_back(static_cast<StepId>(stage.steps.size() / static_cast<std::size_t>(grid.dimensions())), k);
  }
  std::ranges::sort(keyed);
  std::vector<int> order;
  for (const auto& [distinct, k] : keyed) order.push_back(k);
  return order;
}

}  // namespace rondo
