#include "collectives/reduction_algorithms.hpp"

#include "collectives/tree_reduction.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace rondo {
namespace {

using Plans = std::vector<ReductionPlan>;

Plans walk(const ReductionProblem& problem, std::span<const std::size_t> ends, std::string name) {
  const auto kept = std::make_shared<const ReductionWalk>(walk_in_hops(*problem.canonical, problem.grid, ends));
  Prediction prediction;
  for (const ReductionHop& hop : *kept) predict_hop(problem, hop, prediction);
  return {{std::move(name), prediction,
           [kept](const ReductionProblem& it, ScheduleBuilder& builder) { build_tree_reduction(it, *kept, builder); }}};
}

/// EuroMPI 2015, section 5.1: every process combines all that comes from its sources. With all ports at once, no
/// message waits for another. Its hop has a node for every node of the tree, too many to be made only to be compared.
Plans direct(const ReductionProblem& problem) {
  const Prediction prediction = predict_single_hop(problem);
  return {{"direct", prediction, [](const ReductionProblem& it, ScheduleBuilder& builder) {
             if (it.ports > 0) builder.set_window(static_cast<std::uint32_t>(it.ports));
             build_tree_reduction(it, walk_in_hops(*it.canonical, it.grid, std::array{it.canonical->tree.stages()}),
                                  builder);
           }}};
}

/// ICPP 2019, section 3: dimension by dimension.
Plans combining(const ReductionProblem& problem) {
  return walk(problem, problem.canonical->dimension_ends, "combining");
}

/// Digit by digit, where a dimension's offsets are written in digits.
Plans logarithmic(const ReductionProblem& problem) {
  std::vector<std::size_t> ends(problem.canonical->tree.stages());
  std::iota(ends.begin(), ends.end(), std::size_t{1});
  return walk(problem, ends, "logarithmic");
}

/// The hops that are predicted to be cheapest together. As what a hop costs does not depend on the others, the best
/// ways to all boundaries follow from those to the ones before. A hop that costs twice what shorter ones do is made no
/// longer: it would have more and more to send.
Plans in_hops(const ReductionProblem& problem) {
  const ReductionTree& tree = problem.canonical->tree;
  const std::size_t boundaries = tree.stages() + 1;
  std::vector<double> least(boundaries, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> before(boundaries, 0);
  least.front() = 0;
  for (std::size_t to = 1; to < boundaries; ++to) {
    for (std::size_t from = to; from-- > 0;) {
      Prediction prediction;
      predict_hop(problem, ReductionHop(tree, problem.grid, from, to), prediction);
      if (prediction.nanoseconds > 2 * (least[to] - least[from])) break;
      const double cost = least[from] + prediction.nanoseconds;
      if (cost >= least[to]) continue;
      least[to] = cost;
      before[to] = from;
    }
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = boundaries - 1; end > 0; end = before[end]) ends.insert(ends.begin(), end);
  std::string name = "in hops of ";
  for (std::size_t hop = 0; hop < ends.size(); ++hop)
    name += (hop > 0 ? "+" : "") + std::to_string(ends[hop] - (hop > 0 ? ends[hop - 1] : 0));
  return walk(problem, ends, name + (boundaries == 2 ? " stage" : " stages"));
}

constexpr std::array kAlgorithms{
    ReductionAlgorithm{"direct", false, true, direct},
    ReductionAlgorithm{"combining", false, true, combining},
    ReductionAlgorithm{"logarithmic", false, true, logarithmic},
    ReductionAlgorithm{"in hops", false, false, in_hops},
};

constexpr Registry<ReductionProblem> kRegistry{"reductions", kAlgorithms, "direct"};

}  // namespace

const Registry<ReductionProblem>& reduction_registry() { return kRegistry; }

Chosen choose_reduction(const ReductionProblem& problem, std::string_view algorithm, Ordering ordering,
                        MessageForm form) {
  if (problem.canonical != nullptr) return choose(kRegistry, problem, algorithm, ordering, form);
  ReductionProblem with_tree = problem;
  with_tree.canonical =
      std::make_shared<const CanonicalReduction>(canonical_reduction(problem.grid, problem.neighborhood, problem.kind));
  return choose(kRegistry, with_tree, algorithm, ordering, form);
}

}  // namespace rondo
