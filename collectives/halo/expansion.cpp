#include "collectives/halo/expansion.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

namespace rondo::internal::halo {
namespace {

bool has_halo(const Shape& shape, int axis) { return shape[axis].low > 0 || shape[axis].high > 0; }

/// Returns whether a process is its own neighbor along a dimension.
bool is_own_neighbor(const Grid& grid, int k) { return grid.residue(k, 1) == 0; }

/// Returns whether no process has a neighbor along a dimension.
bool leads_nowhere(const Grid& grid, int k) {
  return !grid.periodic(k) && grid.sizes()[static_cast<std::size_t>(k)] == 1;
}

/// Returns the directions that move along some axes of a stage: 3^n - 1 for n axes with both sides. Faces, which are
/// long, come first.
std::vector<std::vector<int>> steps_along(const Grid& grid, const Shape& shape, std::span<const int> stage) {
  std::vector<std::vector<int>> steps{std::vector<int>(static_cast<std::size_t>(grid.dimensions()))};
  for (const int axis : stage) {
    const auto k = static_cast<std::size_t>(axis);
    std::vector<std::vector<int>> longer;
    for (std::vector<int>& step : steps) {
      for (const int direction : {-1, 0, 1}) {
        if ((direction < 0 && shape[axis].low == 0) || (direction > 0 && shape[axis].high == 0)) continue;
        step[k] = direction;
        longer.push_back(step);
      }
    }
    steps = std::move(longer);
  }
  std::erase_if(steps, [](const std::vector<int>& step) { return std::ranges::count(step, 0) == std::ssize(step); });
  std::ranges::stable_sort(steps, std::ranges::greater(),
                           [](const std::vector<int>& step) { return std::ranges::count(step, 0); });
  return steps;
}

class Planner {
 public:
  Planner(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages)
      : grid_(grid), shape_(shape), stages_(stages.begin(), stages.end()), exchanged_(stages_.size()) {
    std::vector<int> copied;
    for (int k = 0; k < grid.dimensions(); ++k) {
      if (has_halo(shape, k) && is_own_neighbor(grid, k)) copied.push_back(k);
    }
    for (const int axis : copied) stages_.push_back({axis});
  }

  [[nodiscard]] std::vector<Round> by_stage() const {
    std::vector<Round> rounds;
    for (std::size_t stage = 0; stage < exchanged_; ++stage) add_slabs(stage, static_cast<int>(stage), rounds);
    add_copies(static_cast<int>(exchanged_), rounds);
    return rounds;
  }

  [[nodiscard]] std::vector<Round> by_hops() const {
    std::vector<Round> rounds;
    for (std::size_t hops = 1; hops <= exchanged_; ++hops) {
      for (std::size_t stage = hops - 1; stage < exchanged_; ++stage) {
        for (std::vector<int>& step : steps_along(grid_, shape_, stages_[stage])) {
          Part part{std::move(step), {}};
          add_zones(stage, hops - 1, zone_of(part.step), part.zones);
          rounds.push_back({static_cast<int>(hops) - 1, {std::move(part)}});
        }
      }
    }
    add_copies(static_cast<int>(exchanged_), rounds);
    return rounds;
  }

 private:
  [[nodiscard]] Zone zone_of(std::span<const int> step) const {
    Zone zone(static_cast<std::size_t>(shape_.axes()), kInside);
    std::ranges::transform(step, zone.begin(), side_towards);
    return zone;
  }

  /// Adds a stage's rounds: all elements in its steps, anywhere along the axes of earlier stages.
  void add_slabs(std::size_t stage, int phase, std::vector<Round>& rounds) const {
    for (std::vector<int>& step : steps_along(grid_, shape_, stages_[stage])) {
      Zone zone = zone_of(step);
      for (std::size_t earlier = 0; earlier < stage; ++earlier) {
        for (const int axis : stages_[earlier]) zone[static_cast<std::size_t>(axis)] = kAnywhere;
      }
      rounds.push_back({phase, {Part{std::move(step), {std::move(zone)}}}});
    }
  }

  void add_copies(int phase, std::vector<Round>& rounds) const {
    for (std::size_t stage = exchanged_; stage < stages_.size(); ++stage) add_slabs(stage, phase++, rounds);
  }

  /// Adds the zones that lie in `zone` and move along `hops` of the stages before `stage`.
  void add_zones(std::size_t stage, std::size_t hops, const Zone& zone, std::vector<Zone>& zones) const {
    if (hops == 0) {
      zones.push_back(zone);
      return;
    }
    if (stage < hops) return;
    const std::vector<int>& before = stages_[stage - 1];
    add_zones(stage - 1, hops, zone, zones);
    if (before.size() == 1) {
      Zone moved = zone;
      moved[static_cast<std::size_t>(before.front())] = kLow | kHigh;
      add_zones(stage - 1, hops - 1, moved, zones);
      return;
    }
    for (const std::vector<int>& step : steps_along(grid_, shape_, before)) {
      Zone moved = zone;
      for (const int axis : before)
        moved[static_cast<std::size_t>(axis)] = side_towards(step[static_cast<std::size_t>(axis)]);
      add_zones(stage - 1, hops - 1, moved, zones);
    }
  }

  const Grid& grid_;
  const Shape& shape_;
  std::vector<std::vector<int>> stages_;
  std::size_t exchanged_;  ///< number of stages before those that are copied
};

/// Joins those rounds of a phase that lead from every process to the same process, and returns the resulting rounds.
std::vector<Round> coalesced(const Grid& grid, std::vector<Round> rounds) {
  std::map<std::pair<int, std::vector<int>>, std::size_t> place_of;
  std::vector<Round> made;
  for (Round& round : rounds) {
    std::vector<int> residues;
    for (int k = 0; k < grid.dimensions(); ++k)
      residues.push_back(grid.residue(k, round.parts.front().step[static_cast<std::size_t>(k)]));
    const auto [entry, added] = place_of.try_emplace({round.phase, std::move(residues)}, made.size());
    if (added)
      made.push_back(std::move(round));
    else
      std::ranges::move(round.parts, std::back_inserter(made[entry->second].parts));
  }
  return made;
}

}  // namespace

bool leads_to_self(const Grid& grid, std::span<const int> step) {
  for (int k = 0; k < grid.dimensions(); ++k) {
    if (grid.residue(k, step[static_cast<std::size_t>(k)]) != 0) return false;
  }
  return true;
}

std::vector<int> exchanged_axes(const Grid& grid, const Shape& shape) {
  std::vector<int> axes(shape.slowest_first().rbegin(), shape.slowest_first().rend());
  std::erase_if(axes, [&](int axis) {
    return axis >= grid.dimensions() || !has_halo(shape, axis) || is_own_neighbor(grid, axis) ||
           leads_nowhere(grid, axis);
  });
  return axes;
}

Expansion expand(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages, Timing timing,
                 Messages messages) {
  const Planner planner(grid, shape, stages);
  Expansion expansion{{}, timing == Timing::by_stage ? planner.by_stage() : planner.by_hops()};
  if (messages == Messages::coalesced) expansion.rounds = coalesced(grid, std::move(expansion.rounds));
  return expansion;
}

}  // namespace rondo::internal::halo
