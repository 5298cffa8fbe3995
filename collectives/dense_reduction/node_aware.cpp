// Node-aware allreduce with few messages between nodes: the lowest rank of each node, its carrier, combines the node's
// vectors in order. Carriers combine their results by recursive doubling, and hand the final result out.
#include "collectives/dense_reduction/accumulator.hpp"
#include "collectives/dense_reduction/algorithms.hpp"

#include <vector>

namespace rondo::internal::dense_reduction {

bool nodes_keep_order(const NodeMembers& nodes) {
  int next = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    for (const int member : nodes.members(node)) {
      if (member != next++) return false;
    }
  }
  return true;
}

void build_node_aware(const Problem& problem, ScheduleBuilder& builder) {
  const NodeMembers& nodes = *problem.nodes;
  const std::uint32_t last_tag = doubling_tags(nodes.nodes()) + 1;
  builder.reserve_tags(last_tag + 1);
  if (problem.is_done()) return;
  const int node = nodes.node_of(problem.rank);
  const std::span<const int> members = nodes.members(node);
  const int carrier = members.front();
  Accumulator accumulator(problem, builder);
  if (problem.rank != carrier) {
    builder.send(carrier, 0, {&accumulator.at(), 1});
    builder.receive(carrier, last_tag, {&accumulator.result(), 1});
    return;
  }
  std::vector<int> carriers;
  for (int each = 0; each < nodes.nodes(); ++each) carriers.push_back(nodes.members(each).front());
  for (const int member : members.subspan(1)) accumulator.combine({member, false, false, 0});
  builder.begin_phase();
  double_up(carriers, node, 1, accumulator, builder);
  builder.begin_phase();
  for (const int member : members.subspan(1)) builder.send(member, last_tag, {&accumulator.result(), 1});
}

Prediction predict_node_aware(const Problem& problem) {
  Prediction prediction;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0) return prediction;
  const CostModel& costs = problem.costs;
  // Each way, the node has as many messages as the carrier of the largest node.
  const std::int64_t others = problem.nodes->most() - 1;
  costs.add_phase(prediction, Nearness::near);
  for (std::int64_t i = 0; i < others; ++i) costs.add_message(prediction, 1, bytes, SentData::cold, Nearness::near);
  costs.add_reductions(prediction, others, others * bytes);
  predict_doubling(costs, problem.nodes->nodes(), bytes, prediction);
  costs.add_phase(prediction, Nearness::near);
  for (std::int64_t i = 0; i < others; ++i) costs.add_message(prediction, 1, bytes, SentData::warm, Nearness::near);
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
