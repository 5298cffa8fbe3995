#include "collectives/allgather_algorithms.hpp"

#include "collectives/dimension_order.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace rondo {
namespace {

using Plans = std::vector<AllgatherPlan>;

Plans direct(const AllgatherProblem& problem) {
  return {{"direct", problem.uniform ? predict_direct_allgather(problem) : Prediction{}, build_direct_allgather}};
}

AllgatherPlan along(const AllgatherProblem& problem, std::string name, std::shared_ptr<const AllgatherTree> tree) {
  const Prediction prediction = problem.uniform ? predict_combining_allgather(problem, *tree) : Prediction{};
  return {std::move(name), prediction, [tree = std::move(tree)](const AllgatherProblem& it, ScheduleBuilder& builder) {
            build_combining_allgather(it, *tree, builder);
          }};
}

/// `expansion`: of the distinct neighbors.
std::shared_ptr<const AllgatherTree> tree_of(const AllgatherProblem& problem, const PathExpansion& expansion) {
  return std::make_shared<const AllgatherTree>(problem.grid, problem.folded().neighborhood, expansion);
}

AllgatherPlan along(const AllgatherProblem& problem, const PathExpansion& expansion) {
  return along(problem, expansion.name(), tree_of(problem, expansion));
}

PathExpansion expand_in_order(const AllgatherProblem& problem, std::span<const int> order, std::string name) {
  std::vector<PathPart> parts;
  for (const int k : order) parts.push_back({{k}, 0, std::nullopt});
  return expand_in_parts(problem.grid, problem.folded().distinct, parts, std::move(name));
}

/// All dimensions in ascending order.
std::vector<int> all_dimensions(const AllgatherProblem& problem) {
  std::vector<int> all(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Each distinct process gets the block once: the tree in which nothing passes through anybody.
Plans coalesced(const AllgatherProblem& problem) {
  const std::vector<PathPart> together{{all_dimensions(problem), 0, std::nullopt}};
  return {along(problem, expand_in_parts(problem.grid, problem.folded().distinct, together, "coalesced"))};
}

/// How often a schedule is taken to be started: a search that saves more than it takes in so many starts pays. All of
/// what this is decided from is known to all ranks alike.
constexpr double kStarts = 100;

/// Whether the search for the best order of dimensions pays. No tree has fewer edges than distinct ends.
bool search_pays(const DimensionOrderSearch& search, const AllgatherTree& tree, const Prediction& prediction) {
  if (tree.edges() == tree.distinct_ends()) return false;
  const double spare = 1.0 - static_cast<double>(tree.distinct_ends()) / static_cast<double>(tree.edges());
  return search.expected_nanoseconds() < kStarts * spare * prediction.nanoseconds;
}

/// Section 3.2: dimensions in order of increasing C_k; and section 3.4: in the best order.
Plans combining(const AllgatherProblem& problem) {
  const DimensionOrderSearch search(problem.grid, problem.folded().distinct);
  const auto increasing = tree_of(problem, expand_in_order(problem, search.increasing(), "combining"));
  Plans plans{along(problem, "combining", increasing)};
  if (!search_pays(search, *increasing, plans.front().prediction)) return plans;
  const DimensionOrderSearch::Best best = search.best();
  if (best.edges < increasing->edges())
    plans.push_back(along(problem, expand_in_order(problem, best.order, "combining, best order")));
  return plans;
}

constexpr std::array kAlgorithms{
    AllgatherAlgorithm{"direct", false, true, direct},
    AllgatherAlgorithm{"coalesced", false, true, coalesced},
    AllgatherAlgorithm{"combining", true, true, combining},
};

// A block that passes through a process must be known there by its size.
constexpr Registry<AllgatherProblem> kRegistry{"allgather", kAlgorithms, "coalesced"};

}  // namespace

const Registry<AllgatherProblem>& allgather_registry() { return kRegistry; }

Chosen choose_allgather(const AllgatherProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo
