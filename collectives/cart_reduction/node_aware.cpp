// Node-aware reductions, beyond the papers: vectors go once to each node where somebody combines them, and once to each
// process there. Nothing is combined on the way, so that results are those of every other walk.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/cart_reduction/along_tree.hpp"
#include "collectives/cart_reduction/hop_traffic.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal::reduction {
namespace {

/// So many vectors to the ranks of a node are too many to be looked at, on it and on all nodes that send to it, for
/// each length of vectors; and where there are so many, others have far fewer.
constexpr std::int64_t kMostParcels = std::int64_t{1} << 17;

}  // namespace

std::vector<Plan> node_aware(const Problem& problem) {
  const std::size_t stages = problem.canonical.tree.stages();
  const std::int64_t bytes = problem.reduction->layout().size();
  if (problem.nodes == nullptr || stages == 0 || bytes == 0) return {};
  const NodeMembers& nodes = *problem.nodes;
  const auto walk = std::make_shared<const Walk>(walk_in_hops(problem.canonical, problem.grid, std::array{stages}));
  const Hop& hop = walk->front();
  const auto leaves = static_cast<std::int64_t>(hop.leaves());
  if (leaves * nodes.most() > kMostParcels || !fits_carriers(nodes, bytes * leaves)) return {};
  const std::vector<int> sharers = numbers_of_sharers(nodes);
  const HopTraffic traffic(nodes, problem.grid, hop, problem.canonical.reach, bytes);
  const std::vector<Prediction> predictions = predict_carried(traffic, sharers, BlockUse::one_for_all, problem.costs);
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < sharers.size(); ++i) {
    Prediction prediction = predictions[i];
    problem.costs.add_reductions(prediction, hop.reductions(), hop.reductions() * bytes);
    plans.push_back({name_of_carried(nodes, sharers[i]), prediction,
                     [walk, most = sharers[i]](const Problem& it, ScheduleBuilder& builder) {
                       build_along_tree(it, *walk, builder, most);
                     }});
  }
  return plans;
}

}  // namespace rondo::internal::reduction
