#include "collectives/topology/graph_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace rondo::internal {
namespace {

/// Returns the offset from one process to another, in the form of GraphLists.
std::vector<int> offset_between(const Grid& grid, std::span<const int> from, std::span<const int> to) {
  std::vector<int> offset(from.size());
  for (int k = 0; k < grid.dimensions(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    const int steps = grid.residue(k, to[index] - from[index]);
    const int size = grid.sizes()[index];
    offset[index] = grid.periodic(k) && steps > size / 2 ? steps - size : steps;
  }
  return offset;
}

/// Returns the neighbors of `hood` that exist in a direction, in lexicographic order, equal ones in the order of the
/// list.
std::vector<int> sorted(const Neighborhood& hood, const Grid* grid = nullptr, int sign = 1) {
  std::vector<int> indices;
  for (int i = 0; i < hood.size(); ++i) {
    if (grid == nullptr || grid->relative_rank(hood[i], sign) != kNoRank) indices.push_back(i);
  }
  std::ranges::stable_sort(indices,
                           [&](int a, int b) { return std::ranges::lexicographical_compare(hood[a], hood[b]); });
  return indices;
}

std::string in_words(std::span<const int> offset) {
  std::string text = "(";
  for (const int coordinate : offset) text += (text.size() > 1 ? ", " : "") + std::to_string(coordinate);
  return text + ")";
}

int count(const Neighborhood& hood, const std::vector<int>& indices, std::span<const int> offset) {
  return static_cast<int>(std::ranges::count_if(indices, [&](int i) { return std::ranges::equal(hood[i], offset); }));
}

std::optional<std::string> difference(const Neighborhood& common, const std::vector<int>& expected,
                                      const Neighborhood& list, const std::vector<int>& found, const char* what) {
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const bool both = i < expected.size() && i < found.size();
    if (both && std::ranges::equal(common[expected[i]], list[found[i]])) continue;
    // The smaller of two different offsets is missing on the other side.
    const bool too_many =
        i == expected.size() || (both && std::ranges::lexicographical_compare(list[found[i]], common[expected[i]]));
    const std::span<const int> offset = too_many ? list[found[i]] : common[expected[i]];
    return "has " + std::to_string(count(list, found, offset)) + " " + what + " offset " + in_words(offset) +
           ", where others have " + std::to_string(count(common, expected, offset));
  }
  return std::nullopt;
}

}  // namespace

GraphLists::GraphLists(const Grid& grid, std::span<const int> source_ranks, std::span<const int> target_ranks,
                       std::span<const int> weights)
    : sources(grid.dimensions()), targets(grid.dimensions()) {
  for (const int rank : source_ranks)
    sources.add(offset_between(grid, grid.seen_from(rank).coordinates(), grid.coordinates()));
  std::vector<int> offsets;
  for (const int rank : target_ranks) {
    const std::vector<int> offset = offset_between(grid, grid.coordinates(), grid.seen_from(rank).coordinates());
    offsets.insert(offsets.end(), offset.begin(), offset.end());
  }
  targets = Neighborhood(grid.dimensions(), offsets, weights);
}

int middle_of(const Grid& grid) {
  int rank = 0;
  for (const int size : grid.sizes()) rank = rank * size + size / 2;
  return rank;
}

std::vector<int> corners_of(const Grid& grid) {
  std::vector<int> corners{0};
  for (int k = 0; k < grid.dimensions(); ++k) {
    const int size = grid.sizes()[static_cast<std::size_t>(k)];
    const bool has_ends = !grid.periodic(k) && size > 1;
    std::vector<int> extended;
    for (const int rank : corners) {
      extended.push_back(rank * size);
      if (has_ends) extended.push_back(rank * size + size - 1);
    }
    corners = std::move(extended);
  }
  return corners;
}

Neighborhood beyond_the_middle(const Grid& grid, const Neighborhood& targets) {
  const Grid middle = grid.seen_from(middle_of(grid));
  Neighborhood some(grid.dimensions());
  for (int i = 0; i < targets.size(); ++i) {
    const std::span<const int> offset = targets[i];
    bool points_away = true;
    for (int k = 0; k < grid.dimensions(); ++k) {
      const auto index = static_cast<std::size_t>(k);
      if (!grid.periodic(k)) points_away = points_away && (grid.coordinates()[index] > 0) == (offset[index] < 0);
    }
    if (points_away && middle.relative_rank(offset) == kNoRank)
      some.add(offset, targets.weights()[static_cast<std::size_t>(i)]);
  }
  return some;
}

std::optional<std::string> difference(const Grid& grid, const Neighborhood& common, const GraphLists& lists) {
  auto found = difference(common, sorted(common, &grid), lists.targets, sorted(lists.targets), "targets at");
  if (!found)
    found =
        difference(common, sorted(common, &grid, -1), lists.sources, sorted(lists.sources), "sources that reach it by");
  return found;
}

GraphOrder order_in(const Grid& grid, const Neighborhood& common, const GraphLists& lists) {
  const auto places = [&](const Neighborhood& list, int sign) {
    const std::vector<int> wanted = sorted(common, &grid, sign);
    const std::vector<int> found = sorted(list);
    std::vector<int> order(static_cast<std::size_t>(common.size()), -1);
    for (std::size_t i = 0; i < wanted.size(); ++i) order[static_cast<std::size_t>(wanted[i])] = found[i];
    return order;
  };
  return {places(lists.sources, -1), places(lists.targets, 1)};
}

}  // namespace rondo::internal
