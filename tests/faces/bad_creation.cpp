// Bad input to what makes and asks neighborhoods: refused with MPI's error class and a text that names the argument.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::bad_creation_test {
namespace {

using BadCreation = BadInput;

TEST_F(BadCreation, NeighborhoodCreate) {
  comm = MPI_COMM_NULL;
  expect_error(create(), MPI_ERR_COMM, {"comm", "MPI_COMM_NULL"}, __LINE__);
  comm = MPI_COMM_WORLD;
  d = 0;
  expect_error(create(), MPI_ERR_DIMS, {"d: is 0", "at least 1"}, __LINE__);
  d = 2;
  sizes = {world_size(), 2};
  expect_error(create(), MPI_ERR_DIMS, {"dimensions", "product", std::to_string(world_size()).c_str()}, __LINE__);
  sizes = {0, 1};
  expect_error(create(), MPI_ERR_DIMS, {"dimensions[0]: is 0"}, __LINE__);
  sizes = {world_size(), 1};
  t = -3;
  expect_error(create(), MPI_ERR_ARG, {"t: is -3"}, __LINE__);
  t = 2;
  offsets = nullptr;
  expect_error(create(), MPI_ERR_ARG, {"targetrelative: is null"}, __LINE__);
  offsets = list.data();
  const std::array weights{1, -1};
  weight = weights.data();
  expect_error(create(), MPI_ERR_ARG, {"weight[1]: is -1"}, __LINE__);
  weight = MPI_UNWEIGHTED;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_algorithm", "fastest");
  expect_error(create(), MPI_ERR_INFO_VALUE, {"rondo_algorithm", "fastest", "combining"}, __LINE__);
  MPI_Info_set(info, "rondo_algorithm", "auto");
  for (const char* ports : {"many", "-1", "3x", "99999999999"}) {
    MPI_Info_set(info, "rondo_ports", ports);
    expect_error(create(), MPI_ERR_INFO_VALUE, {"rondo_ports", ports, "number of exchanges"}, __LINE__);
  }
  MPI_Info_delete(info, "rondo_ports");
  MPI_Info_free(&info);
  EXPECT_EQ(cart, MPI_COMM_NULL);
  expect_error(
      Rondo_Cart_neighborhood_create(comm, d, sizes.data(), periods.data(), t, offsets, weight, info, 0, nullptr),
      MPI_ERR_ARG, {"cartcomm"}, __LINE__);
}

TEST_F(BadCreation, RanksThatDifferFailAlike) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool differs = world_rank() == 1;
  const auto expect_different = [&](const char* arguments, int line) {
    expect_error(create(), MPI_ERR_TOPOLOGY, {"neighborhood: all ranks of comm must give the same d, ", arguments},
                 line);
  };
  if (differs) list[1] = 1;
  expect_different("differ in neighborhood (rank 1 gave another than rank 0)", __LINE__);
  list[1] = 0;
  if (differs) periods[0] = 0;
  expect_different("differ in periods (rank 1 gave another than rank 0)", __LINE__);
  if (differs) std::swap(sizes[0], sizes[1]);
  expect_different("differ in dimensions (rank 1 gave another than rank 0), periods (rank 1 gave another", __LINE__);
  if (differs) std::swap(sizes[0], sizes[1]);
  periods[0] = 1;
  const std::array numbers{1, 2};
  weight = differs ? numbers.data() : MPI_UNWEIGHTED;
  expect_different("differ in weights (rank 1 gave another than rank 0)", __LINE__);
  weight = MPI_UNWEIGHTED;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_ports", differs ? "2" : "1");
  expect_different("differ in info (rank 1 gave another than rank 0)", __LINE__);
  MPI_Info_free(&info);
  reorder = differs ? 1 : 0;
  expect_different("differ in reorder (rank 1 gave another than rank 0)", __LINE__);
  reorder = 0;
  if (differs) d = 1;
  expect_different("differ in d (rank 1 gave another than rank 0)", __LINE__);
  d = 2;
  periods[0] = world_rank() == 1 ? 5 : 1;  // any nonzero flag says the same
  EXPECT_EQ(create(), MPI_SUCCESS);
  MPI_Comm_free(&cart);
  if (world_rank() == 1) d = 0;
  const int code = create();
  if (world_rank() == 1)
    expect_error(code, MPI_ERR_DIMS, {"d: is 0"}, __LINE__);
  else
    expect_error(code, MPI_ERR_ARG, {"rank 1 of comm"}, __LINE__);
  d = 2;
  // Without the check the difference goes unseen: the caller vouched for it.
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_assert_isomorphic", "true");
  EXPECT_EQ(create(), MPI_SUCCESS);
  MPI_Comm_free(&cart);
  MPI_Info_free(&info);
}

