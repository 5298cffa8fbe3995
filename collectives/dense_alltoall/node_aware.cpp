// Node-aware dense alltoall: blocks that leave a node go through its carriers, other blocks straight to their rank.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal::dense {
namespace {

/// The traffic of an alltoall with blocks of one size.
class DenseTraffic final : public NodeTraffic {
 public:
  DenseTraffic(const Problem& problem, const NodeMembers& nodes)
      : NodeTraffic(nodes), ranks_(problem.size), bytes_(problem.largest) {}

  void visit_sent(int /*rank*/, const Visit& visit) const override {
    if (bytes_ == 0) return;
    for (int other = 0; other < ranks_; ++other) visit(other, static_cast<std::uint32_t>(other), bytes_);
  }
  void visit_received(int rank, const Visit& visit) const override { visit_sent(rank, visit); }

  /// Visits node by node, because with all of 10^5 ranks at once, a node has some 10^6 blocks.
  void visit_leaving(int node, const VisitPair& visit) const override {
    for_each_other(node,
                   [&](int to) { visit(to, parcels(node, to, [](int /*source*/, int target) { return target; })); });
  }
  void visit_arriving(int node, const VisitPair& visit) const override {
    for_each_other(
        node, [&](int from) { visit(from, parcels(from, node, [](int source, int /*target*/) { return source; })); });
  }
  [[nodiscard]] std::size_t sending_turn(int from, int to) const override { return turn(from, to); }
  [[nodiscard]] std::size_t receiving_turn(int from, int to) const override { return turn(to, from); }

 private:
  [[nodiscard]] std::size_t turn(int node, int other) const {
    return static_cast<std::size_t>(distance(node, other)) - 1;
  }
  template <typename VisitNode>
  void for_each_other(int node, VisitNode visit_node) const {
    for (int i = 1; i < nodes().nodes() && bytes_ > 0; ++i) visit_node((node + i) % nodes().nodes());
  }
  template <typename Number>
  [[nodiscard]] std::vector<Parcel> parcels(int from, int to, Number number) const {
    std::vector<Parcel> all;
    all.reserve(nodes().members(from).size() * nodes().members(to).size());
    for (const int source : nodes().members(from)) {
      for (const int target : nodes().members(to))
        all.push_back({source, target, static_cast<std::uint32_t>(number(source, target)), bytes_});
    }
    return all;
  }

  int ranks_;
  std::int64_t bytes_;
};

bool is_for_nodes(const Problem& problem) {
  return problem.nodes != nullptr && problem.regular() && fits_carriers(*problem.nodes, problem.largest * problem.size);
}

void build_node_aware(const Problem& problem, int sharers, ScheduleBuilder& builder) {
  const NodeMembers& nodes = *problem.nodes;
  const Blocks blocks(problem, builder);
  for (const int member : nodes.members(nodes.node_of(problem.rank))) {
    if (member == problem.rank || problem.largest == 0) continue;
    const auto at = static_cast<std::size_t>(member);
    builder.send(member, 0, {&blocks.send[at], 1});
    builder.receive(member, 0, {&blocks.recv[at], 1});
  }
  copy_to_self(problem, blocks, builder);
  build_carried(DenseTraffic(problem, nodes), problem.rank, sharers, {blocks.send, blocks.recv}, 1, builder);
  builder.reserve_tags(1 + kCarriedTags);
}

}  // namespace

std::vector<Plan> node_aware(const Problem& problem) {
  if (!is_for_nodes(problem)) return {};
  const NodeMembers& nodes = *problem.nodes;
  const std::vector<int> sharers = numbers_of_sharers(nodes);
  // If not every rank is a carrier, it matters which are. Finding out takes time that grows with the square of the
  // ranks.
  constexpr int kFewNodes = 8;
  constexpr int kFewRanks = 256;
  if (nodes.nodes() <= kFewNodes && problem.size <= kFewRanks) {
    return carried_plans(nodes,
                         predict_carried(DenseTraffic(problem, nodes), sharers, BlockUse::each_for_one, problem.costs),
                         build_node_aware);
  }
  std::vector<Prediction> predictions;
  for (const int each : sharers)
    predictions.push_back(predict_carried_all_to_all(nodes, each, problem.largest, problem.costs));
  return carried_plans(nodes, predictions, build_node_aware);
}

}  // namespace rondo::internal::dense
