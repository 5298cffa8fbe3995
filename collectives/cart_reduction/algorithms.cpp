#include "collectives/cart_reduction/algorithms.hpp"

#include "collectives/carriers/carried_plans.hpp"
#include "collectives/cart_reduction/along_tree.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace rondo::internal::reduction {
namespace {

using Plans = std::vector<Plan>;

Plans walk(const Problem& problem, std::span<const std::size_t> ends, std::string name) {
  const auto kept = std::make_shared<const Walk>(walk_in_hops(problem.canonical, problem.grid, ends));
  Prediction prediction;
  for (const Hop& hop : *kept) predict_hop(problem, hop, prediction);
  return {{std::move(name), prediction,
           [kept](const Problem& it, ScheduleBuilder& builder) { build_along_tree(it, *kept, builder); }}};
}

/// Returns the direct plan of EuroMPI 2015, section 5.1: every process combines all vectors of its sources. With all
/// ports at once, no message waits for another. The hop has all nodes of the tree; only building the plan makes it.
Plans direct(const Problem& problem) {
  const Prediction prediction = predict_single_hop(problem);
  return {{"direct", prediction, [](const Problem& it, ScheduleBuilder& builder) {
             if (it.ports > 0) builder.set_window(static_cast<std::uint32_t>(it.ports));
             build_along_tree(it, walk_in_hops(it.canonical, it.grid, std::array{it.canonical.tree.stages()}), builder);
           }}};
}

/// Returns the plan of ICPP 2019, section 3, with one hop for each dimension.
Plans combining(const Problem& problem) { return walk(problem, problem.canonical.dimension_ends, "combining"); }

/// Returns the plan with one hop for each stage, so digit by digit if a dimension's offsets are written in digits.
Plans logarithmic(const Problem& problem) {
  std::vector<std::size_t> ends(problem.canonical.tree.stages());
  std::iota(ends.begin(), ends.end(), std::size_t{1});
  return walk(problem, ends, "logarithmic");
}

/// Returns the plan of the hops that are predicted to be cheapest together. The cost of a hop does not depend on the
/// others, so the best hops to a boundary follow from those to earlier boundaries. A hop that costs twice as much as
/// shorter ones is not made longer, because it would have more and more to send.
Plans in_hops(const Problem& problem) {
  const Tree& tree = problem.canonical.tree;
  const std::size_t boundaries = tree.stages() + 1;
  std::vector<double> least(boundaries, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> before(boundaries, 0);
  least.front() = 0;
  for (std::size_t to = 1; to < boundaries; ++to) {
    for (std::size_t from = to; from-- > 0;) {
      Prediction prediction;
      predict_hop(problem, Hop(tree, problem.grid, from, to), prediction);
      if (prediction.nanoseconds > 2 * (least[to] - least[from])) break;
      const double cost = least[from] + prediction.nanoseconds;
      if (cost >= least[to]) continue;
      least[to] = cost;
      before[to] = from;
    }
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = boundaries - 1; end > 0; end = before[end]) ends.insert(ends.begin(), end);
  std::string name = "hops of ";
  for (std::size_t hop = 0; hop < ends.size(); ++hop)
    name += (hop > 0 ? "+" : "") + std::to_string(ends[hop] - (hop > 0 ? ends[hop - 1] : 0));
  return walk(problem, ends, name + (boundaries == 2 ? " stage" : " stages"));
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},           Algorithm{"combining", false, combining},
    Algorithm{"logarithmic", false, logarithmic}, Algorithm{"hops", false, in_hops},
    Algorithm{"node-aware", false, node_aware},
};

constexpr Registry<Problem> kRegistry{"reductions", kAlgorithms, "direct", prefer_few_messages};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, algorithm, ordering, form);
}

}  // namespace rondo::internal::reduction
