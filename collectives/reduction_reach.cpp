#include "collectives/reduction_reach.hpp"

#include <algorithm>
#include <utility>

namespace rondo {

ReductionReach::ReductionReach(const ReductionTree& tree, const Grid& grid) {
  for (int k = 0; k < grid.dimensions(); ++k) {
    if (grid.periodic(k)) continue;
    open_.push_back(static_cast<std::size_t>(k));
    sizes_.push_back(grid.sizes()[static_cast<std::size_t>(k)]);
  }
  if (open_.empty()) return;

  using List = std::vector<std::vector<int>>;
  const std::vector<int> nowhere(open_.size());
  const auto steps_further = [&](std::size_t stage, StepId step, std::span<const int> displacement) {
    std::vector<int> further(displacement.begin(), displacement.end());
    if (step == kStays) return further;
    const auto taken = tree.expansion().step(tree.expansion().stages()[stage], step);
    for (std::size_t k = 0; k < open_.size(); ++k) further[k] += taken[open_[k]];
    return further;
  };
  const auto for_each = [&](const Displacements& all, ValueId value, auto visit) {
    for (std::size_t at = all.first[value]; at < all.first[value + 1]; ++at)
      visit(std::span(all.steps).subspan(at * open_.size(), open_.size()));
  };

  sources_.resize(tree.stages() + 1);
  for (ValueId value = 0; value < tree.values(0); ++value) {
    List here{nowhere};
    add_distinct(sources_[0], here);
  }
  for (std::size_t s = 0; s < tree.stages(); ++s) {
    for (ValueId value = 0; value < tree.values(s + 1); ++value) {
      List list;
      for (const ReductionTerm& term : tree.terms(s + 1, value)) {
        for_each(sources_[s], term.value,
                 [&](std::span<const int> source) { list.push_back(steps_further(s, term.step, source)); });
      }
      add_distinct(sources_[s + 1], list);
    }
  }

  results_.resize(tree.stages() + 1);
  for (std::size_t s = tree.stages() + 1; s-- > 0;) {
    std::vector<List> lists(tree.values(s));
    if (s == tree.stages()) {
      for (List& list : lists) list.push_back(nowhere);
    } else {
      for (ValueId value = 0; value < tree.values(s + 1); ++value) {
        for (const ReductionTerm& term : tree.terms(s + 1, value)) {
          for_each(results_[s + 1], value, [&](std::span<const int> result) {
            lists[term.value].push_back(steps_further(s, term.step, result));
          });
        }
      }
    }
    for (List& list : lists) add_distinct(results_[s], list);
  }
}

void ReductionReach::add_distinct(Displacements& all, std::vector<std::vector<int>>& displacements) const {
  std::ranges::sort(displacements);
  displacements.erase(std::unique(displacements.begin(), displacements.end()), displacements.end());
  for (const auto& displacement : displacements)
    all.steps.insert(all.steps.end(), displacement.begin(), displacement.end());
  all.first.push_back(all.steps.size() / open_.size());
}

bool ReductionReach::reaches(const Displacements& all, ValueId value, std::span<const int> coordinates,
                             int sign) const {
  for (std::size_t at = all.first[value]; at < all.first[value + 1]; ++at) {
    bool on_grid = true;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const std::int64_t step = all.steps[at * open_.size() + k];
      const std::int64_t coordinate = coordinates[open_[k]] + sign * step;
      on_grid = on_grid && coordinate >= 0 && coordinate < sizes_[k];
    }
    if (on_grid) return true;
  }
  return false;
}

}  // namespace rondo
