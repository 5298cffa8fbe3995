#include "collectives/alltoall_algorithms.hpp"

#include "collectives/routed_alltoall.hpp"

#include <array>
#include <memory>
#include <numeric>

namespace rondo {
namespace {

using Plans = std::vector<AlltoallPlan>;

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

Plans combining(const AlltoallProblem& problem) {
  std::vector<int> order(static_cast<std::size_t>(problem.grid.dimensions()));
  std::iota(order.begin(), order.end(), 0);  // the order does not matter (section 3.4)
  Plans plans;
  plans.push_back(along(problem, expand_by_dimension(problem.grid, problem.neighborhood, order), "combining"));
  return plans;
}

constexpr std::array kAlgorithms{
    AlltoallAlgorithm{"direct", false, true, direct},
    AlltoallAlgorithm{"coalesced", false, true, coalesced<Coalescing::always>},
    AlltoallAlgorithm{"coalesced where it pays", false, false, coalesced<Coalescing::where_it_pays>},
    AlltoallAlgorithm{"combining", true, true, combining},
};

// Sizes that differ from rank to rank allow only decisions between the two ends of a message.
constexpr Registry<AlltoallProblem> kRegistry{"alltoall", kAlgorithms, "coalesced where it pays"};

}  // namespace

const Registry<AlltoallProblem>& alltoall_registry() { return kRegistry; }

Chosen choose_alltoall(const AlltoallProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo
