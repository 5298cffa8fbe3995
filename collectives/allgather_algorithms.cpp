#include "collectives/allgather_algorithms.hpp"

#include "collectives/dimension_order.hpp"

#include <array>
#include <memory>

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

std::shared_ptr<const AllgatherTree> tree_of(const AllgatherProblem& problem, const PathExpansion& expansion) {
  return std::make_shared<const AllgatherTree>(problem.grid, problem.neighborhood, expansion);
}

/// Each distinct process gets the block once: the tree in which nothing passes through anybody.
Plans coalesced(const AllgatherProblem& problem) {
  return {along(problem, "coalesced", tree_of(problem, expand_directly(problem.grid, problem.neighborhood)))};
}

/// Whether the search for the best order of dimensions takes less time than a smaller tree can save. No tree has fewer
/// edges than distinct ends. A schedule is kept, and taken to be started so many times; all of this is known to all
/// ranks alike.
bool search_pays(const DimensionOrderSearch& search, const AllgatherTree& tree, const Prediction& prediction) {
  constexpr double kStarts = 100;
  if (tree.edges() == tree.distinct_ends()) return false;
  const double spare = 1.0 - static_cast<double>(tree.distinct_ends()) / static_cast<double>(tree.edges());
  return search.expected_nanoseconds() < kStarts * spare * prediction.nanoseconds;
}

/// Section 3.2: dimensions in order of increasing C_k; and section 3.4: in the best order.
Plans combining(const AllgatherProblem& problem) {
  const DimensionOrderSearch search(problem.grid, problem.neighborhood);
  const auto in_order = [&](std::span<const int> order) {
    return tree_of(problem, expand_by_dimension(problem.grid, problem.neighborhood, order));
  };
  const auto increasing = in_order(search.increasing());
  Plans plans{along(problem, "combining", increasing)};
  if (!search_pays(search, *increasing, plans.front().prediction)) return plans;
  const DimensionOrderSearch::Best best = search.best();
  if (best.edges < increasing->edges()) plans.push_back(along(problem, "combining, best order", in_order(best.order)));
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
