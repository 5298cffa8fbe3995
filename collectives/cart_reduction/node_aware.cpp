// Node-aware reductions, beyond the papers: the values of a hop go once to each node where somebody combines them, and
// once to each process there. Nothing is combined on the way, so that results are those of every other walk.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/cart_reduction/along_tree.hpp"
#include "collectives/cart_reduction/hop_traffic.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::reduction {
namespace {

/// What the hops of a walk cost together, for each number of sharers.
std::vector<Prediction> predict(const Problem& problem, const Walk& walk, std::span<const int> sharers) {
  const std::int64_t bytes = problem.reduction->layout().size();
  std::vector<Prediction> all(sharers.size());
  for (const Hop& hop : walk) {
    const HopTraffic traffic(*problem.nodes, problem.grid, hop, problem.canonical.reach, bytes);
    const std::vector<Prediction> of_hop = predict_carried(traffic, sharers, BlockUse::one_for_all, problem.costs);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] += of_hop[i];
      problem.costs.add_reductions(all[i], hop.reductions(), hop.reductions() * bytes);
    }
  }
  return all;
}

void add_plans(const Problem& problem, std::span<const std::size_t> ends, const std::string& suffix,
               std::vector<Plan>& plans) {
  const auto walk = std::make_shared<const Walk>(walk_in_hops(problem.canonical, problem.grid, ends));
  const std::int64_t bytes = problem.reduction->layout().size();
  const auto too_long = [&](const Hop& hop) {
    return !fits_carriers(*problem.nodes, bytes * static_cast<std::int64_t>(hop.leaves()));
  };
  if (bytes == 0 || std::ranges::any_of(*walk, too_long)) return;
  const std::vector<int> sharers = numbers_of_sharers(*problem.nodes);
  const std::vector<Prediction> predictions = predict(problem, *walk, sharers);
  for (std::size_t i = 0; i < sharers.size(); ++i) {
    plans.push_back({name_of_carried(*problem.nodes, sharers[i]) + suffix, predictions[i],
                     [walk, most = sharers[i]](const Problem& it, ScheduleBuilder& builder) {
                       build_along_tree(it, *walk, builder, most);
                     }});
  }
}

}  // namespace

std::vector<Plan> node_aware(const Problem& problem) {
  std::vector<Plan> plans;
  const std::vector<std::size_t>& dimension_ends = problem.canonical.dimension_ends;
  if (problem.nodes == nullptr || dimension_ends.empty()) return plans;
  add_plans(problem, std::array{problem.canonical.tree.stages()}, "", plans);
  if (dimension_ends.size() > 1) add_plans(problem, dimension_ends, ", dimension by dimension", plans);
  return plans;
}

}  // namespace rondo::internal::reduction