TEST_F(BadCreation, IsoNeighborhoodCreate) {
  MPI_Comm topology = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 0, &topology);
  MPI_Comm iso = MPI_COMM_NULL;
  const int* list_of_mine = list.data();
  int s = 2;
  MPI_Comm* to = &iso;
  const auto make = [&](MPI_Comm on) { return Rondo_Iso_neighborhood_create(on, s, list_of_mine, to); };
  expect_error(make(MPI_COMM_NULL), MPI_ERR_COMM, {"cartcomm: is MPI_COMM_NULL"}, __LINE__);
  expect_error(make(MPI_COMM_WORLD), MPI_ERR_TOPOLOGY, {"cartcomm: is not Cartesian"}, __LINE__);
  s = -1;
  expect_error(make(topology), MPI_ERR_ARG, {"s: is -1"}, __LINE__);
  s = 2;
  list_of_mine = nullptr;
  expect_error(make(topology), MPI_ERR_ARG, {"relative_coordinates: is null"}, __LINE__);
  list_of_mine = list.data();
  to = nullptr;
  expect_error(make(topology), MPI_ERR_ARG, {"isocomm: is null"}, __LINE__);
  to = &iso;
  setenv("RONDO_SCHEDULE", "never", 1);
  expect_error(make(topology), MPI_ERR_INFO_VALUE, {"RONDO_SCHEDULE", "never"}, __LINE__);
  unsetenv("RONDO_SCHEDULE");
  // What is wrong on one rank, on a communicator without a neighborhood and on one that has one.
  if (world_size() > 1) {
    const bool mistaken = world_rank() == 1;
    for (const MPI_Comm on : {topology, good}) {
      s = mistaken ? -1 : 2;
      expect_error(make(on), MPI_ERR_ARG, {mistaken ? "s: is -1" : "rank 1 of comm"}, __LINE__);
      s = 2;
      to = mistaken ? nullptr : &iso;
      expect_error(make(on), MPI_ERR_ARG, {mistaken ? "isocomm: is null" : "rank 1 of comm"}, __LINE__);
      to = &iso;
      list[0] = mistaken ? 2 : 1;
      expect_error(make(on), MPI_ERR_TOPOLOGY, {"neighborhood: all ranks"}, __LINE__);
      list[0] = 1;
      EXPECT_EQ(iso, MPI_COMM_NULL);
    }
  }
  int count = 0, in = 0, out = 0;
  std::array<int, 2> two{};
  expect_error(Rondo_Iso_neighborhood_count(topology, &count, &in, &out), MPI_ERR_TOPOLOGY, {"no neighborhood"},
               __LINE__);
  expect_error(Rondo_Iso_neighborhood_get(MPI_COMM_NULL, 2, two.data(), two.data()), MPI_ERR_COMM, {"MPI_COMM_NULL"},
               __LINE__);
  EXPECT_EQ(make(topology), MPI_SUCCESS) << "nothing that was refused left anything behind";
  EXPECT_EQ(iso, topology);
  expect_error(Rondo_Iso_neighborhood_count(iso, nullptr, &in, &out), MPI_ERR_ARG, {"s: is null"}, __LINE__);
  expect_error(Rondo_Iso_neighborhood_count(iso, &count, nullptr, &out), MPI_ERR_ARG, {"indegree: is null"}, __LINE__);
  expect_error(Rondo_Iso_neighborhood_get(iso, -1, two.data(), two.data()), MPI_ERR_ARG, {"max_s: is -1"}, __LINE__);
  expect_error(Rondo_Iso_neighborhood_graph_get(iso, 2, nullptr, two.data()), MPI_ERR_ARG, {"sources: is null"},
               __LINE__);
  expect_error(Rondo_Cart_mpi_neighbor_get(iso, 2, two.data(), nullptr), MPI_ERR_ARG, {"destinations: is null"},
               __LINE__);
  expect_error(Rondo_Cart_mpi_neighbor_count(MPI_COMM_WORLD, &count, &in, &out), MPI_ERR_TOPOLOGY, {"not Cartesian"},
               __LINE__);
  expect_error(Rondo_Cart_mpi_neighbor_count(MPI_COMM_NULL, &count, &in, &out), MPI_ERR_COMM, {"cartcomm"}, __LINE__);
  MPI_Comm_free(&topology);
}

