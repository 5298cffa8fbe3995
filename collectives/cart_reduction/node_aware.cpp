// Node-aware reductions, beyond the papers: vectors go once to each node where a process combines them, and once to
// each such process there. Nothing is combined on the way, so that results are the same as those of every other walk.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/cart_reduction/along_tree.hpp"
#include "collectives/cart_reduction/hop_traffic.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace rondo::internal::reduction {
namespace {

/// Maximum number of vectors that the ranks of a node combine for which node-aware plans are offered. More would take
/// too long to examine, on the node and on all nodes that send to it, for each length of vectors, and other algorithms
/// then have far fewer.
constexpr std::int64_t kMostParcels = std::int64_t{1} << 17;

Walk at_once(const Problem& problem) {
  return walk_in_hops(problem.canonical, problem.grid, std::array{problem.canonical.tree.stages()});
}

void build_node_aware(const Problem& problem, int sharers, ScheduleBuilder& builder) {
  build_along_tree(problem, at_once(problem), builder, sharers);
}

}  // namespace

std::vector<Plan> node_aware(const Problem& problem) {
  const std::int64_t bytes = problem.reduction->layout().size();
  if (problem.nodes == nullptr || problem.canonical.tree.stages() == 0 || bytes == 0) return {};
  const NodeMembers& nodes = *problem.nodes;
  const Walk walk = at_once(problem);
  const Hop& hop = walk.front();
  const auto leaves = static_cast<std::int64_t>(hop.leaves());
  if (leaves * nodes.most() > kMostParcels || !fits_carriers(nodes, bytes * leaves)) return {};
  const HopTraffic traffic(nodes, problem.grid, hop, problem.canonical.reach, bytes);
  std::vector<Prediction> predictions =
      predict_carried(traffic, numbers_of_sharers(nodes), BlockUse::one_for_all, problem.costs);
  for (Prediction& prediction : predictions)
    problem.costs.add_reductions(prediction, hop.reductions(), hop.reductions() * bytes);
  return carried_plans(nodes, predictions, build_node_aware);
}

}  // namespace rondo::internal::reduction
