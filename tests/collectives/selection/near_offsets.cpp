#include "collectives/selection/near_offsets.hpp"

#include <gtest/gtest.h>

#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace rondo::internal::near_offsets_test {
namespace {

using Nodes = std::vector<std::int64_t>;

Nearness nearness(const Grid& grid, const Nodes& nodes, const std::vector<int>& offset) {
  return NearOffsets(grid, nodes).nearness(offset);
}

TEST(NearOffsets, TheSlowestRankDecides) {
  const Grid ring(std::array{4}, 0);
  for (const int offset : {1, 2, 3, -1}) EXPECT_EQ(nearness(ring, {1, 1, 2, 2}, {offset}), Nearness::far) << offset;
  for (const int offset : {1, 3, -1, 5}) EXPECT_EQ(nearness(ring, {1, 2, 1, 2}, {offset}), Nearness::far) << offset;
  for (const int offset : {2, -2, 6}) EXPECT_EQ(nearness(ring, {1, 2, 1, 2}, {offset}), Nearness::near) << offset;
  EXPECT_EQ(nearness(ring, {1, 1, 1, 2}, {1}), Nearness::far);
  EXPECT_EQ(nearness(ring, {7, 7, 7, 7}, {1}), Nearness::near);
}

TEST(NearOffsets, ARowOfATorusPerNode) {
  const Grid torus(std::array{2, 3}, 0);
  const Nodes rows{1, 1, 1, 2, 2, 2};
  for (const int along : {1, 2, -1}) EXPECT_EQ(nearness(torus, rows, {0, along}), Nearness::near);
  EXPECT_EQ(nearness(torus, rows, {2, 1}), Nearness::near) << "around the torus";
  for (const int along : {0, 1, -1}) EXPECT_EQ(nearness(torus, rows, {1, along}), Nearness::far);
}

/// Who has nobody there sends no message.
TEST(NearOffsets, OnAMeshThoseCountThatHaveANeighbor) {
  const Grid line(std::array{4}, std::array{0}, 0);
  EXPECT_EQ(nearness(line, {1, 2, 3, 1}, {3}), Nearness::near);
  EXPECT_EQ(nearness(line, {1, 2, 3, 1}, {-3}), Nearness::near);
  EXPECT_EQ(nearness(line, {1, 2, 3, 2}, {3}), Nearness::far);
  EXPECT_EQ(nearness(line, {1, 2, 3, 2}, {4}), Nearness::near) << "nobody has a neighbor there";
}

TEST(NearOffsets, NodeZeroSharesWithNobody) {
  const Grid ring(std::array{2}, 0);
  EXPECT_EQ(nearness(ring, {0, 0}, {1}), Nearness::far);
  EXPECT_EQ(nearness(ring, {0, 0}, {2}), Nearness::near) << "to itself";
}

TEST(NearOffsets, NothingIsNearWhereNobodyKnows) {
  EXPECT_EQ(nearness_of(nullptr, std::array{0}), Nearness::far);
  EXPECT_EQ(leaving(nullptr, std::array{0}), 1);
}

TEST(NearOffsets, TheBusiestNodeSaysWhatLeaves) {
  const Grid ring(std::array{8}, 0);
  const auto leaving = [&](const Nodes& nodes, int offset) {
    return NearOffsets(ring, nodes).leaving(std::array{offset});
  };
  const Nodes halves{1, 1, 1, 1, 2, 2, 2, 2};
  EXPECT_EQ(leaving(halves, 1), 0.25);
  EXPECT_EQ(leaving(halves, -3), 0.75);
  EXPECT_EQ(leaving(halves, 4), 1);
  EXPECT_EQ(leaving(halves, 8), 0);
  EXPECT_EQ(leaving({1, 2, 1, 2, 1, 2, 1, 2}, 1), 1);
  EXPECT_EQ(leaving({1, 1, 1, 1, 1, 1, 2, 2}, 1), 1.0 / 6) << "of the fullest node's ranks";
  EXPECT_EQ(leaving({1, 1, 1, 1, 1, 2, 1, 3}, 1), 2.0 / 6) << "to two others";
}

TEST(NearOffsets, PortsHaveLessToDoWhereBytesStay) {
  const Grid ring(std::array{8}, 0);
  const Nodes halves{1, 1, 1, 1, 2, 2, 2, 2};
  const NearOffsets offsets(ring, halves);
  const CostModel costs = CostModel(1.0).over_network({.message = 1000, .byte = 100, .latency = 5000});
  const auto added = [&](const NearOffsets* near, int offset) {
    Prediction prediction;
    add_message(prediction, costs, near, std::array{offset}, 1, 500);
    EXPECT_EQ(prediction.rounds, 1);
    EXPECT_EQ(prediction.bytes, 500);
    return prediction.nanoseconds;
  };
  EXPECT_EQ(added(nullptr, 1), 1000 + 500 * 100);
  EXPECT_EQ(added(&offsets, 1), 1000 + 500 * 100 * 0.25);
  EXPECT_EQ(added(&offsets, 4), 1000 + 500 * 100);
  Prediction unknown;
  add_message(unknown, CostModel(1.0), &offsets, std::array{1}, 1, 500);
  EXPECT_EQ(unknown.nanoseconds, CostModel(1.0).message(500, 1)) << "nobody knows what is the port's";
}

/// The definitions, rank by rank.
double plain_leaving(const Grid& grid, const Nodes& nodes, const std::vector<int>& offset) {
  std::int64_t fullest = 1;
  std::int64_t most = 0;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const std::int64_t node = nodes[static_cast<std::size_t>(rank)];
    std::int64_t ranks = 0;
    std::int64_t messages = 0;
    for (int member = 0; member < grid.size(); ++member) {
      if (nodes[static_cast<std::size_t>(member)] != node || (node == 0 && member != rank)) continue;
      ++ranks;
      const int other = grid.seen_from(member).relative_rank(offset);
      if (other == kNoRank || other == member) continue;
      if (node == 0 || nodes[static_cast<std::size_t>(other)] != node) ++messages;
    }
    fullest = std::max(fullest, ranks);
    most = std::max(most, messages);
  }
  return static_cast<double>(most) / static_cast<double>(fullest);
}

