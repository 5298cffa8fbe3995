// Cartesian neighborhoods found in distributed graphs: whatever the order of the lists, and none where there is none.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "collectives/topology/grid.hpp"

namespace rondo::internal::graph_neighborhood_test {
namespace {

/// The neighbors of each process, in the order of its lists.
struct Graph {
  std::vector<std::vector<int>> sources;
  std::vector<std::vector<int>> targets;
};

/// The graph of a neighborhood, every list in an order of its own when `seed` is not zero.
Graph graph_of(const Neighborhood& hood, const std::vector<int>& sizes, const std::vector<int>& periods,
               unsigned seed) {
  const int p = Grid(sizes, 0).size();
  Graph graph{std::vector<std::vector<int>>(static_cast<std::size_t>(p)), {}};
  graph.targets = graph.sources;
  for (int rank = 0; rank < p; ++rank) {
    const Grid grid(sizes, periods, rank);
    auto& sources = graph.sources[static_cast<std::size_t>(rank)];
    auto& targets = graph.targets[static_cast<std::size_t>(rank)];
    for (int i = 0; i < hood.size(); ++i) {
      if (grid.relative_rank(hood[i]) != kNoRank) targets.push_back(grid.relative_rank(hood[i]));
      if (grid.relative_rank(hood[i], -1) != kNoRank) sources.push_back(grid.relative_rank(hood[i], -1));
    }
    std::mt19937 random(seed + static_cast<unsigned>(rank));
    if (seed != 0) std::ranges::shuffle(targets, random);
    if (seed != 0) std::ranges::shuffle(sources, random);
  }
  return graph;
}

MPI_Comm make(const Graph& graph) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto& sources = graph.sources[static_cast<std::size_t>(rank)];
  const auto& targets = graph.targets[static_cast<std::size_t>(rank)];
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  return comm;
}

/// What a process receives in a neighbor alltoall on the graph, by the definition: from its source j the block for it;
/// of several edges between two processes the first goes with the first. A block names its sender and its place there.
std::vector<int> received(const Graph& graph, int rank) {
  std::vector<int> blocks;
  std::map<int, int> before;
  for (const int source : graph.sources[static_cast<std::size_t>(rank)]) {
    const auto& targets = graph.targets[static_cast<std::size_t>(source)];
    int edge = before[source]++;
    std::size_t place = 0;
    while (targets[place] != rank || edge-- > 0) ++place;
    blocks.push_back(source * 1000 + static_cast<int>(place));
  }
  return blocks;
}

/// Sends what the graph's lists say over the neighborhood that was found, with the graph's buffers.
void expect_carries(CartComm& found, const Graph& graph) {
  const int rank = found.rank();
  const auto sources = found.graph_sources();
  const auto targets = found.graph_targets();
  const auto t = static_cast<std::size_t>(found.neighbor_count());
  ASSERT_EQ(sources.size(), t);
  ASSERT_EQ(targets.size(), t);
  std::vector<int> send(graph.targets[static_cast<std::size_t>(rank)].size());
  for (std::size_t i = 0; i < send.size(); ++i) send[i] = rank * 1000 + static_cast<int>(i);
  std::vector<int> recv(graph.sources[static_cast<std::size_t>(rank)].size(), -1);
  std::vector<int> none(t, -1);
  std::vector<SendBlock> from;
  std::vector<RecvBlock> to;
  for (std::size_t i = 0; i < t; ++i) {
    const bool has_target = found.targets()[i] != MPI_PROC_NULL;
    const bool has_source = found.sources()[i] != MPI_PROC_NULL;
    EXPECT_EQ(targets[i] >= 0, has_target);
    EXPECT_EQ(sources[i] >= 0, has_source);
    from.push_back({has_target ? &send[static_cast<std::size_t>(targets[i])] : &none[i], 1, MPI_INT});
    to.push_back({has_source ? &recv[static_cast<std::size_t>(sources[i])] : &none[i], 1, MPI_INT});
  }
  found.alltoallw(from, to);
  EXPECT_EQ(recv, received(graph, rank));
}

class GraphNeighborhood : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
  [[nodiscard]] std::vector<int> balanced(int d) const {
    std::vector<int> sizes(static_cast<std::size_t>(d), 0);
    MPI_Dims_create(p, d, sizes.data());
    return sizes;
  }

  int p = 0;
  int rank = 0;
};

