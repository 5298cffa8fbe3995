#include "collectives/cart_allgather/algorithms.hpp"

#include "collectives/carriers/carried_plans.hpp"
#include "collectives/paths/allgather_search.hpp"
#include "collectives/paths/dimension_order.hpp"
#include "collectives/paths/projections.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace rondo::internal::allgather {
namespace {

using Plans = std::vector<Plan>;

std::string describe(std::span<const int> vector) {
  std::string text;
  for (const int coordinate : vector) text += (text.empty() ? "(" : ", ") + std::to_string(coordinate);
  return text + ")";
}

Plans direct(const Problem& problem) {
  return {{"direct", problem.uniform ? predict_direct(problem) : Prediction{}, build_direct}};
}

Plan along(const Problem& problem, std::string name, std::shared_ptr<const Tree> tree) {
  const Prediction prediction = problem.uniform ? predict_combining(problem, *tree) : Prediction{};
  return {std::move(name), prediction, [tree = std::move(tree)](const Problem& it, ScheduleBuilder& builder) {
            build_combining(it, *tree, builder);
          }};
}

/// Returns the tree of an expansion of the problem's distinct neighbors.
std::shared_ptr<const Tree> tree_of(const Problem& problem, const PathExpansion& expansion) {
  return std::make_shared<const Tree>(problem.grid, problem.facts.folded(), expansion);
}

Plan along(const Problem& problem, const PathExpansion& expansion) {
  return along(problem, expansion.name(), tree_of(problem, expansion));
}

PathExpansion expand_in_order(const Problem& problem, std::span<const int> order, std::string name) {
  std::vector<PathPart> parts;
  for (const int k : order) parts.push_back({{k}, 0, std::nullopt});
  return expand_in_parts(problem.grid, problem.facts.distinct(), parts, std::move(name));
}

/// Returns all dimensions in ascending order.
std::vector<int> all_dimensions(const Problem& problem) {
  std::vector<int> all(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Returns the plan that sends the block once to each distinct process, in a tree without blocks that pass through.
Plans coalesced(const Problem& problem) {
  const std::vector<PathPart> together{{all_dimensions(problem), 0, std::nullopt}};
  return {along(problem, expand_in_parts(problem.grid, problem.facts.distinct(), together, "coalesced"))};
}

/// Number of starts that a schedule is assumed to have: a search pays if it saves more than it takes in that many
/// starts. All ranks know the inputs of this decision alike.
constexpr double kStarts = 100;

/// Returns whether the search for the best order of dimensions is expected to save more time in kStarts starts than it
/// takes. At most, the search can save the edges that `tree` has beyond its distinct ends: no tree has fewer edges.
bool search_pays(const DimensionOrderSearch& search, const Tree& tree, const Prediction& prediction) {
  if (tree.edges() == tree.distinct_ends()) return false;
  const double spare = 1.0 - static_cast<double>(tree.distinct_ends()) / static_cast<double>(tree.edges());
  return search.expected_nanoseconds() < kStarts * spare * prediction.nanoseconds;
}

/// Returns the plans of section 3.2 (dimensions in order of increasing C_k) and section 3.4 (best order, if it pays).
Plans combining(const Problem& problem) {
  const auto& search = problem.facts.get<DimensionOrderSearch>();
  const auto increasing = tree_of(problem, expand_in_order(problem, search.increasing(), "combining"));
  Plans plans{along(problem, "combining", increasing)};
  if (!search_pays(search, *increasing, plans.front().prediction)) return plans;
  const auto& best = problem.facts.get<BestDimensionOrder>();
  if (best.edges < increasing->edges())
    plans.push_back(along(problem, expand_in_order(problem, best.order, "combining, best order")));
  return plans;
}

/// Estimates the nanoseconds that it takes to send each distinct neighbor its block once, in `phases` phases and
/// `rounds` rounds of equal length.
double estimate(const Problem& problem, std::size_t phases, std::size_t rounds) {
  const auto blocks = static_cast<std::int64_t>((problem.facts.distinct().size() + rounds - 1) / rounds);
  const std::int64_t bytes = blocks * largest_block(problem);
  Prediction waits;
  for (std::size_t phase = 0; phase < phases; ++phase) problem.costs.add_phase(waits);
  Prediction message;
  problem.costs.add_message(message, blocks, bytes, SentData::warm);
  if (blocks > 1) problem.costs.add_copies(message, 2 * blocks, 2 * bytes);
  return waits.nanoseconds + static_cast<double>(rounds) * message.nanoseconds;
}

/// Returns plans for the best ordered partitions of the dimensions that the other algorithms do not cover, or none if
/// the search does not pay. At best, one message with all blocks is as good as any schedule.
Plans best_expansions(const Problem& problem) {
  const FoldedNeighborhood& distinct = problem.facts.distinct();
  const std::int64_t bytes = largest_block(problem);
  const auto& by_dimension = problem.facts.get<DimensionOrderSearch>();
  if (by_dimension.rounds() < 2 || bytes == 0) return {};
  const double most_saved =
      std::min(estimate(problem, 1, distinct.size()), estimate(problem, by_dimension.phases(), by_dimension.rounds())) -
      estimate(problem, 1, 1);
  if (expected_search_nanoseconds(problem.grid, distinct) >= kStarts * most_saved) return {};

  const FoundPaths found = search_allgather_paths(problem.grid, distinct, bytes, problem.costs, problem.near);
  const auto several = [](const PathPart& part) { return part.dimensions.size() > 1; };
  const auto in_digits = [](const PathPart& part) { return part.radix != 0; };
  Plans plans;
  if (found.groups.size() > 1 && std::ranges::any_of(found.groups, several))
    plans.push_back(along(problem, expand_in_parts(problem.grid, distinct, found.groups, describe(found.groups))));
  if (std::ranges::any_of(found.mixtures, in_digits))
    plans.push_back(along(problem, expand_in_parts(problem.grid, distinct, found.mixtures, describe(found.mixtures))));
  return plans;
}

/// Returns the plan along the parts of the alltoall algorithm "logarithmic", which depend on the offsets only.
Plans logarithmic(const Problem& problem) {
  const std::vector<PathPart> parts = problem.facts.get<Projections>().logarithmic();
  return {along(problem, expand_in_parts(problem.grid, problem.facts.distinct(), parts, "logarithmic"))};
}

/// Returns the plan of EuroMPI 2015, section 5.2.
Plans through_neighbors(const Problem& problem) {
  return {
      along(problem, "neighbors", tree_of(problem, expand_through_neighbors(problem.grid, problem.facts.distinct())))};
}

/// Returns the plans of EuroMPI 2015, section 5.3: if the offsets are multiples of one vector, logarithmically many
/// rounds around their ring. Otherwise a request for "ring" gets the logarithmic algorithm for each dimension, which
/// `auto` knows already and therefore never chooses under this name.
Plans ring(const Problem& problem) {
  Plans plans;
  for (const LinearEmbedding& embedding : problem.facts.get<LinearEmbeddings>().found) {
    std::string name = "ring of multiples of " + describe(embedding.vector);
    const std::vector<PathPart> parts{{all_dimensions(problem), 2, embedding}};
    plans.push_back(along(problem, expand_in_parts(problem.grid, problem.facts.distinct(), parts, std::move(name))));
  }
  if (!plans.empty()) return plans;
  Prediction never;
  never.nanoseconds = std::numeric_limits<double>::infinity();
  return {{"logarithmic, as offsets are not on a ring", never,
           [](const Problem& it, ScheduleBuilder& builder) { logarithmic(it).front().build(it, builder); }}};
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"coalesced", false, coalesced},
    Algorithm{"combining", true, combining},
    Algorithm{"expansions", true, best_expansions},
    Algorithm{"logarithmic", true, logarithmic},
    Algorithm{"neighbors", true, through_neighbors},
    Algorithm{"ring", true, ring},
    Algorithm{"node-aware", true, node_aware},
};

// A process must know the size of every block that passes through it.
constexpr Registry<Problem> kRegistry{"allgather", kAlgorithms, "coalesced", prefer_others};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo::internal::allgather
