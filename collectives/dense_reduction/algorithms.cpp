#include "collectives/dense_reduction/algorithms.hpp"

#include "collectives/dense_reduction/partial_results.hpp"

#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::dense_reduction {
namespace {

using Plans = std::vector<Plan>;

/// Share of the direct plan's time that another plan must be predicted to save if ranks share cores, as in dense
/// alltoalls. A phase takes longer than predicted when ranks wait for a core, and the direct plan has only one.
constexpr double kDirectPreferred = 0.5;
/// Share of the direct plan's time to be saved if messages between nodes were timed, because those times decide then.
constexpr double kDirectPreferredOverNetwork = 0.2;

double preference_for_direct(const Problem& problem) {
  if (problem.costs.knows_network()) return kDirectPreferredOverNetwork;
  return problem.ranks_per_core > 1 ? kDirectPreferred : 0;
}

Plans direct(const Problem& problem) {
  return {{"direct", predict_direct(problem), build_direct, preference_for_direct(problem), true}};
}

Plans recursive_doubling(const Problem& problem) {
  if (problem.kind != Kind::allreduce) return {};
  return {{"recursive-doubling", predict_recursive_doubling(problem), build_recursive_doubling, 0, true}};
}

/// Returns whether a problem may be solved in any order, part by part.
bool takes_any_order(const Problem& problem) { return problem.op.commutative && has_few_counts(problem); }

Plans node_aware(const Problem& problem) {
  if (problem.nodes == nullptr) return {};
  if (problem.kind == Kind::reduce_scatter) {
    if (!takes_any_order(problem)) return {};
    return {{"node-aware", predict_node_aware_scatter(problem), build_node_aware_scatter}};
  }
  if (!problem.op.commutative && !nodes_keep_order(*problem.nodes)) return {};
  return {{"node-aware", predict_node_aware(problem), build_node_aware}};
}

Plans halving_doubling(const Problem& problem) {
  if (problem.kind != Kind::allreduce || !takes_any_order(problem)) return {};
  return {{"halving-doubling", predict_halving_doubling(problem), build_halving_doubling}};
}

Plans recursive_halving(const Problem& problem) {
  if (problem.kind != Kind::reduce_scatter || !takes_any_order(problem)) return {};
  return {{"recursive-halving", predict_recursive_halving(problem), build_recursive_halving}};
}

Plans ring(const Problem& problem) {
  if (!takes_any_order(problem)) return {};
  return {{"ring", predict_ring(problem), build_ring}};
}

Plans circulant(const Problem& problem) {
  if (!takes_any_order(problem)) return {};
  return {{"circulant", predict_circulant(problem), build_circulant}};
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"recursive-doubling", false, recursive_doubling},
    Algorithm{"node-aware", false, node_aware},
    Algorithm{"halving-doubling", false, halving_doubling},
    Algorithm{"recursive-halving", false, recursive_halving},
    Algorithm{"ring", false, ring},
    Algorithm{"circulant", false, circulant},
};

constexpr Registry<Problem> kRegistry{"dense reduction", kAlgorithms, "direct"};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  Chosen chosen = choose(kRegistry, problem, name, ordering, form);
  if (chosen.note.empty() || problem.op.commutative) return chosen;
  Problem in_any_order = problem;
  in_any_order.op.commutative = true;
  if (plans_for(kRegistry, in_any_order, name).by_the_asked) {
    chosen.note = "algorithm " + std::string(name) +
                  " was requested but is not available: op is not commutative, and it does not keep the order of the "
                  "ranks; running \"" +
                  chosen.algorithm + "\" instead";
  }
  return chosen;
}

std::uint32_t most_tags(int size) {
  // The ring has two rounds for each rank. Halving and doubling have two for each bit, and one more at either end.
  const auto p = static_cast<std::uint32_t>(size);
  return 2 * p + 2 * static_cast<std::uint32_t>(std::bit_width(p)) + 2;
}

}  // namespace rondo::internal::dense_reduction