TEST_F(GraphNeighborhood, IsFoundInItsOwnOrder) {
  const std::vector<int> sizes = balanced(2);
  for (const std::vector<int>& periods : {std::vector{1, 1}, std::vector{0, 1}, std::vector{0, 0}}) {
    const Neighborhood hood{{0, 1}, {0, 0}, {1, 1}, {0, -1}, {-1, 0}};
    const Graph graph = graph_of(hood, sizes, periods, 0);
    MPI_Comm comm = make(graph);
    std::string reason = "to be emptied";
    auto found = CartComm::from_graph(comm, sizes, periods, {}, &reason);
    ASSERT_TRUE(found);
    EXPECT_EQ(reason, "");
    expect_carries(*found, graph);
    if (periods == std::vector{1, 1}) {
      EXPECT_EQ(found->targets(), graph.targets[static_cast<std::size_t>(rank)]);
      EXPECT_EQ(found->sources(), graph.sources[static_cast<std::size_t>(rank)]);
      for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(found->graph_targets()[i], static_cast<int>(i));
    }
    MPI_Comm_free(&comm);
  }
}

/// Lists in one order that leave out what a mesh has not: the process in the middle has them all, and sets the order.
TEST_F(GraphNeighborhood, KeepsTheOrderOnAMesh) {
  const std::vector<int> sizes = balanced(2);
  const std::vector<int> mesh{0, 0};
  const Graph graph = graph_of(Neighborhood{{0, -1}, {-1, -1}, {0, 0}, {-1, 0}}, sizes, mesh, 0);
  MPI_Comm comm = make(graph);
  auto found = CartComm::from_graph(comm, sizes, mesh);
  ASSERT_TRUE(found);
  expect_carries(*found, graph);
  for (const auto& order : {found->graph_targets(), found->graph_sources()}) {
    int next = 0;
    for (const int place : order) {
      if (place >= 0) {
        EXPECT_EQ(place, next++);
      }
    }
  }
  MPI_Comm_free(&comm);
}

TEST_F(GraphNeighborhood, IsFoundInAnyOrder) {
  std::mt19937 random(7);  // the same on all ranks
  const auto draw = [&](int first, int last) { return std::uniform_int_distribution<int>(first, last)(random); };
  for (unsigned number = 1; number <= 40; ++number) {
    const int d = draw(1, 3);
    const std::vector<int> sizes = balanced(d);
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) periods.push_back(draw(0, 1));
    Neighborhood hood(d);
    for (int i = draw(0, 12); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k)
        offset.push_back(draw(-3, 3));  // repeated, zero, and longer than dimensions of 1 and 2
      hood.add(offset);
      if (draw(0, 3) == 0) hood.add(offset);
    }
    const Graph graph = graph_of(hood, sizes, periods, number);
    MPI_Comm comm = make(graph);
    auto found = CartComm::from_graph(comm, sizes, periods);
    ASSERT_TRUE(found) << "graph " << number;
    expect_carries(*found, graph);
    MPI_Comm_free(&comm);
  }
}

/// On a line without ends that meet, the process in the middle has none of these.
TEST_F(GraphNeighborhood, IsFoundWhereOnlyCornersHaveIt) {
  const std::vector<int> sizes{p};
  const std::vector<int> mesh{0};
  const Neighborhood hood{{p - 1}, {1 - p}, {p - 1}};
  const Graph graph = graph_of(hood, sizes, mesh, 3);
  MPI_Comm comm = make(graph);
  auto found = CartComm::from_graph(comm, sizes, mesh);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->neighbor_count(), 3);
  expect_carries(*found, graph);
  // As a ring the lists differ, unless it is so short that all see the same.
  EXPECT_EQ(CartComm::from_graph(comm, sizes).has_value(), p == 1);
  MPI_Comm_free(&comm);
}

TEST_F(GraphNeighborhood, IsNotFoundWhereOneProcessHasAnother) {
  if (p < 2) GTEST_SKIP() << "one process agrees with itself";
  const std::vector<int> sizes = balanced(2);
  for (const std::vector<int>& periods : {std::vector{1, 1}, std::vector{0, 0}}) {
    for (int odd = 0; odd < p; ++odd) {
      Graph graph = graph_of(von_neumann(2, 1), sizes, periods, 11);
      graph.targets[static_cast<std::size_t>(odd)].push_back(odd);  // an edge to itself
      graph.sources[static_cast<std::size_t>(odd)].push_back(odd);
      MPI_Comm comm = make(graph);
      std::string reason;
      EXPECT_FALSE(CartComm::from_graph(comm, sizes, periods, {}, &reason));
      EXPECT_NE(reason.find("offset (0, 0)"), std::string::npos) << reason;
      EXPECT_NE(reason.find("rank "), std::string::npos) << reason;
      MPI_Comm_free(&comm);
    }
  }
}

