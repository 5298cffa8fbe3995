// The node-aware broadcast, with few messages between nodes: the block goes once to each other node, to one rank there,
// which sends it on to further nodes and then to the ranks of its own node. That rank sends each part on as soon as the
// part has arrived, so that messages between nodes and messages within a node are under way at once.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/broadcast/tree_shape.hpp"

#include <vector>

namespace rondo::internal::broadcast {
namespace {

/// Returns the rank of a node that gets the block first: the root, or the first member of the node.
int carrier_of(const Problem& problem, int node) {
  return node == problem.nodes->node_of(problem.root) ? problem.root : problem.nodes->members(node).front();
}

/// The nodes that a node receives the block from and sends it to. They are given by their places, counted from the
/// root's node on.
struct Edges {
  int parent = -1;  ///< -1: the first place has none
  std::vector<int> children;
};

Edges edges_at(int place, int nodes, int radix) {
  Edges edges;
  if (radix == 1) {
    edges.parent = place - 1;
    if (place + 1 < nodes) edges.children.push_back(place + 1);
    return edges;
  }
  const TreeShape tree{nodes, radix};
  for (std::int64_t power = tree.first_power(); power > 0; power /= radix) {
    if (place % power != 0) continue;
    const std::int64_t digit = place / power % radix;
    if (digit != 0) {
      edges.parent = static_cast<int>(place - digit * power);
      continue;
    }
    const int last = tree.children(power, place);
    for (int child = 1; child <= last; ++child) edges.children.push_back(static_cast<int>(place + child * power));
  }
  return edges;
}

}  // namespace

void build_node_aware(const Problem& problem, int radix, const Segments& segments, ScheduleBuilder& builder) {
  const NodeMembers& nodes = *problem.nodes;
  const int node = nodes.node_of(problem.rank);
  int source = carrier_of(problem, node);
  std::vector<int> targets;
  if (problem.rank == source) {
    const int first = nodes.node_of(problem.root);
    const Edges edges = edges_at(nodes.node_after(node, -first), nodes.nodes(), radix);
    const auto carrier_at = [&](int place) { return carrier_of(problem, nodes.node_after(first, place)); };
    if (!problem.is_root()) source = carrier_at(edges.parent);
    // Messages to other nodes go first.
    for (const int child : edges.children) targets.push_back(carrier_at(child));
    for (const int member : nodes.members(node)) {
      if (member != problem.rank) targets.push_back(member);
    }
  }
  builder.reserve_tasks((targets.size() + 2) * static_cast<std::size_t>(segments.count));
  const Parts parts(problem, segments, static_cast<int>(targets.size()), builder);
  for (int part = 0; part < parts.count(); ++part) {
    const auto tag = static_cast<std::uint32_t>(part);
    if (!problem.is_root()) builder.receive(source, tag, {&parts[part], 1});
    for (const int target : targets) builder.send(target, tag, {&parts[part], 1});
    if (!problem.is_root()) parts.land({&part, 1}, builder);
  }
  builder.reserve_tags(static_cast<std::uint32_t>(segments.count));
}

Prediction predict_node_aware(const Problem& problem, int radix, const Segments& segments) {
  Prediction prediction;
  if (segments.count == 0) return prediction;
  const CostModel& costs = problem.costs;
  const int nodes = problem.nodes->nodes();
  const auto add_level = [&](int messages) {
    costs.add_phase(prediction);
    for (int i = 0; i < messages; ++i) costs.add_message(prediction, 1, segments.bytes, SentData::warm);
  };
  const auto hand_out = [&] {
    for (int other = 1; other < problem.nodes->most(); ++other)
      costs.add_message(prediction, 1, segments.bytes, SentData::warm, Nearness::near);
  };
  if (radix == 1) {
    for (int step = 1; step < nodes; ++step) add_level(1);
  } else {
    const TreeShape tree{nodes, radix};
    for (std::int64_t power = tree.first_power(); power > 0; power /= radix) add_level(tree.children(power, 0));
  }
  costs.add_phase(prediction, Nearness::near);
  hand_out();
  // The first part is predicted above; each further one comes right after the one before.
  for (int part = 1; part < segments.count; ++part) {
    costs.add_message(prediction, 1, segments.bytes, SentData::warm);
    hand_out();
  }
  return prediction;
}

}  // namespace rondo::internal::broadcast
