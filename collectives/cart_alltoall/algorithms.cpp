#include "collectives/cart_alltoall/algorithms.hpp"

#include "collectives/carriers/carried_plans.hpp"
#include "collectives/cart_alltoall/ring.hpp"
#include "collectives/cart_alltoall/routed.hpp"
#include "collectives/paths/expansion_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace rondo::internal::alltoall {
namespace {

using Plans = std::vector<Plan>;

std::string describe(std::span<const int> vector) {
  std::string text;
  for (const int coordinate : vector) text += (text.empty() ? "(" : ", ") + std::to_string(coordinate);
  return text + ")";
}

/// Returns predict(problem) if the problem is uniform, otherwise an empty prediction: predictions that differ between
/// ranks are of no use.
Prediction where_uniform(const Problem& problem, Prediction (*predict)(const Problem&)) {
  return problem.uniform ? predict(problem) : Prediction{};
}

Plans direct(const Problem& problem) { return {{"direct", where_uniform(problem, predict_direct), build_direct}}; }

template <Coalescing coalescing>
Plans coalesced(const Problem& problem) {
  return {{coalescing == Coalescing::always ? "coalesced" : "coalesced-where-it-pays",
           where_uniform(problem, [](const Problem& it) { return predict_coalesced(it, coalescing); }),
           [](const Problem& it, ScheduleBuilder& builder) { build_coalesced(it, builder, coalescing); }}};
}

PathSearch search_of(const Problem& problem) {
  return {problem.facts, travelling_bytes(problem), problem.costs, problem.near};
}

/// Returns the plan of the alltoall along the paths of the given parts. Only building it makes the expansion; the
/// prediction needs only the parts.
Plan along(const PathSearch& search, std::vector<PathPart> parts, std::string name) {
  const Prediction prediction = search.predict(parts);
  return {std::move(name), prediction, [parts = std::move(parts)](const Problem& problem, ScheduleBuilder& builder) {
            build_routed(problem, problem.facts.get<Projections>().expand(parts), builder);
          }};
}

Plans combining(const Problem& problem) {
  return {along(search_of(problem), problem.facts.get<Projections>().dimension_wise(), "combining")};
}

/// Returns plans for the best partitions of the dimensions that the other algorithms do not cover.
Plans best_expansions(const Problem& problem) {
  PathSearch search = search_of(problem);
  Plans plans;
  std::vector<PathPart> groups = search.best_groups();
  if (groups.size() != 1 && groups.size() != static_cast<std::size_t>(problem.grid.dimensions())) {
    const std::string name = describe(groups);
    plans.push_back(along(search, std::move(groups), name));
  }
  std::vector<PathPart> mixture = search.best_mixture();
  if (std::ranges::any_of(mixture, [](const PathPart& part) { return part.radix != 0; })) {
    const std::string name = describe(mixture);
    plans.push_back(along(search, std::move(mixture), name));
  }
  return plans;
}

Plans logarithmic(const Problem& problem) {
  return {along(search_of(problem), problem.facts.get<Projections>().logarithmic(), "logarithmic")};
}

Plans through_processes_that_are_neighbors(const Problem& problem) {
  return {
      {"neighbors", search_of(problem).predict_through_neighbors(), [](const Problem& it, ScheduleBuilder& builder) {
         build_routed(it, expand_through_neighbors(it.grid, it.facts.folded()), builder);
       }}};
}

/// Returns the plans of the third algorithm of EuroMPI 2015: around the ring of the offsets if they are linearly
/// embedded, otherwise around the ring of all processes.
Plans ring(const Problem& problem) {
  const PathSearch search = search_of(problem);
  std::vector<int> all(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  Plans plans;
  for (const LinearEmbedding& embedding : problem.facts.get<LinearEmbeddings>().found)
    plans.push_back(along(search, {PathPart{all, 2, embedding}}, "ring of multiples of " + describe(embedding.vector)));
  if (plans.empty()) plans.push_back({"ring of all processes", predict_ring(problem), build_ring});
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"coalesced", false, coalesced<Coalescing::always>},
    Algorithm{"coalesced-where-it-pays", false, coalesced<Coalescing::where_it_pays>},
    Algorithm{"combining", true, combining},
    Algorithm{"expansions", true, best_expansions},
    Algorithm{"logarithmic", true, logarithmic},
    Algorithm{"neighbors", true, through_processes_that_are_neighbors},
    Algorithm{"ring", true, ring},
    Algorithm{"node-aware", true, node_aware},
};

// Sizes that differ from rank to rank allow only decisions between the two ends of a message.
constexpr Registry<Problem> kRegistry{"alltoall", kAlgorithms, "coalesced-where-it-pays", prefer_others};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo::internal::alltoall