TEST_F(BadCreation, NeighborhoodsByShape) {
  std::array<int, 4> four{};
  int count = 0;
  expect_error(Rondo_Neighborhood_moore(0, 1, 2, four.data(), &count), MPI_ERR_DIMS, {"dimensions: is 0"}, __LINE__);
  expect_error(Rondo_Neighborhood_moore(2, -1, 2, four.data(), &count), MPI_ERR_ARG, {"radius: is -1"}, __LINE__);
  expect_error(Rondo_Neighborhood_moore(20, 3, 2, four.data(), &count), MPI_ERR_ARG, {"dimensions: is 20"}, __LINE__);
  expect_error(Rondo_Neighborhood_von_neumann(2, 1, -2, four.data(), &count), MPI_ERR_ARG, {"maxt: is -2"}, __LINE__);
  expect_error(Rondo_Neighborhood_von_neumann(2, 1, 2, nullptr, &count), MPI_ERR_ARG, {"targetrelative"}, __LINE__);
  expect_error(Rondo_Neighborhood_box(2, 0, 1, 2, four.data(), &count), MPI_ERR_ARG, {"n: is 0"}, __LINE__);
  expect_error(Rondo_Neighborhood_box(2, 2, 2147483647, 2, four.data(), &count), MPI_ERR_ARG, {"first: is 2147483647"},
               __LINE__);
  expect_error(Rondo_Neighborhood_box(2, 2, 1, 2, four.data(), nullptr), MPI_ERR_ARG, {"t: is null"}, __LINE__);
  count = -1;
  expect_error(Rondo_Neighborhood_subtract(2, &count, four.data(), nullptr, 0, nullptr), MPI_ERR_ARG,
               {"targetrelative: is a list of -1"}, __LINE__);
  count = 2;
  expect_error(Rondo_Neighborhood_subtract(2, &count, four.data(), nullptr, 1, nullptr), MPI_ERR_ARG,
               {"other: is null"}, __LINE__);
  expect_error(Rondo_Neighborhood_subtract(-2, &count, four.data(), nullptr, 1, four.data()), MPI_ERR_DIMS,
               {"dimensions: is -2"}, __LINE__);
  expect_error(Rondo_Neighborhood_shuffle(2, 2, nullptr, nullptr, 1), MPI_ERR_ARG, {"targetrelative: is null"},
               __LINE__);
  EXPECT_EQ(Rondo_Neighborhood_shuffle(2, 0, nullptr, nullptr, 1), MPI_SUCCESS);
}

