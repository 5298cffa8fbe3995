// Who sends which values in a hop: that both ends of every message tell the same.
#include "collectives/cart_reduction/hop_traffic.hpp"

#include <gtest/gtest.h>
#include <rondo/neighborhood.hpp>

#include "collectives/cart_reduction/canonical.hpp"

#include <set>
#include <tuple>
#include <vector>

namespace rondo::internal::reduction::hop_traffic_test {
namespace {

using Sent = std::set<std::tuple<int, int, NodeId>>;  ///< source, target, leaf

TEST(HopTraffic, IsTheSameFromBothEnds) {
  const std::vector<int> sizes{3, 4};
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
    for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
      const Grid grid(sizes, periods, 0);
      const Canonical canonical = make_canonical({grid, moore(2, 1)}, kind);
      const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
      std::size_t all = 0;
      for (std::size_t from = 0; from < canonical.tree.stages(); ++from) {
        const Hop hop(canonical.tree, grid, from, canonical.tree.stages());
        const HopTraffic traffic(nodes, grid, hop, canonical.reach, 8);
        Sent sent;
        Sent received;
        for (int rank = 0; rank < grid.size(); ++rank) {
          traffic.visit_sent(rank, [&](int target, std::uint32_t leaf, std::int64_t bytes) {
            EXPECT_EQ(bytes, 8);
            EXPECT_TRUE(sent.emplace(rank, target, leaf).second);
          });
          traffic.visit_received(
              rank, [&](int source, std::uint32_t leaf, std::int64_t) { received.emplace(source, rank, leaf); });
        }
        EXPECT_EQ(sent, received);
        all += sent.size();
      }
      EXPECT_GT(all, 0U);
    }
  }
}

/// Beyond the edges of a line nobody has or needs anything.
TEST(HopTraffic, LeavesOutWhatNobodyHasOrNeeds) {
  const Grid grid(std::vector{3}, std::vector{0}, 0);
  const Canonical canonical = make_canonical({grid, {{1}, {-1}}}, Kind::reduce);
  const NodeMembers nodes(std::vector<std::int64_t>{1, 2, 3});
  const Hop hop(canonical.tree, grid, 0, canonical.tree.stages());
  const HopTraffic traffic(nodes, grid, hop, canonical.reach, 8);
  std::vector<std::vector<int>> targets(3);
  for (int rank = 0; rank < 3; ++rank) {
    traffic.visit_sent(rank, [&](int target, std::uint32_t, std::int64_t) {
      targets[static_cast<std::size_t>(rank)].push_back(target);
    });
  }
  EXPECT_EQ(targets[0], std::vector{1});
  EXPECT_EQ(std::set<int>(targets[1].begin(), targets[1].end()), (std::set{0, 2}));
  EXPECT_EQ(targets[2], std::vector{1});
}

}  // namespace
}  // namespace rondo::internal::reduction::hop_traffic_test