/// The definition by brute force: is there one set of offsets for all?
TEST_F(GraphNeighborhood, RandomGraphs) {
  if (p > 4) GTEST_SKIP() << "hardly any are found";
  std::mt19937 random(5);
  int found_ones = 0;
  for (int number = 0; number < 120; ++number) {
    const std::vector<int> sizes = number % 2 == 0 ? std::vector{p} : balanced(2);
    Graph graph{std::vector<std::vector<int>>(static_cast<std::size_t>(p)), {}};
    graph.targets = graph.sources;
    for (int from = 0; from < p; ++from) {
      for (int to = 0; to < p; ++to) {
        // Mostly by distance, so that some are isomorphic.
        const bool edge = (number >> ((to - from + p) % p)) % 2 != 0;
        if (edge == (std::uniform_int_distribution<int>(0, 4 * p * p)(random) == 0)) continue;
        graph.targets[static_cast<std::size_t>(from)].push_back(to);
        graph.sources[static_cast<std::size_t>(to)].push_back(from);
      }
    }
    std::vector<std::multiset<std::vector<int>>> offsets;
    for (int from = 0; from < p; ++from) {
      offsets.emplace_back();
      for (const int to : graph.targets[static_cast<std::size_t>(from)])
        offsets.back().insert(Grid(sizes, from).offset_of(to));
    }
    const bool expected = std::ranges::all_of(offsets, [&](const auto& set) { return set == offsets[0]; });
    MPI_Comm comm = make(graph);
    auto found = CartComm::from_graph(comm, sizes);
    EXPECT_EQ(found.has_value(), expected) << "graph " << number;
    if (found) expect_carries(*found, graph);
    found_ones += expected ? 1 : 0;
    MPI_Comm_free(&comm);
  }
  EXPECT_GT(found_ones, 10);
  if (p > 1) {
    EXPECT_LT(found_ones, 110);
  }
}

TEST_F(GraphNeighborhood, InC) {
  const std::vector<int> sizes = balanced(2);
  const std::array periods{1, 1};
  const Graph graph = graph_of(Neighborhood{{0, 1}, {1, 0}, {0, 1}}, sizes, {1, 1}, 0);
  const auto& sources = graph.sources[static_cast<std::size_t>(rank)];
  const auto& targets = graph.targets[static_cast<std::size_t>(rank)];
  const std::array weights{4, 0, 7};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources.data(), weights.data(), 3, targets.data(), weights.data(),
                                 MPI_INFO_NULL, 0, &comm);
  int isomorphic = -1;
  std::array<char, RONDO_MAX_ERROR_STRING> reason{"to be emptied"};
  MPI_Comm cart = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Neighborhood_from_graph(comm, 2, sizes.data(), periods.data(), MPI_INFO_NULL, &isomorphic,
                                          reason.data(), &cart),
            MPI_SUCCESS);
  EXPECT_EQ(isomorphic, 1);
  EXPECT_EQ(reason[0], '\0');
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(cart, &copy);
  MPI_Comm_free(&cart);
  std::array<int, 3> found_sources{}, found_targets{}, found_weights{}, source_index{}, target_index{};
  EXPECT_EQ(
      Rondo_Cart_neighbor_get(copy, 3, found_sources.data(), nullptr, 3, found_targets.data(), found_weights.data()),
      MPI_SUCCESS);
  EXPECT_EQ(found_weights, weights);
  EXPECT_TRUE(std::ranges::equal(found_sources, sources));
  EXPECT_TRUE(std::ranges::equal(found_targets, targets));
  EXPECT_EQ(Rondo_Neighborhood_graph_order(copy, 3, source_index.data(), target_index.data()), MPI_SUCCESS);
  EXPECT_EQ(source_index, (std::array{0, 1, 2}));
  EXPECT_EQ(target_index, source_index);
  source_index.fill(-7);
  EXPECT_EQ(Rondo_Neighborhood_graph_order(copy, 1, source_index.data(), target_index.data()), MPI_SUCCESS);
  EXPECT_EQ(source_index, (std::array{0, -7, -7}));
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  // None: rank 0 has an edge more.
  if (p == 1) return;
  Graph odd = graph;
  odd.targets[0].push_back(1);
  odd.sources[1].push_back(0);
  comm = make(odd);
  ASSERT_EQ(Rondo_Neighborhood_from_graph(comm, 2, sizes.data(), periods.data(), MPI_INFO_NULL, &isomorphic,
                                          reason.data(), &cart),
            MPI_SUCCESS);
  EXPECT_EQ(isomorphic, 0);
  EXPECT_EQ(cart, MPI_COMM_NULL);
  EXPECT_NE(std::string(reason.data()).find("of graphcomm has "), std::string::npos);
  EXPECT_EQ(
      Rondo_Neighborhood_from_graph(comm, 2, sizes.data(), periods.data(), MPI_INFO_NULL, &isomorphic, nullptr, &cart),
      MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::graph_neighborhood_test