TEST_F(BadCreation, NeighborhoodFromGraph) {
  const bool mistaken = world_rank() == 1;
  const std::array self{world_rank()};
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, self.data(), MPI_UNWEIGHTED, 1, self.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  int isomorphic = 0;
  int* flag = &isomorphic;
  MPI_Comm* to = &cart;
  const auto find = [&](MPI_Comm in) {
    return Rondo_Neighborhood_from_graph(in, d, sizes.data(), periods.data(), info, flag, nullptr, to);
  };
  expect_error(find(MPI_COMM_NULL), MPI_ERR_COMM, {"graphcomm: is MPI_COMM_NULL"}, __LINE__);
  expect_error(find(MPI_COMM_WORLD), MPI_ERR_TOPOLOGY, {"graphcomm: is not a distributed graph"}, __LINE__);
  d = mistaken ? 0 : 2;
  expect_error(find(graph), mistaken ? MPI_ERR_DIMS : MPI_ERR_ARG, {mistaken ? "d: is 0" : "rank 1 of comm"}, __LINE__);
  d = 2;
  sizes[0] += mistaken ? 1 : 0;
  expect_error(find(graph), mistaken ? MPI_ERR_DIMS : MPI_ERR_ARG, {mistaken ? "product" : "rank 1 of comm"}, __LINE__);
  sizes[0] = world_size();
  periods[0] = mistaken ? 0 : 1;
  expect_error(find(graph), MPI_ERR_TOPOLOGY, {"all ranks", "periods"}, __LINE__);
  periods[0] = 1;
  flag = mistaken ? nullptr : &isomorphic;
  expect_error(find(graph), MPI_ERR_ARG, {mistaken ? "isomorphic: is null" : "rank 1 of comm"}, __LINE__);
  flag = &isomorphic;
  to = mistaken ? nullptr : &cart;
  expect_error(find(graph), MPI_ERR_ARG, {mistaken ? "cartcomm: is null" : "rank 1 of comm"}, __LINE__);
  to = &cart;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_algorithm", mistaken ? "fastest" : "direct");
  expect_error(find(graph), mistaken ? MPI_ERR_INFO_VALUE : MPI_ERR_ARG, {mistaken ? "fastest" : "rank 1 of comm"},
               __LINE__);
  MPI_Info_free(&info);
  EXPECT_EQ(cart, MPI_COMM_NULL);
  EXPECT_EQ(find(graph), MPI_SUCCESS);
  EXPECT_EQ(isomorphic, 1);
  std::array<int, 1> one{};
  expect_error(Rondo_Neighborhood_graph_order(cart, -1, one.data(), one.data()), MPI_ERR_ARG, {"maxt: is -1"},
               __LINE__);
  expect_error(Rondo_Neighborhood_graph_order(cart, 1, nullptr, one.data()), MPI_ERR_ARG, {"sourceindex: is null"},
               __LINE__);
  expect_error(Rondo_Neighborhood_graph_order(good, 1, one.data(), one.data()), MPI_ERR_TOPOLOGY,
               {"was not made from a graph"}, __LINE__);
  MPI_Comm_free(&cart);
  const auto outcome = [&](std::span<const int> its_sizes, std::span<const int> its_periods, const Options& options) {
    return class_of([&] { return CartComm::from_graph(graph, its_sizes, its_periods, options); });
  };
  EXPECT_EQ(outcome(sizes, std::span(periods).first(1), {}), MPI_ERR_DIMS);
  EXPECT_EQ(outcome(sizes, periods, {.reorder = true}), MPI_ERR_ARG);
  EXPECT_EQ(outcome(sizes, periods, {.schedule = static_cast<Ordering>(200)}), MPI_ERR_INFO_VALUE);
  MPI_Comm_free(&graph);
}

/// A Cartesian communicator of no dimensions holds one process, which has no neighbors.
TEST_F(BadCreation, NoDimensions) {
  MPI_Comm point = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &point);
  if (point == MPI_COMM_NULL) return;
  MPI_Comm_set_errhandler(point, MPI_ERRORS_RETURN);
  int count = -1, in = -1, out = -1;
  EXPECT_EQ(Rondo_Cart_mpi_neighbor_count(point, &count, &in, &out), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  MPI_Comm iso = MPI_COMM_NULL;
  expect_error(Rondo_Iso_neighborhood_create(point, 0, nullptr, &iso), MPI_ERR_DIMS, {"d: is 0"}, __LINE__);
  MPI_Comm_free(&point);
}

TEST_F(BadCreation, Queries) {
  int out = 0;
  std::array<int, 2> two{};
  expect_error(Rondo_Cart_neighbor_count(MPI_COMM_NULL, &out), MPI_ERR_COMM, {"MPI_COMM_NULL"}, __LINE__);
  expect_error(Rondo_Cart_neighbor_count(MPI_COMM_WORLD, &out), MPI_ERR_TOPOLOGY, {"no neighborhood"}, __LINE__);
  expect_error(Rondo_Cart_neighbor_count(good, nullptr), MPI_ERR_ARG, {"t: is null"}, __LINE__);
  expect_error(Rondo_Cart_relative_rank(good, nullptr, &out), MPI_ERR_ARG, {"relative"}, __LINE__);
  expect_error(Rondo_Cart_relative_coord(good, 999, two.data()), MPI_ERR_RANK, {"rank: is 999"}, __LINE__);
  expect_error(Rondo_Cart_neighbor_get(good, -1, two.data(), nullptr, 0, nullptr, nullptr), MPI_ERR_ARG,
               {"maxin: is -1"}, __LINE__);
  expect_error(Rondo_Cart_neighbor_get(good, 2, nullptr, nullptr, 0, nullptr, nullptr), MPI_ERR_ARG, {"source"},
               __LINE__);
}

