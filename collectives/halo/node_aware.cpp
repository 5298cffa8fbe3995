// Node-aware halo exchange: faces, edges and corners come straight from their owners. Those for other nodes take
// carriers, and those for one process on the node are one message.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/halo/costs.hpp"
#include "collectives/halo/halo_traffic.hpp"
#include "collectives/halo/lowering.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal::halo {
namespace {

Expansion expansion_of(const Problem& problem) { return direct(problem.grid, problem.typical.hull(), Messages::apart); }

void build_node_aware(const Problem& problem, int sharers, ScheduleBuilder& builder) {
  build_by_carriers(problem, expansion_of(problem), sharers, builder);
}

std::int64_t bytes_of_largest_arrays(const Problem& problem, const Expansion& expansion) {
  std::int64_t bytes = 0;
  for (const Round& round : expansion.rounds) bytes += bytes_of(problem.typical, round);
  return bytes;
}

}  // namespace

std::vector<Plan<Problem>> node_aware(const Problem& problem) {
  if (problem.nodes == nullptr || problem.inside == nullptr) return {};
  const Expansion expansion = expansion_of(problem);
  const std::vector<Round>& rounds = expansion.rounds;
  if (rounds.empty() || leads_to_self(problem.grid, rounds.front().parts.front().step)) return {};
  if (!fits_carriers(*problem.nodes, bytes_of_largest_arrays(problem, expansion))) return {};
  std::vector<Prediction> predictions = predict_carried(
      HaloTraffic(problem, expansion), numbers_of_sharers(*problem.nodes), BlockUse::each_for_one, problem.costs);
  for (Prediction& prediction : predictions) {
    for (const Round& round : rounds) {
      const PieceCosts pieces = piece_costs(problem, round);
      prediction.nanoseconds += pieces.sending + pieces.receiving;
    }
  }
  return carried_plans(*problem.nodes, predictions, build_node_aware);
}

}  // namespace rondo::internal::halo
