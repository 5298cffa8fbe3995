// The node-aware barrier, with few messages between nodes: the lowest rank of each node waits for the other ranks
// there, then for the lowest ranks of the other nodes by dissemination, and at last sends to the other ranks of its
// node. The first and the last step are batches, as the rounds in between are.
#include "collectives/barrier/algorithms.hpp"
#include "collectives/barrier/dissemination.hpp"

#include <algorithm>

namespace rondo::internal::barrier {

void build_node_aware(const Problem& problem, int radix, ScheduleBuilder& builder) {
  const NodeMembers& nodes = *problem.nodes;
  const int node = nodes.node_of(problem.rank);
  const std::span<const int> members = nodes.members(node);
  const int carrier = members.front();
  builder.set_batches(static_cast<std::uint32_t>(std::max(nodes.most(), radix)));
  const BlockId token = builder.block(Space::send, 0, 1);
  const auto tell = [&](int rank) {
    builder.begin_exchange();
    builder.send(rank, 0, {&token, 1});
  };
  const auto hear_from = [&](int rank) {
    const BlockId arrival = builder.transit(1);
    builder.begin_exchange();
    builder.receive(rank, 0, {&arrival, 1});
  };
  if (problem.rank != carrier) {
    tell(carrier);
    builder.end_batch();
    builder.begin_phase();
    hear_from(carrier);
  } else {
    std::ranges::for_each(members.subspan(1), hear_from);
    const auto rank_at = [&](int steps) { return nodes.members(nodes.node_after(node, steps)).front(); };
    disseminate(nodes.nodes(), radix, token, rank_at, builder);
    builder.end_batch();
    builder.begin_phase();
    std::ranges::for_each(members.subspan(1), tell);
  }
  builder.reserve_tags(rounds_of(nodes.nodes(), radix));
}

Prediction predict_node_aware(const Problem& problem, int radix) {
  Prediction prediction;
  const auto add_messages = [&](int messages, Nearness nearness) {
    problem.costs.add_phase(prediction, nearness);
    for (int i = 0; i < messages; ++i) problem.costs.add_message(prediction, 1, 1, SentData::warm, nearness);
  };
  const std::int64_t nodes = problem.nodes->nodes();
  add_messages(problem.nodes->most() - 1, Nearness::near);
  for (std::int64_t power = 1; power < nodes; power *= radix)
    add_messages(static_cast<int>(std::min<std::int64_t>(radix, (nodes - 1) / power + 1)) - 1, Nearness::far);
  add_messages(problem.nodes->most() - 1, Nearness::near);
  return prediction;
}

}  // namespace rondo::internal::barrier