/// A further neighborhood that is wrong on one rank is made nowhere.
TEST_F(BadCreation, FurtherNeighborhoods) {
  const bool mistaken = world_rank() == 1;
  const CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const auto outcome = [&](const Neighborhood& hood, const Options& options = {}) {
    return class_of([&] { return torus.with_neighborhood(hood, options); });
  };
  EXPECT_EQ(outcome(mistaken ? moore(2, 1) : moore(1, 1)), mistaken ? MPI_ERR_DIMS : MPI_ERR_ARG);
  EXPECT_EQ(outcome(mistaken ? moore(1, 2) : moore(1, 1)), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(outcome(Neighborhood(1, std::array{1, 2}, std::array{1, mistaken ? -1 : 1})), MPI_ERR_ARG);
  EXPECT_EQ(outcome(Neighborhood(1, std::array{1, 2}, std::array{1, mistaken ? 2 : 1})), MPI_ERR_TOPOLOGY);
  Options options;
  if (mistaken) options.algorithm = static_cast<rondo::Algorithm>(200);
  EXPECT_EQ(outcome(moore(1, 1), options), mistaken ? MPI_ERR_INFO_VALUE : MPI_ERR_ARG);
  options.algorithm = mistaken ? rondo::Algorithm::direct : rondo::Algorithm::combining;
  EXPECT_EQ(outcome(moore(1, 1), options), MPI_ERR_TOPOLOGY);
  options = {.reorder = mistaken};
  EXPECT_EQ(outcome(moore(1, 1), options), MPI_ERR_ARG);
  // Who vouches hears of it alone.
  options = {.assert_isomorphic = true};
  EXPECT_EQ(outcome(mistaken ? moore(2, 1) : moore(1, 1), options), mistaken ? MPI_ERR_DIMS : MPI_SUCCESS);
  EXPECT_EQ(outcome(moore(1, 1)), MPI_SUCCESS);
}

TEST_F(BadCreation, TheEnvironment) {
  for (const auto& [variable, value] : {std::pair{"RONDO_ALGORITHM", "fastest"},
                                        {"RONDO_SCHEDULE", "never"},
                                        {"RONDO_MESSAGES", "by pigeon"},
                                        {"RONDO_ASSERT_UNIFORM", "maybe"}}) {
    setenv(variable, value, 1);
    expect_error(create(), MPI_ERR_INFO_VALUE, {variable, value, "must be"}, __LINE__);
    unsetenv(variable);
  }
  setenv("RONDO_ASSERT_UNIFORM", "false", 1);
  setenv("RONDO_SCHEDULE", "phases", 1);
  EXPECT_EQ(create(), MPI_SUCCESS);
  MPI_Comm_free(&cart);
  unsetenv("RONDO_ASSERT_UNIFORM");
  unsetenv("RONDO_SCHEDULE");
  for (const char* messages : {"auto", "staged", "datatype"}) {
    setenv("RONDO_MESSAGES", messages, 1);
    EXPECT_EQ(create(), MPI_SUCCESS);
    MPI_Comm_free(&cart);
    unsetenv("RONDO_MESSAGES");
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_messages", messages);
    EXPECT_EQ(create(), MPI_SUCCESS);
    MPI_Comm_free(&cart);
    MPI_Info_free(&info);
  }
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_messages", "by pigeon");
  expect_error(create(), MPI_ERR_INFO_VALUE, {"rondo_messages", "by pigeon", "auto, staged or datatype"}, __LINE__);
  MPI_Info_free(&info);
  weight = nullptr;
  expect_error(create(), MPI_ERR_ARG, {"weight: is null"}, __LINE__);
  // Who vouches for the neighborhood hears of it alone.
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_assert_isomorphic", "true");
  expect_error(create(), MPI_ERR_ARG, {"weight: is null"}, __LINE__);
  MPI_Info_free(&info);
}

}  // namespace
}  // namespace rondo::internal::bad_creation_test