TEST(NearOffsets, AgreesWithTheGrid) {
  int near = 0;
  int far = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    std::vector<int> sizes;
    std::vector<int> periods;
    const int d = draw(1, 3);
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 4));
      periods.push_back(draw(0, 1));
    }
    const Grid grid(sizes, periods, 0);
    Nodes nodes = test::nodes_by(sizes, random() % 8);
    if (draw(0, 4) == 0) nodes[random() % nodes.size()] = draw(0, 1);
    const NearOffsets offsets(grid, nodes);
    for (int i = 0; i < 10; ++i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-4, 4));
      Nearness expected = Nearness::near;
      for (int rank = 0; rank < grid.size(); ++rank) {
        const int other = grid.seen_from(rank).relative_rank(offset);
        if (other == kNoRank || other == rank) continue;
        const std::int64_t here = nodes[static_cast<std::size_t>(rank)];
        if (here == 0 || here != nodes[static_cast<std::size_t>(other)]) expected = Nearness::far;
      }
      EXPECT_EQ(offsets.nearness(offset), expected) << "seed " << seed;
      EXPECT_EQ(offsets.leaving(offset), plain_leaving(grid, nodes, offset)) << "seed " << seed;
      ++(expected == Nearness::near ? near : far);
    }
  }
  EXPECT_GT(near, 300);
  EXPECT_GT(far, 300);
}

TEST(FewestNear, IsThatOfTheLoneliestRank) {
  EXPECT_EQ(fewest_near(Nodes{}), 0);
  EXPECT_EQ(fewest_near(Nodes{5, 5, 5}), 2);
  EXPECT_EQ(fewest_near(Nodes{1, 2, 1, 2}), 1);
  EXPECT_EQ(fewest_near(Nodes{1, 1, -3, 1, 1, -3, -3}), 2);
  EXPECT_EQ(fewest_near(Nodes{1, 1, 1, 2}), 0);
  EXPECT_EQ(fewest_near(Nodes{-1, 0, 0, -1}), 0);
}

}  // namespace
}  // namespace rondo::internal::near_offsets_test
