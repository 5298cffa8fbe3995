// Node-aware dense alltoall: what leaves a node goes through its carriers, what stays goes straight to its rank.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"

namespace rondo::internal::dense {
namespace {

/// All to all, in blocks of one size.
class DenseTraffic final : public NodeTraffic {
 public:
  DenseTraffic(const Problem& problem, const NodeMembers& nodes)
      : NodeTraffic(nodes), ranks_(problem.size), bytes_(problem.largest) {}

  void visit_sent(int /*rank*/, const Visit& visit) const override {
    if (bytes_ == 0) return;
    for (int other = 0; other < ranks_; ++other) visit(other, static_cast<std::uint32_t>(other), bytes_);
  }
  void visit_received(int rank, const Visit& visit) const override { visit_sent(rank, visit); }

 private:
  [[nodiscard]] std::vector<int> find_targets_of(int node) const override {
    std::vector<int> others;
    for (int other = 0; other < nodes().nodes() && bytes_ > 0; ++other) {
      if (other != node) others.push_back(other);
    }
    return others;
  }
  [[nodiscard]] std::vector<int> find_sources_of(int node) const override { return find_targets_of(node); }

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
  return carried_plans(DenseTraffic(problem, *problem.nodes), BlockUse::each_for_one, problem.costs, build_node_aware);
}

}  // namespace rondo::internal::dense
