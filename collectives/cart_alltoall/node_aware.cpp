// Node-aware alltoall on a grid of processes: blocks that leave a node go through its carriers, others are coalesced.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/carriers/cart_traffic.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"

#include <numeric>

namespace rondo::internal::alltoall {
namespace {

auto traffic_of(const Problem& problem) {
  const auto bytes_of = [sizes = problem.sizes](int /*source*/, std::uint32_t number) { return sizes[number]; };
  return CartTraffic<decltype(bytes_of)>(*problem.nodes, problem.grid, problem.facts.neighborhood(), bytes_of);
}

bool is_for_nodes(const Problem& problem) {
  return problem.nodes != nullptr && problem.uniform &&
         fits_carriers(*problem.nodes, std::reduce(problem.sizes.begin(), problem.sizes.end()));
}

void build_node_aware(const Problem& problem, int sharers, ScheduleBuilder& builder) {
  const NodeMembers& nodes = *problem.nodes;
  const int here = nodes.node_of(problem.grid.rank());
  const Blocks blocks(problem, builder);
  exchange_coalesced(problem, blocks, Coalescing::where_it_pays, builder,
                     [&](int other) { return nodes.node_of(other) == here; });
  const auto t = static_cast<std::uint32_t>(problem.facts.neighborhood().size());
  build_carried(traffic_of(problem), problem.grid.rank(), sharers, {blocks.send, blocks.recv}, t, builder);
  builder.reserve_tags(t + kCarriedTags);
}

}  // namespace

std::vector<Plan> node_aware(const Problem& problem) {
  if (!is_for_nodes(problem)) return {};
  const NodeMembers& nodes = *problem.nodes;
  return carried_plans(
      nodes, predict_carried(traffic_of(problem), numbers_of_sharers(nodes), BlockUse::each_for_one, problem.costs),
      build_node_aware);
}

}  // namespace rondo::internal::alltoall
