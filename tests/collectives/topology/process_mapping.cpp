// Places for processes: never a longer weighted distance than before, by the definition, and shorter where that is
// known.
#include "collectives/topology/process_mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace rondo::internal::process_mapping_test {
namespace {

/// The definition.
std::uint64_t plain_distance(const Grid& grid, const Neighborhood& hood, const std::vector<int>& node_at) {
  std::uint64_t sum = 0;
  for (int place = 0; place < grid.size(); ++place) {
    for (int i = 0; i < hood.size(); ++i) {
      const int neighbor = grid.seen_from(place).relative_rank(hood[i]);
      if (neighbor != kNoRank &&
          node_at[static_cast<std::size_t>(place)] != node_at[static_cast<std::size_t>(neighbor)])
        sum += static_cast<std::uint64_t>(hood.weights()[static_cast<std::size_t>(i)]);
    }
  }
  return sum;
}

/// What the node has of it that has most, at both ends.
std::uint64_t plain_busiest(const Grid& grid, const Neighborhood& hood, const std::vector<int>& node_at) {
  std::map<int, std::uint64_t> of_node;
  for (int place = 0; place < grid.size(); ++place) {
    for (int i = 0; i < hood.size(); ++i) {
      const int neighbor = grid.seen_from(place).relative_rank(hood[i]);
      if (neighbor == kNoRank) continue;
      const int from = node_at[static_cast<std::size_t>(place)];
      const int to = node_at[static_cast<std::size_t>(neighbor)];
      if (from == to) continue;
      for (const int node : {from, to})
        of_node[node] += static_cast<std::uint64_t>(hood.weights()[static_cast<std::size_t>(i)]);
    }
  }
  std::uint64_t most = 0;
  for (const auto& [node, sum] : of_node) most = std::max(most, sum);
  return most;
}

/// Places processes, checks what can be checked of any case, and returns what was found.
ProcessMapping placed(const Grid& grid, const Neighborhood& hood, const std::vector<int>& node_of_rank) {
  ProcessMapping found = map_processes(grid, hood, node_of_rank);
  EXPECT_EQ(weighted_distance(grid, hood, node_of_rank), plain_distance(grid, hood, node_of_rank));
  EXPECT_EQ(found.before, plain_distance(grid, hood, node_of_rank));
  EXPECT_LE(found.after, found.before);
  EXPECT_EQ(found.busiest_before, plain_busiest(grid, hood, node_of_rank));
  EXPECT_LE(found.busiest_after, found.busiest_before);
  if (found.place_of.empty()) {
    EXPECT_EQ(found.after, found.before);
    EXPECT_EQ(found.busiest_after, found.busiest_before);
    return found;
  }
  EXPECT_LT(found.after, found.before) << "nobody moves without a gain";
  std::vector<int> node_at(node_of_rank.size(), -1);
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank)
    node_at[static_cast<std::size_t>(found.place_of[rank])] = node_of_rank[rank];
  EXPECT_EQ(std::set<int>(found.place_of.begin(), found.place_of.end()).size(), node_of_rank.size());
  EXPECT_EQ(found.after, plain_distance(grid, hood, node_at));
  EXPECT_EQ(found.busiest_after, plain_busiest(grid, hood, node_at));
  return found;
}

/// Nodes of `count` ranks, one after the other or in turn.
std::vector<int> in_blocks(int p, int count) {
  std::vector<int> nodes;
  for (int rank = 0; rank < p; ++rank) nodes.push_back(rank / count);
  return nodes;
}
std::vector<int> in_turn(int p, int nodes_there_are) {
  std::vector<int> nodes;
  for (int rank = 0; rank < p; ++rank) nodes.push_back(rank % nodes_there_are);
  return nodes;
}

TEST(Placement, BoxesBeatRows) {
  const Grid grid(std::vector{8, 8}, 0);
  const ProcessMapping found = placed(grid, von_neumann(2, 1), in_blocks(64, 8));
  EXPECT_EQ(found.before, 128U);  // a row of eight each: all neighbors above and below
  EXPECT_LE(found.after, 96U);    // 2 x 4: half of those, and a quarter of the others
}

// Greedy has the least distance there, 29544, but leaves pieces all over the grid to the last nodes: one of them would
// send 678 messages to others where it sends 624 in rows.
TEST(Placement, NoNodeGetsWhatIsLeft) {
  const Grid grid(std::vector{16, 16, 8}, 0);
  const ProcessMapping found = placed(grid, moore(3, 1), in_blocks(2048, 32));
  EXPECT_EQ(found.busiest_before, 2 * 624U);
  EXPECT_EQ(found.busiest_after, 2 * 464U) << "boxes, 2 x 4 x 4";
  EXPECT_EQ(found.after, 64 * 464U);
}

