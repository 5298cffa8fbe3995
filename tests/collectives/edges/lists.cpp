// The edges of MPI's topologies: in MPI's order, and told apart where two lead to the same process.
#include "collectives/edges/lists.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace rondo::internal::edges::lists_test {
namespace {

using Ends = std::vector<std::pair<int, std::uint32_t>>;

Ends ends_of(const std::vector<Edge>& edges) {
  Ends ends;
  for (const Edge& edge : edges) ends.emplace_back(edge.rank, edge.tag);
  return ends;
}

/// For every send of every rank there is one receive, at the other end, with the same tag; returns the block received
/// into, of the rank that the block is sent to.
int arrives_in(const Lists& sender, std::size_t block, const Lists& receiver) {
  int found = -1;
  for (std::size_t i = 0; i < receiver.sources.size(); ++i) {
    if (receiver.sources[i].rank != sender.rank || receiver.sources[i].tag != sender.targets[block].tag) continue;
    EXPECT_EQ(found, -1) << "two receives of one message";
    found = static_cast<int>(i);
  }
  return found;
}

TEST(EdgeLists, CartesianOrderIsDownThenUpInEachDimension) {
  const Lists lists = cartesian_edges(Grid(std::vector{3, 4}, std::vector{1, 0}, 4));  // at (1, 0)
  EXPECT_EQ(lists.rank, 4);
  EXPECT_EQ(ends_of(lists.targets), (Ends{{0, 0}, {8, 1}, {kNoRank, 2}, {5, 3}}));
  EXPECT_EQ(ends_of(lists.sources), (Ends{{0, 1}, {8, 0}, {kNoRank, 3}, {5, 2}}));
  EXPECT_EQ(lists.tags(), 4U);
}

/// What goes down comes from above, also where above and below are one process: there the MPIs of the day are wrong.
TEST(EdgeLists, WhatGoesDownComesFromAboveInPeriodicDimensionsOfAnySize) {
  for (const int p : {1, 2, 3, 4}) {
    for (int rank = 0; rank < p; ++rank) {
      const Lists lists = cartesian_edges(Grid(std::vector{p}, std::vector{1}, rank));
      const Lists below = cartesian_edges(Grid(std::vector{p}, std::vector{1}, (rank + p - 1) % p));
      const Lists above = cartesian_edges(Grid(std::vector{p}, std::vector{1}, (rank + 1) % p));
      EXPECT_EQ(arrives_in(lists, 0, below), 1) << p;
      EXPECT_EQ(arrives_in(lists, 1, above), 0) << p;
    }
  }
}

TEST(EdgeLists, ParallelEdgesOfAGraphBelongTogetherInTheOrderOfTheLists) {
  const Lists sender = graph_edges(0, {}, std::vector{1, 2, 1, 0, 1});
  const Lists receiver = graph_edges(1, std::vector{0, 3, 0, 0}, {});
  EXPECT_EQ(arrives_in(sender, 0, receiver), 0);
  EXPECT_EQ(arrives_in(sender, 2, receiver), 2);
  EXPECT_EQ(arrives_in(sender, 4, receiver), 3);
  EXPECT_EQ(sender.tags(), 3U);
  EXPECT_EQ(receiver.tags(), 3U);
}

TEST(EdgeLists, NobodyIsNoNeighborOfAGraph) {
  const Lists lists = graph_edges(0, std::vector{MPI_PROC_NULL, 1}, std::vector{MPI_PROC_NULL, MPI_PROC_NULL});
  EXPECT_EQ(ends_of(lists.sources), (Ends{{kNoRank, 0}, {1, 0}}));
  EXPECT_EQ(ends_of(lists.targets), (Ends{{kNoRank, 0}, {kNoRank, 0}}));
  EXPECT_EQ(lists.tags(), 1U);
  EXPECT_EQ(Lists{}.tags(), 0U);
}

}  // namespace
}  // namespace rondo::internal::edges::lists_test
