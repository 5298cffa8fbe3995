#include "collectives/topology/process_mapping.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>

namespace rondo::internal {
namespace {

/// The distinct offsets of a neighborhood by residue, with the sums of their weights; without offsets of weight zero.
class Ties {
 public:
  Ties(const Grid& grid, const Neighborhood& hood, bool both_directions) : grid_(grid) {
    std::map<std::vector<int>, std::uint64_t> sums;
    for (int i = 0; i < hood.size(); ++i) {
      const int weight = hood.weights()[static_cast<std::size_t>(i)];
      if (weight == 0) continue;
      for (const int sign : {1, -1}) {
        if (sign < 0 && !both_directions) break;
        std::vector<int> offset;
        for (int k = 0; k < grid.dimensions(); ++k) {
          const std::int64_t steps = std::int64_t{sign} * hood[i][static_cast<std::size_t>(k)];
          const std::int64_t size = grid.sizes()[static_cast<std::size_t>(k)];
          // Beyond all edges is far enough: no place has such a neighbor.
          offset.push_back(
              static_cast<int>(grid.periodic(k) ? (steps % size + size) % size : std::clamp(steps, -size, size)));
        }
        sums[offset] += static_cast<std::uint64_t>(weight);
      }
    }
    for (auto& [offset, weight] : sums) {
      offsets_.insert(offsets_.end(), offset.begin(), offset.end());
      weights_.push_back(weight);
    }
  }

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] std::uint64_t weight(std::size_t i) const { return weights_[i]; }
  [[nodiscard]] int offset(std::size_t i, int k) const {
    return offsets_[i * grid_.sizes().size() + static_cast<std::size_t>(k)];
  }
  /// Calls `visit(place, weight)` for each existing neighbor of the place at `coordinates`.
  template <typename Visit>
  void for_each(const std::vector<int>& coordinates, Visit visit) const {
    for (std::size_t i = 0; i < size(); ++i) {
      int place = 0;
      for (int k = 0; k < grid_.dimensions() && place >= 0; ++k) {
        const auto index = static_cast<std::size_t>(k);
        const int extent = grid_.sizes()[index];
        int there = coordinates[index] + offset(i, k);
        if (grid_.periodic(k) && there >= extent) there -= extent;
        place = there < 0 || there >= extent ? -1 : place * extent + there;
      }
      if (place >= 0) visit(static_cast<std::size_t>(place), weight(i));
    }
  }

 private:
  const Grid& grid_;
  std::vector<int> offsets_;
  std::vector<std::uint64_t> weights_;
};

/// Moves on to the next place of a grid, in the order of ranks.
void advance(const Grid& grid, std::vector<int>& coordinates) {
  for (std::size_t k = coordinates.size(); k-- > 0;) {
    if (++coordinates[k] < grid.sizes()[k]) return;
    coordinates[k] = 0;
  }
}

std::uint64_t distance(const Grid& grid, const Ties& ties, std::span<const int> node_at) {
  std::uint64_t sum = 0;
  std::vector<int> coordinates(grid.sizes().size(), 0);
  for (const int node : node_at) {
    ties.for_each(coordinates, [&](std::size_t place, std::uint64_t weight) {
      if (node_at[place] != node) sum += weight;
    });
    advance(grid, coordinates);
  }
  return sum;
}

/// Weights of neighbors that are on another node. Compared by the load of the busiest, because an exchange takes as
/// long as they do: first of the ports of nodes, then of processes.
struct Between {
  std::uint64_t of_node = 0;     ///< of the node that sends and receives most
  std::uint64_t of_process = 0;  ///< of the process that sends and receives most
  std::uint64_t all = 0;

  friend auto operator<=>(const Between&, const Between&) = default;
};

/// Returns the weights of neighbors on different nodes: their sum, and the sums of the busiest node and of the
/// busiest process. `node_at`: for each place of the grid the number of its node, from 0 to `nodes` - 1.
Between between(const Grid& grid, const Ties& ties, std::span<const int> node_at, std::size_t nodes) {
  Between found;
  std::vector<std::uint64_t> of_node(nodes, 0);
  std::vector<std::uint64_t> of_process(node_at.size(), 0);
  std::vector<int> coordinates(grid.sizes().size(), 0);
  for (std::size_t from = 0; from < node_at.size(); ++from) {
    ties.for_each(coordinates, [&](std::size_t to, std::uint64_t weight) {
      if (node_at[to] == node_at[from]) return;
      found.all += weight;
      for (const std::size_t end : {from, to}) {
        of_process[end] += weight;
        of_node[static_cast<std::size_t>(node_at[end])] += weight;
      }
    });
    advance(grid, coordinates);
  }
  found.of_node = std::ranges::max(of_node);
  found.of_process = std::ranges::max(of_process);
  return found;
}

/// Returns the distance() of boxes of this shape, one for each node. The number of places that have a neighbor, and
/// that of places that have it in their box, are products over the dimensions.
std::uint64_t distance_of_boxes(const Grid& grid, const Ties& ties, const std::vector<int>& shape) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < ties.size(); ++i) {
    std::uint64_t have = 1;
    std::uint64_t inside = 1;
    for (int k = 0; k < grid.dimensions(); ++k) {
      const int size = grid.sizes()[static_cast<std::size_t>(k)];
      const int box = shape[static_cast<std::size_t>(k)];
      const int steps = ties.offset(i, k);
      int ahead = std::max(0, box - std::abs(steps));
      if (grid.periodic(k)) ahead += std::max(0, box - (size - steps));  // around the ring, into the same box
      have *= static_cast<std::uint64_t>(grid.periodic(k) ? size : std::max(0, size - std::abs(steps)));
      inside *= static_cast<std::uint64_t>(ahead) * static_cast<std::uint64_t>(size / box);
    }
    sum += ties.weight(i) * (have - inside);
  }
  return sum;
}

