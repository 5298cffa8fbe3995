#include "collectives/alltoall/algorithms.hpp"

#include "collectives/alltoall/ring.hpp"
#include "collectives/alltoall/routed.hpp"
#include "collectives/paths/expansion_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace rondo::internal::alltoall {
namespace {

using Plans = std::vector<Plan>;

std::string describe(std::span<const int> vector) {
  std::string text;
  for (const int coordinate : vector) text += (text.empty() ? "(" : ", ") + std::to_string(coordinate);
  return text + ")";
}

/// Predictions are of use only where all ranks make the same.
Prediction where_uniform(const Problem& problem, Prediction (*predict)(const Problem&)) {
  return problem.uniform ? predict(problem) : Prediction{};
}

Plans direct(const Problem& problem) { return {{"direct", where_uniform(problem, predict_direct), build_direct}}; }

template <Coalescing coalescing>
Plans coalesced(const Problem& problem) {
  return {{coalescing == Coalescing::always ? "coalesced" : "coalesced where it pays",
           where_uniform(problem, [](const Problem& it) { return predict_coalesced(it, coalescing); }),
           [](const Problem& it, ScheduleBuilder& builder) { build_coalesced(it, builder, coalescing); }}};
}

/// The search at hand, or a new one.
class Paths {
 public:
  explicit Paths(const Problem& problem) : known_(problem.paths) {
    if (known_ == nullptr) own_.emplace(problem.grid, problem.neighborhood, travelling_bytes(problem), problem.costs);
  }
  PathSearch* operator->() { return own_ ? &*own_ : known_; }

 private:
  PathSearch* known_;
  std::optional<PathSearch> own_;
};

/// An expansion is made when it is chosen; its parts and what they cost are found without one.
Plan along(Paths& paths, std::vector<PathPart> parts, std::string name) {
  const Prediction prediction = paths->predict(parts);
  return {std::move(name), prediction, [parts = std::move(parts)](const Problem& problem, ScheduleBuilder& builder) {
            Paths found(problem);
            build_routed(problem, found->expand(parts), builder);
          }};
}

Plans combining(const Problem& problem) {
  Paths paths(problem);
  return {along(paths, paths->dimension_wise(), "combining")};
}

/// The best partitions of the dimensions, where they are not among the other algorithms.
Plans best_expansions(const Problem& problem) {
  Paths paths(problem);
  Plans plans;
  std::vector<PathPart> groups = paths->best_groups();
  if (groups.size() != 1 && groups.size() != static_cast<std::size_t>(problem.grid.dimensions())) {
    const std::string name = describe(groups);
    plans.push_back(along(paths, std::move(groups), name));
  }
  std::vector<PathPart> mixture = paths->best_mixture();
  if (std::ranges::any_of(mixture, [](const PathPart& part) { return part.radix != 0; })) {
    const std::string name = describe(mixture);
    plans.push_back(along(paths, std::move(mixture), name));
  }
  return plans;
}

Plans logarithmic(const Problem& problem) {
  Paths paths(problem);
  return {along(paths, paths->logarithmic(), "logarithmic")};
}

Plans through_processes_that_are_neighbors(const Problem& problem) {
  Paths paths(problem);
  return {{"neighbors", paths->predict_through_neighbors(), [](const Problem& it, ScheduleBuilder& builder) {
             const ProblemVectors vectors(it);
             build_routed(it, expand_through_neighbors(it.grid, *vectors), builder);
           }}};
}

/// The third algorithm of EuroMPI 2015: around the ring of the offsets, where they are linearly embedded, or else
/// around that of all processes.
Plans ring(const Problem& problem) {
  Paths paths(problem);
  std::vector<int> all(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  Plans plans;
  for (LinearEmbedding& embedding : linear_embeddings(problem.grid, paths->neighborhood())) {
    const std::string name = "ring of multiples of " + describe(embedding.vector);
    plans.push_back(along(paths, {PathPart{all, 2, std::move(embedding)}}, name));
  }
  if (plans.empty()) plans.push_back({"ring of all processes", predict_ring(problem), build_ring});
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, true, direct},
    Algorithm{"coalesced", false, true, coalesced<Coalescing::always>},
    Algorithm{"coalesced where it pays", false, false, coalesced<Coalescing::where_it_pays>},
    Algorithm{"combining", true, true, combining},
    Algorithm{"best expansions", true, false, best_expansions},
    Algorithm{"logarithmic", true, true, logarithmic},
    Algorithm{"neighbors", true, true, through_processes_that_are_neighbors},
    Algorithm{"ring", true, true, ring},
};

// Sizes that differ from rank to rank allow only decisions between the two ends of a message.
constexpr Registry<Problem> kRegistry{"alltoall", kAlgorithms, "coalesced where it pays"};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  const auto row = std::ranges::find(kAlgorithms, name, &Algorithm::name);
  const bool along_paths = row == kAlgorithms.end() || row->needs_uniform;
  if (!problem.uniform || !along_paths) return choose(kRegistry, problem, name, ordering, form);
  PathSearch paths(problem.grid, problem.neighborhood, travelling_bytes(problem), problem.costs);
  Problem with_paths = problem;
  with_paths.paths = &paths;
  return choose(kRegistry, with_paths, name, ordering, form);
}

}  // namespace rondo::internal::alltoall