TEST(Placement, WeightsDecide) {
  const Grid grid(std::vector{4, 4}, 0);
  // Four in a row keep the heavy neighbors along rows together, four in a column those along columns.
  const Neighborhood along_rows(2, std::vector{0, 1, 1, 0}, std::vector{10, 1});
  const Neighborhood along_columns(2, std::vector{0, 1, 1, 0}, std::vector{1, 10});
  EXPECT_EQ(placed(grid, along_rows, in_blocks(16, 4)).after, 16U);
  EXPECT_TRUE(placed(grid, along_rows, in_blocks(16, 4)).place_of.empty()) << "they are there already";
  EXPECT_EQ(placed(grid, along_columns, in_blocks(16, 4)).after, 16U);
}

TEST(Placement, RanksInTurnAreBroughtTogether) {
  const Grid ring(std::vector{12}, 0);
  EXPECT_EQ(placed(ring, moore(1, 1), in_turn(12, 3)).after, 6U) << "three segments of the ring";
  const Grid line(std::vector{12}, std::vector{0}, 0);
  EXPECT_EQ(placed(line, moore(1, 1), in_turn(12, 3)).after, 4U);
  const std::vector<int> unequal{0, 1, 0, 1, 0, 1, 0, 1, 0, 2, 0, 2};
  EXPECT_EQ(placed(line, moore(1, 1), unequal).after, 4U) << "nodes of 6, 4 and 2";
}

TEST(Placement, StaysWhereNothingIsGained) {
  const Grid grid(std::vector{4, 6}, 0);
  EXPECT_TRUE(placed(grid, moore(2, 1), std::vector<int>(24, 5)).place_of.empty()) << "one node";
  EXPECT_TRUE(placed(grid, moore(2, 1), in_blocks(24, 1)).place_of.empty()) << "one process on each";
  EXPECT_TRUE(placed(grid, Neighborhood(2), in_turn(24, 2)).place_of.empty()) << "no neighbors";
  EXPECT_TRUE(placed(grid, Neighborhood{{0, 0}, {4, -6}}, in_turn(24, 2)).place_of.empty()) << "itself only";
  EXPECT_TRUE(placed(grid, Neighborhood(2, std::vector{0, 1}, std::vector{0}), in_turn(24, 2)).place_of.empty())
      << "of no weight";
}

TEST(Placement, NeverGrowsTheDistance) {
  std::mt19937 random(3);
  const auto draw = [&](int first, int last) { return std::uniform_int_distribution<int>(first, last)(random); };
  int moved = 0;
  for (int number = 0; number < 400; ++number) {
    const int d = draw(1, 4);
    std::vector<int> sizes, periods;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, d <= 2 ? 9 : 4));
      periods.push_back(draw(0, 1));
    }
    const Grid grid(sizes, periods, 0);
    std::vector<int> offsets, weights;
    for (int i = draw(0, 8); i > 0; --i) {
      for (int k = 0; k < d; ++k) offsets.push_back(draw(0, 9) == 0 ? draw(-2000000000, 2000000000) : draw(-2, 2));
      weights.push_back(draw(0, 5));
    }
    const Neighborhood hood(d, offsets, draw(0, 1) == 0 ? weights : std::vector<int>{});
    const int p = grid.size();
    std::vector<int> nodes;
    switch (draw(0, 3)) {
      case 0:
        nodes = in_blocks(p, draw(1, p));
        break;
      case 1:
        nodes = in_turn(p, draw(1, p));
        break;
      case 2:  // equally many on each, anywhere
        nodes = in_turn(p, draw(1, p));
        std::ranges::shuffle(nodes, random);
        break;
      default:
        for (int rank = 0; rank < p; ++rank) nodes.push_back(draw(-3, 3));
    }
    const ProcessMapping found = placed(grid, hood, nodes);
    EXPECT_EQ(found.place_of, map_processes(grid, hood, nodes).place_of);
    moved += found.place_of.empty() ? 0 : 1;
    if (HasFailure()) FAIL() << "case " << number;
  }
  EXPECT_GT(moved, 100);
}

TEST(Placement, ManyProcesses) {
  const Grid grid(std::vector{24, 20, 16}, std::vector{1, 1, 0}, 0);
  std::vector<int> nodes = in_turn(grid.size(), 240);
  const ProcessMapping found = map_processes(grid, moore(3, 1), nodes);
  EXPECT_LT(found.after * 3, found.before * 2);
}

}  // namespace
}  // namespace rondo::internal::process_mapping_test