/// The shape of `count` places that fills the grid with the least distance.
struct Boxes {
  std::vector<int> shape;
  std::uint64_t distance;
};
std::optional<Boxes> best_boxes(const Grid& grid, const Ties& ties, int count) {
  std::optional<Boxes> best;
  std::vector<int> shape;
  const std::function<void(int)> choose = [&](int rest) {
    if (shape.size() == grid.sizes().size()) {
      if (rest != 1) return;
      const std::uint64_t found = distance_of_boxes(grid, ties, shape);
      if (!best || found < best->distance) best = {shape, found};
      return;
    }
    const int size = grid.sizes()[shape.size()];
    for (int side = 1; side <= std::min(size, rest); ++side) {
      if (size % side != 0 || rest % side != 0) continue;
      shape.push_back(side);
      choose(rest / side);
      shape.pop_back();
    }
  };
  choose(count);
  return best;
}

/// Returns the box of each place. Boxes are numbered in row-major order, like ranks.
std::vector<int> in_boxes(const Grid& grid, const std::vector<int>& shape) {
  std::vector<int> box_at;
  std::vector<int> coordinates(grid.sizes().size(), 0);
  for (int place = 0; place < grid.size(); ++place) {
    int box = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) box = box * (grid.sizes()[k] / shape[k]) + coordinates[k] / shape[k];
    box_at.push_back(box);
    advance(grid, coordinates);
  }
  return box_at;
}

/// Returns for each place the node that takes it, if one node grows after another. `counts`: numbers of processes on
/// each node.
std::vector<int> grown(const Grid& grid, const Neighborhood& hood, const std::vector<int>& counts) {
  const Ties ties(grid, hood, true);
  const auto places = static_cast<std::size_t>(grid.size());
  std::vector<int> node_at(places, -1);
  std::vector<std::uint64_t> gain(places, 0);
  std::size_t first_free = 0;
  for (std::size_t node = 0; node < counts.size(); ++node) {
    std::priority_queue<std::pair<std::uint64_t, std::ptrdiff_t>> frontier;  // by gain, then the lowest place
    std::vector<std::size_t> touched;
    for (int taken = 0; taken < counts[node]; ++taken) {
      while (node_at[first_free] >= 0) ++first_free;
      std::size_t chosen = first_free;
      for (; !frontier.empty(); frontier.pop()) {
        const auto [its_gain, negative] = frontier.top();
        const auto place = static_cast<std::size_t>(-negative);
        if (node_at[place] >= 0 || gain[place] != its_gain) continue;  // the place is taken, or has a newer gain
        chosen = place;
        break;
      }
      node_at[chosen] = static_cast<int>(node);
      std::vector<int> coordinates(grid.sizes().size());
      for (std::size_t k = coordinates.size(), rest = chosen; k-- > 0;) {
        const auto size = static_cast<std::size_t>(grid.sizes()[k]);
        coordinates[k] = static_cast<int>(rest % size);
        rest /= size;
      }
      ties.for_each(coordinates, [&](std::size_t place, std::uint64_t weight) {
        if (node_at[place] >= 0) return;
        gain[place] += weight;
        touched.push_back(place);
        frontier.emplace(gain[place], -static_cast<std::ptrdiff_t>(place));
      });
    }
    for (const std::size_t place : touched) gain[place] = 0;
  }
  return node_at;
}

}  // namespace

std::uint64_t weighted_distance(const Grid& grid, const Neighborhood& neighborhood, std::span<const int> node_at) {
  return distance(grid, Ties(grid, neighborhood, false), node_at);
}

ProcessMapping map_processes(const Grid& grid, const Neighborhood& neighborhood, std::span<const int> node_of_rank) {
  // Nodes are numbered by their lowest rank.
  std::map<int, std::size_t> numbers;
  std::vector<std::vector<int>> ranks;
  std::vector<int> node_at;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto [entry, fresh] = numbers.try_emplace(node_of_rank[rank], ranks.size());
    if (fresh) ranks.emplace_back();
    ranks[entry->second].push_back(static_cast<int>(rank));
    node_at.push_back(static_cast<int>(entry->second));
  }
  const Ties ties(grid, neighborhood, false);
  const Between before = between(grid, ties, node_at, ranks.size());
  ProcessMapping best{{}, before.all, before.all, before.of_node, before.of_node};
  if (before.all == 0) return best;

  Between least = before;
  const auto consider = [&](std::vector<int> places) {
    const Between found = between(grid, ties, places, ranks.size());
    if (found.all >= before.all || found >= least) return;
    least = found;
    node_at = std::move(places);
  };
  std::vector<int> counts;
  for (const auto& members : ranks) counts.push_back(static_cast<int>(members.size()));
  if (std::ranges::all_of(counts, [&](int count) { return count == counts[0]; })) {
    if (const auto boxes = best_boxes(grid, ties, counts[0])) consider(in_boxes(grid, boxes->shape));
  }
  consider(grown(grid, neighborhood, counts));
  if (least == before) return best;

  best.after = least.all;
  best.busiest_after = least.of_node;
  best.place_of.resize(node_of_rank.size());
  std::vector<std::size_t> next(ranks.size(), 0);
  for (std::size_t place = 0; place < node_at.size(); ++place) {
    const auto node = static_cast<std::size_t>(node_at[place]);
    best.place_of[static_cast<std::size_t>(ranks[node][next[node]++])] = static_cast<int>(place);
  }
  return best;
}

}  // namespace rondo::internal
