// How many messages node-aware reductions have, and what they are predicted to cost. That their results are right:
// reduction_sweep.cpp.
#include <gtest/gtest.h>

#include "collectives/cart_reduction/algorithms.hpp"
#include "tests/support/cases/reduction_case.hpp"
#include "tests/support/nodes/costs_by_way.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::reduction::node_aware_test {
namespace {

using NodePair = std::pair<int, int>;

/// 4 x 4 x 4 ranks in blocks of 8.
ReductionCase on_blocks() {
  ReductionCase given{.sizes = {4, 4, 4}, .neighborhood = moore(3, 1)};
  for (int rank = 0; rank < 64; ++rank) given.nodes.push_back(1 + rank / 8);
  return given;
}

/// By nodes: how many messages go from one to the other, and their bytes.
std::map<NodePair, std::pair<int, std::int64_t>> messages_between(const NodeMembers& nodes,
                                                                  const CollectiveCase& made) {
  std::map<NodePair, std::pair<int, std::int64_t>> found;
  for (std::size_t rank = 0; rank < made.schedules.size(); ++rank) {
    for (const Task& task : made.schedules[rank]->tasks()) {
      if (task.kind != TaskKind::send) continue;
      const NodePair pair(nodes.node_of(static_cast<int>(rank)), nodes.node_of(task.peer));
      if (pair.first == pair.second) continue;
      auto& [messages, bytes] = found[pair];
      ++messages;
      bytes += task.bytes;
    }
  }
  return found;
}

TEST(NodeAwareReductions, SendAVectorOnceToEachNode) {
  const ReductionCase given = on_blocks();
  const NodeMembers nodes(given.nodes);
  const Grid grid(given.sizes, 0);
  std::map<NodePair, std::set<int>> expected;  // whose vectors
  for (int rank = 0; rank < 64; ++rank) {
    for (int i = 0; i < given.neighborhood.size(); ++i) {
      const int target = grid.seen_from(rank).relative_rank(given.neighborhood[i]);
      const NodePair pair(nodes.node_of(rank), nodes.node_of(target));
      if (pair.first != pair.second) expected[pair].insert(rank);
    }
  }
  int looked_at = 0;
  for_each_plan(given, byte_fold(), [&](const CollectiveCase& each) {
    const auto says = [&](const char* text) { return each.name.find(text) != std::string::npos; };
    if (!says("node-aware") || says("to a message")) return;
    ++looked_at;
    EXPECT_EQ(checked(each), "");
    const auto found = messages_between(nodes, each);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [pair, message] : found) {
      EXPECT_EQ(message.first, 1);
      EXPECT_EQ(message.second, given.reduction->layout().size() * std::ssize(expected[pair]));
    }
  });
  EXPECT_EQ(looked_at, 1);
}

/// By hand: a far message costs 1000 and a near one 1, half of it at each end.
TEST(NodeAwareReductions, ArePredictedByTheirBusiestRanks) {
  const Grid grid(std::vector{6}, 0);
  const Canonical canonical = make_canonical({grid, {{1}, {2}, {3}}}, Kind::reduce);
  const auto reduction = std::make_shared<const Reduction>(MPI_SUM, MPI_DOUBLE, 4, flatten(MPI_DOUBLE));
  const BlockShape vector{0, &reduction->layout()};
  const CostModel costs = test::costs_by_way();
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 2, 2, 2});
  const Problem problem{.grid = grid,
                        .canonical = canonical,
                        .kind = Kind::reduce,
                        .send = {&vector, 1},
                        .recv = vector,
                        .reduction = reduction,
                        .costs = costs,
                        .nodes = &nodes};
  // All have sources on the other node. The first rank of a node sends its vector to the two others, takes theirs,
  // and sends all to the last rank of the other node, which hands them out to the two others there.
  const Chosen chosen = choose(problem, "node-aware", Ordering::dependencies);
  EXPECT_EQ(chosen.algorithm, "node-aware");
  const auto plan = std::ranges::find(chosen.candidates, "node-aware", &Candidate::name);
  ASSERT_NE(plan, chosen.candidates.end());
  EXPECT_EQ(plan->prediction.phases, 3);
  Prediction sums;
  costs.add_reductions(sums, 2, 2 * reduction->layout().size());
  EXPECT_EQ(plan->prediction.reductions, 2);
  EXPECT_DOUBLE_EQ(plan->prediction.nanoseconds,
                   (2 + 2) / 2.0 + (1000 + 1000) / 2.0 + (2 + 1) / 2.0 + sums.nanoseconds);
}

/// Predictions of the others are too high: see bench/simulated.
TEST(NodeAwareReductions, AreTakenWhereTheySaveAQuarter) {
  const Grid grid(std::vector{4, 4}, 0);
  const Canonical canonical = make_canonical({grid, moore(2, 1)}, Kind::reduce);
  const auto reduction = std::make_shared<const Reduction>(MPI_SUM, MPI_DOUBLE, 4, flatten(MPI_DOUBLE));
  const BlockShape vector{0, &reduction->layout()};
  const CostModel costs = test::costs_by_way();
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2});
  Problem problem{.grid = grid,
                  .canonical = canonical,
                  .kind = Kind::reduce,
                  .send = {&vector, 1},
                  .recv = vector,
                  .reduction = reduction,
                  .costs = costs};
  const auto preferred = [&](std::string_view algorithm) {
    const std::vector<Plan> plans = plans_for(registry(), problem, "auto").plans;
    const auto found = std::ranges::find(plans, algorithm, &Plan::algorithm);
    return found == plans.end() ? -1.0 : found->preferred;
  };
  EXPECT_EQ(preferred("combining"), 0);
  EXPECT_EQ(preferred("node-aware"), -1) << "not offered";
  problem.nodes = &nodes;
  EXPECT_EQ(preferred("combining"), 0.25);
  EXPECT_EQ(preferred("node-aware"), 0);
}

/// Where each rank has a node of its own nobody carries anything for another.
TEST(NodeAwareReductions, AreNotOfferedWithoutCarriers) {
  const ReductionCase given{.sizes = {2, 2}, .neighborhood = moore(2, 1), .nodes = {1, 2, 3, 4}};
  for_each_plan(given, byte_fold(), [](const CollectiveCase& each) {
    EXPECT_EQ(each.name.find("node-aware"), std::string::npos) << each.name;
  });
}

}  // namespace
}  // namespace rondo::internal::reduction::node_aware_test
