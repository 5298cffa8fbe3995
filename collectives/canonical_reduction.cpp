#include "collectives/canonical_reduction.hpp"

#include "collectives/key_index.hpp"
#include "collectives/reduction_digits.hpp"
#include "collectives/reduction_order.hpp"

#include <utility>

namespace rondo {
namespace {

/// A dimension with fewer distinct steps has nothing to gain from digits.
constexpr StepId kFewSteps = 3;

}  // namespace

CanonicalReduction canonical_reduction(const Grid& grid, const Neighborhood& neighborhood, ReductionKind kind) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  Neighborhood existing(grid.dimensions());
  std::vector<int> index;
  for (int i = 0; i < neighborhood.size(); ++i) {
    if (!leads_anywhere(grid, neighborhood[i])) continue;
    existing.add(neighborhood[i]);
    index.push_back(i);
  }

  const std::vector<int> order = reduction_order(grid, existing, kind);
  std::vector<std::vector<ExpansionStage>> stages;  // of each dimension
  const PathExpansion by_dimension = expand_by_dimension(grid, existing, order);
  for (const ExpansionStage& stage : by_dimension.stages()) stages.push_back({stage});
  const auto tree_of = [&](const std::vector<std::vector<ExpansionStage>>& chosen) {
    std::vector<ExpansionStage> joined;
    for (const auto& of_dimension : chosen) joined.insert(joined.end(), of_dimension.begin(), of_dimension.end());
    return ReductionTree({"canonical", grid.dimensions(), std::move(joined)}, kind, index);
  };
  ReductionTree tree = tree_of(stages);
  for (std::size_t place = 0; kind == ReductionKind::reduce && place < d; ++place) {
    if (by_dimension.steps(stages[place].front()) < kFewSteps) continue;
    const auto k = static_cast<std::size_t>(order[place]);
    std::vector<int> residues;
    for (int i = 0; i < existing.size(); ++i) residues.push_back(grid.residue(order[place], existing[i][k]));
    auto with_digits = stages;
    with_digits[place] = stages_of_digits(grid, order[place], residues);
    ReductionTree other = tree_of(with_digits);
    if (other.volume() >= tree.volume()) continue;
    tree = std::move(other);
    stages = std::move(with_digits);
  }

  std::vector<std::size_t> ends;
  for (const auto& of_dimension : stages) ends.push_back((ends.empty() ? 0 : ends.back()) + of_dimension.size());
  ReductionReach reach(tree, grid);
  return {std::move(tree), std::move(reach), std::move(ends)};
}

}  // namespace rondo
