// Node-aware reduce-scatter with few messages between nodes: each node combines its ranks' parts for another node
// before it sends them there, as one message. The ranks of a node share the other nodes among them, as senders and as
// receivers. Each adds the arriving parts to its own parts for its node; at last the ranks of the node scatter these.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/partial_results.hpp"

#include <algorithm>
#include <cstddef>

namespace rondo::internal::dense_reduction {

void build_node_aware_scatter(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve_tags(2);
  if (problem.is_done()) return;
  const NodeMembers& nodes = *problem.nodes;
  const int node = nodes.node_of(problem.rank);
  const std::span<const int> members = nodes.members(node);
  const int size = nodes.size_of(node);
  const auto place = static_cast<int>(nodes.place_of(problem.rank));
  const auto member_at = [&](int steps) { return members[static_cast<std::size_t>((place + steps + size) % size)]; };
  const auto parts_of = [&](int other) {
    const std::span<const int> ranks = nodes.members(other);
    return Parts(ranks.begin(), ranks.end());
  };
  // Returns the parts for the nodes to which a rank of this node sends.
  const auto parts_carried_by = [&](int member) {
    Parts parts;
    for (int distance = 1; distance < nodes.nodes(); ++distance) {
      if (nodes.rank_for(node, distance) != member) continue;
      const Parts more = parts_of(nodes.node_after(node, distance));
      parts.insert(parts.end(), more.begin(), more.end());
    }
    return parts;
  };
  PartialResults results(problem, problem.size, builder);
  builder.begin_phase();
  const Parts carried = parts_carried_by(problem.rank);
  for (int step = 1; step < size; ++step)
    results.add({member_at(step), parts_carried_by(member_at(step)), member_at(-step), carried, 0}, false);
  builder.begin_phase();
  const Parts ours = parts_of(node);
  for (int distance = 1; distance < nodes.nodes(); ++distance) {
    if (nodes.rank_for(node, distance) != problem.rank) continue;
    const int to = nodes.node_after(node, distance);
    const int from = nodes.node_after(node, -distance);
    const bool is_last = size == 1 && distance + 1 == nodes.nodes();
    results.add({nodes.rank_for(to, distance), parts_of(to), nodes.rank_for(from, distance), ours, 0}, is_last);
  }
  builder.begin_phase();
  const Parts own{problem.rank};
  for (int step = 1; step < size; ++step)
    results.add({member_at(step), {member_at(step)}, member_at(-step), own, 1}, step + 1 == size);
}

Prediction predict_node_aware_scatter(const Problem& problem) {
  if (problem.bytes() == 0) return {};
  const CostModel& costs = problem.costs;
  const NodeMembers& nodes = *problem.nodes;
  // Parts may differ in size; the prediction assumes that they do not.
  const std::int64_t each = problem.bytes() / problem.size;
  const auto on_node_of = [&](std::int64_t ranks) {
    Prediction prediction;
    const auto add_messages = [&](std::int64_t messages, std::int64_t parts, Nearness nearness) {
      if (messages > 0) costs.add_phase(prediction, nearness);
      for (std::int64_t i = 0; i < messages; ++i)
        costs.add_message(prediction, parts, parts * each, SentData::cold, nearness);
      costs.add_reductions(prediction, messages * parts, messages * parts * each);
    };
    const std::int64_t carried = (nodes.nodes() - 2) / ranks + 1;
    add_messages(ranks - 1, carried * nodes.most(), Nearness::near);
    add_messages(carried, nodes.most(), Nearness::far);
    add_messages(ranks - 1, 1, Nearness::near);
    return prediction;
  };
  int fewest = problem.size;
  for (int node = 0; node < nodes.nodes(); ++node) fewest = std::min(fewest, nodes.size_of(node));
  const Prediction largest = on_node_of(nodes.most());
  const Prediction smallest = on_node_of(fewest);
  return largest.nanoseconds < smallest.nanoseconds ? smallest : largest;
}

}  // namespace rondo::internal::dense_reduction
