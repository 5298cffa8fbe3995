// Node-aware alltoall on a grid of processes: what leaves a node goes through its carriers, what stays is coalesced.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"

#include <numeric>

namespace rondo::internal::alltoall {
namespace {

class CartTraffic final : public NodeTraffic {
 public:
  CartTraffic(const Problem& problem, const NodeMembers& nodes)
      : NodeTraffic(nodes), grid_(problem.grid), hood_(problem.facts.neighborhood()), sizes_(problem.sizes) {}

  void visit_sent(int rank, const Visit& visit) const override { visit_from(rank, 1, visit); }
  void visit_received(int rank, const Visit& visit) const override { visit_from(rank, -1, visit); }

 private:
  void visit_from(int rank, int sign, const Visit& visit) const {
    const Grid grid = grid_.seen_from(rank);
    for (int i = 0; i < hood_.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      if (sizes_[number] == 0) continue;
      const int other = grid.relative_rank(hood_[i], sign);
      if (other != kNoRank) visit(other, number, sizes_[number]);
    }
  }

  const Grid& grid_;
  const Neighborhood& hood_;
  std::span<const std::int64_t> sizes_;
};

}  // namespace

bool is_for_nodes(const Problem& problem) {
  return problem.nodes != nullptr && problem.uniform &&
         fits_carriers(*problem.nodes, std::reduce(problem.sizes.begin(), problem.sizes.end()));
}

void build_node_aware(const Problem& problem, ScheduleBuilder& builder) {
  const NodeMembers& nodes = *problem.nodes;
  const int here = nodes.node_of(problem.grid.rank());
  const Blocks blocks(problem, builder);
  exchange_coalesced(problem, blocks, Coalescing::where_it_pays, builder,
                     [&](int other) { return nodes.node_of(other) == here; });
  const auto t = static_cast<std::uint32_t>(problem.facts.neighborhood().size());
  build_carried(CartTraffic(problem, nodes), problem.grid.rank(), {blocks.send, blocks.recv}, t, builder);
  builder.reserve_tags(t + kCarriedTags);
}

Prediction predict_node_aware(const Problem& problem) {
  return predict_carried(CartTraffic(problem, *problem.nodes), problem.costs);
}

}  // namespace rondo::internal::alltoall
