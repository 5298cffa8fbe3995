#include "collectives/alltoall_algorithms.hpp"

#include "collectives/expansion_search.hpp"
#include "collectives/ring_alltoall.hpp"
#include "collectives/routed_alltoall.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace rondo {
namespace {

using Plans = std::vector<AlltoallPlan>;

std::string describe(std::span<const int> vector) {
  std::string text;
  for (const int coordinate : vector) text += (text.empty() ? "(" : ", ") + std::to_string(coordinate);
  return text + ")";
}

/// Predictions are of use only where all ranks make the same.
Prediction where_uniform(const AlltoallProblem& problem, Prediction (*predict)(const AlltoallProblem&)) {
  return problem.uniform ? predict(problem) : Prediction{};
}

Plans direct(const AlltoallProblem& problem) {
  return {{"direct", where_uniform(problem, predict_direct_alltoall), build_direct_alltoall}};
}

template <Coalescing coalescing>
Plans coalesced(const AlltoallProblem& problem) {
  return {
      {coalescing == Coalescing::always ? "coalesced" : "coalesced where it pays",
       where_uniform(problem, [](const AlltoallProblem& it) { return predict_coalesced_alltoall(it, coalescing); }),
       [](const AlltoallProblem& it, ScheduleBuilder& builder) { build_coalesced_alltoall(it, builder, coalescing); }}};
}

AlltoallPlan along(const AlltoallProblem& problem, PathExpansion expansion, std::string name) {
  const auto kept = std::make_shared<const PathExpansion>(std::move(expansion));
  return {std::move(name), predict_routed_alltoall(problem, *kept),
          [kept](const AlltoallProblem& it, ScheduleBuilder& builder) { build_routed_alltoall(it, *kept, builder); }};
}

AlltoallPlan along(const AlltoallProblem& problem, const FoldedNeighborhood& folded, std::span<const PathPart> parts,
                   const std::string& name) {
  return along(problem, expand_in_parts(problem.grid, folded, parts, name), name);
}

Plans combining(const AlltoallProblem& problem) {
  std::vector<int> order(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(order.begin(), order.end(), 0);  // the order does not matter (section 3.4)
  return {along(problem, expand_by_dimension(problem.grid, problem.neighborhood, order), "combining")};
}

/// The best partitions of the dimensions, where they are not among the other algorithms.
Plans best_expansions(const AlltoallProblem& problem) {
  const FoldedNeighborhood folded(problem.grid, problem.neighborhood);
  const FoundPaths found = search_paths(problem.grid, folded, travelling_bytes(problem), problem.costs);
  const auto in_digits = [](const PathPart& part) { return part.radix != 0; };
  Plans plans;
  const std::size_t groups = found.groups.size();
  if (groups != 1 && groups != static_cast<std::size_t>(problem.grid.dimensions()))
    plans.push_back(along(problem, folded, found.groups, describe(found.groups)));
  if (std::ranges::any_of(found.mixtures, in_digits))
    plans.push_back(along(problem, folded, found.mixtures, describe(found.mixtures)));
  return plans;
}

Plans logarithmic(const AlltoallProblem& problem) {
  return {along(problem, expand_logarithmically(problem.grid, {problem.grid, problem.neighborhood}), "logarithmic")};
}

Plans through_neighbors(const AlltoallProblem& problem) {
  return {along(problem, expand_through_neighbors(problem.grid, {problem.grid, problem.neighborhood}), "neighbors")};
}

/// The third algorithm of EuroMPI 2015: around the ring of the offsets, where they are linearly embedded, or else
/// around that of all processes.
Plans ring(const AlltoallProblem& problem) {
  const FoldedNeighborhood folded(problem.grid, problem.neighborhood);
  std::vector<int> all(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  Plans plans;
  for (LinearEmbedding& embedding : linear_embeddings(problem.grid, folded)) {
    const std::string name = "ring of multiples of " + describe(embedding.vector);
    plans.push_back(along(problem, folded, std::vector{PathPart{all, 2, std::move(embedding)}}, name));
  }
  if (plans.empty()) plans.push_back({"ring of all processes", predict_ring_alltoall(problem), build_ring_alltoall});
  return plans;
}

constexpr std::array kAlgorithms{
    AlltoallAlgorithm{"direct", false, true, direct},
    AlltoallAlgorithm{"coalesced", false, true, coalesced<Coalescing::always>},
    AlltoallAlgorithm{"coalesced where it pays", false, false, coalesced<Coalescing::where_it_pays>},
    AlltoallAlgorithm{"combining", true, true, combining},
    AlltoallAlgorithm{"best expansions", true, false, best_expansions},
    AlltoallAlgorithm{"logarithmic", true, true, logarithmic},
    AlltoallAlgorithm{"neighbors", true, true, through_neighbors},
    AlltoallAlgorithm{"ring", true, true, ring},
};

// Sizes that differ from rank to rank allow only decisions between the two ends of a message.
constexpr Registry<AlltoallProblem> kRegistry{"alltoall", kAlgorithms, "coalesced where it pays"};

}  // namespace

const Registry<AlltoallProblem>& alltoall_registry() { return kRegistry; }

Chosen choose_alltoall(const AlltoallProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo
