#include "collectives/cart_reduction/canonical.hpp"

#include "collectives/cart_reduction/digits.hpp"
#include "collectives/cart_reduction/order.hpp"
#include "collectives/topology/linear_embedding.hpp"

#include <span>
#include <utility>

namespace rondo::internal::reduction {
namespace {

/// Minimum number of distinct steps of a dimension whose offsets are tried in digits.
constexpr StepId kFewSteps = 3;

/// Returns the tree whose stages are those of the parts, one after the other.
Tree tree_of(const Grid& grid, std::span<const std::vector<ExpansionStage>> parts, Kind kind,
             std::span<const int> index) {
  std::vector<ExpansionStage> stages;
  for (const auto& part : parts) stages.insert(stages.end(), part.begin(), part.end());
  return {{"canonical", grid.dimensions(), std::move(stages)}, kind, index};
}

template <Kind kind>
struct CanonicalFact : Canonical {
  explicit CanonicalFact(const NeighborhoodFacts& facts) : Canonical(make_canonical(facts, kind)) {}
};

}  // namespace

const Canonical& canonical_of(const NeighborhoodFacts& facts, Kind kind) {
  if (kind == Kind::reduce) return facts.get<CanonicalFact<Kind::reduce>>();
  return facts.get<CanonicalFact<Kind::scatter_reduce>>();
}

Canonical make_canonical(const NeighborhoodFacts& facts, Kind kind) {
  const Grid& grid = facts.grid();
  const Neighborhood& neighborhood = facts.neighborhood();
  Neighborhood existing(grid.dimensions());
  std::vector<int> index;
  for (int i = 0; i < neighborhood.size(); ++i) {
    if (!grid.reaches(neighborhood[i])) continue;
    existing.add(neighborhood[i]);
    index.push_back(i);
  }

  const NeighborhoodFacts of_existing(grid, existing);
  const std::vector<int> order = combining_order(of_existing, kind);
  std::vector<std::vector<ExpansionStage>> parts;  // the stages of each dimension
  const PathExpansion by_dimension = expand_by_dimension(of_existing, order);
  for (const ExpansionStage& stage : by_dimension.stages()) parts.push_back({stage});
  Tree tree = tree_of(grid, parts, kind, index);
  const auto take_if_smaller = [&](std::vector<std::vector<ExpansionStage>> others) {
    Tree other = tree_of(grid, others, kind, index);
    if (other.volume() >= tree.volume()) return;
    tree = std::move(other);
    parts = std::move(others);
  };
  for (std::size_t place = 0; kind == Kind::reduce && place < order.size(); ++place) {
    if (by_dimension.steps(parts[place].front()) < kFewSteps) continue;
    const auto k = static_cast<std::size_t>(order[place]);
    std::vector<int> residues;
    for (int i = 0; i < existing.size(); ++i) residues.push_back(grid.residue(order[place], existing[i][k]));
    auto with_digits = parts;
    with_digits[place] = stages_of_digits(grid, along_dimension(grid, order[place], residues));
    take_if_smaller(std::move(with_digits));
  }
  if (kind == Kind::reduce) {
    for (const LinearEmbedding& found : of_existing.get<LinearEmbeddings>().found) {
      LinearEmbedding line{found.vector, {}};
      for (const std::uint32_t vector : of_existing.folded().vector_of())
        line.multiples.push_back(found.multiples[vector]);
      take_if_smaller({stages_of_digits(grid, line)});
    }
  }

  std::vector<std::size_t> ends;
  for (const auto& part : parts) ends.push_back((ends.empty() ? 0 : ends.back()) + part.size());
  Reach reach(tree, grid);
  return {std::move(tree), std::move(reach), std::move(ends)};
}

}  // namespace rondo::internal::reduction
