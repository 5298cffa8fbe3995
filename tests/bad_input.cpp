// Bad input: each is refused before anything is posted, with MPI's error class and a text that names the argument.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <array>
#include <string>
#include <vector>

namespace rondo {
namespace {

int world_size() {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The code is of this class, and the text has all of the words.
void expect_error(int code, int error_class, std::initializer_list<const char*> words, int line) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  EXPECT_EQ(found, error_class) << "line " << line;
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  ASSERT_EQ(Rondo_Error_string(code, text.data(), &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text.data()).size(), static_cast<std::size_t>(length));
  for (const char* word : words) {
    EXPECT_NE(std::string(text.data()).find(word), std::string::npos)
        << "line " << line << ": \"" << text.data() << "\" lacks \"" << word << '"';
  }
}

class BadInput : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    sizes = {world_size(), 1};
    ASSERT_EQ(create(), MPI_SUCCESS);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    good = cart;
    cart = MPI_COMM_NULL;
  }
  void TearDown() override {
    // Whatever was refused, the communicator still works.
    const std::array send{1, 2};
    std::array recv{0, 0};
    EXPECT_EQ(Rondo_Cart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good), MPI_SUCCESS);
    EXPECT_EQ(recv, send);
    MPI_Comm_free(&good);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  int create() {
    return Rondo_Cart_neighborhood_create(comm, d, sizes.data(), periods.data(), t, offsets, weight, info, 0, &cart);
  }

  MPI_Comm comm = MPI_COMM_WORLD;
  int d = 2;
  std::array<int, 2> sizes{};
  std::array<int, 2> periods{1, 1};
  int t = 2;
  std::array<int, 4> list{1, 0, -1, 0};
  const int* offsets = list.data();
  const int* weight = MPI_UNWEIGHTED;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Comm good = MPI_COMM_NULL;
};

TEST_F(BadInput, NeighborhoodCreate) {
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

TEST_F(BadInput, RanksThatDifferFailAlike) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  if (world_rank() == 1) list[1] = 1;
  expect_error(create(), MPI_ERR_TOPOLOGY, {"all ranks"}, __LINE__);
  list[1] = 0;
  if (world_rank() == 1) periods[0] = 0;
  expect_error(create(), MPI_ERR_TOPOLOGY, {"periods"}, __LINE__);
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

TEST_F(BadInput, IsoNeighborhoodCreate) {
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
  expect_error(Rondo_Cart_neighborhood_get(iso, 2, two.data(), nullptr), MPI_ERR_ARG, {"destinations: is null"},
               __LINE__);
  expect_error(Rondo_Cart_neighborhood_count(MPI_COMM_WORLD, &count, &in, &out), MPI_ERR_TOPOLOGY, {"not Cartesian"},
               __LINE__);
  expect_error(Rondo_Cart_neighborhood_count(MPI_COMM_NULL, &count, &in, &out), MPI_ERR_COMM, {"cartcomm"}, __LINE__);
  MPI_Comm_free(&topology);
}

TEST_F(BadInput, NeighborhoodsByShape) {
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

TEST_F(BadInput, NeighborhoodFromGraph) {
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
               {"is not from a graph"}, __LINE__);
  MPI_Comm_free(&cart);
  const auto class_of = [&](std::span<const int> its_sizes, std::span<const int> its_periods, const Options& options) {
    try {
      static_cast<void>(CartComm::from_graph(graph, its_sizes, its_periods, options));
    } catch (const Error& error) {
      return error.error_class();
    }
    return MPI_SUCCESS;
  };
  EXPECT_EQ(class_of(sizes, std::span(periods).first(1), {}), MPI_ERR_DIMS);
  EXPECT_EQ(class_of(sizes, periods, {.reorder = true}), MPI_ERR_ARG);
  EXPECT_EQ(class_of(sizes, periods, {.schedule = "never"}), MPI_ERR_INFO_VALUE);
  MPI_Comm_free(&graph);
}

/// A Cartesian communicator of no dimensions holds one process, which has no neighbors.
TEST_F(BadInput, NoDimensions) {
  MPI_Comm point = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &point);
  if (point == MPI_COMM_NULL) return;
  MPI_Comm_set_errhandler(point, MPI_ERRORS_RETURN);
  int count = -1, in = -1, out = -1;
  EXPECT_EQ(Rondo_Cart_neighborhood_count(point, &count, &in, &out), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  MPI_Comm iso = MPI_COMM_NULL;
  expect_error(Rondo_Iso_neighborhood_create(point, 0, nullptr, &iso), MPI_ERR_DIMS, {"d: is 0"}, __LINE__);
  MPI_Comm_free(&point);
}

TEST_F(BadInput, Queries) {
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

TEST_F(BadInput, AlltoallInAllForms) {
  std::array<int, 2> send{1, 2};
  std::array<int, 2> recv{};
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  struct Case {
    const void* send;
    int send_count;
    MPI_Datatype send_type;
    void* recv;
    int recv_count;
    MPI_Datatype recv_type;
    MPI_Comm comm;
    int error_class;
    const char* word;
  };
  const Case cases[] = {
      {send.data(), -1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_ERR_COUNT, "sendcount: is -1"},
      {send.data(), 1, MPI_INT, recv.data(), -2, MPI_INT, good, MPI_ERR_COUNT, "recvcount: is -2"},
      {send.data(), 1, MPI_DATATYPE_NULL, recv.data(), 1, MPI_INT, good, MPI_ERR_TYPE,
       "sendtype: is MPI_DATATYPE_NULL"},
      {send.data(), 1, uncommitted, recv.data(), 1, MPI_INT, good, MPI_ERR_TYPE, "sendtype: datatype is not committed"},
      {send.data(), 1, MPI_INT, recv.data(), 1, uncommitted, good, MPI_ERR_TYPE, "recvtype"},
      {send.data(), 1, MPI_INT, recv.data(), 2, MPI_INT, good, MPI_ERR_TRUNCATE, "sendcount and recvcount"},
      {nullptr, 1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_ERR_BUFFER, "sendbuf: is null"},
      {send.data(), 1, MPI_INT, nullptr, 1, MPI_INT, good, MPI_ERR_BUFFER, "recvbuf: is null"},
      {MPI_IN_PLACE, 1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_ERR_BUFFER, "MPI_IN_PLACE"},
      {send.data(), 1, MPI_INT, send.data(), 1, MPI_INT, good, MPI_ERR_BUFFER, "both sent and received"},
      {send.data(), 1, MPI_INT, send.data() + 1, 1, MPI_INT, good, MPI_ERR_BUFFER, "4 bytes at recvbuf + 0"},
      {send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, MPI_COMM_WORLD, MPI_ERR_TOPOLOGY, "no neighborhood"},
      {send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, MPI_COMM_NULL, MPI_ERR_COMM, "MPI_COMM_NULL"},
  };
  for (const Case& c : cases) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    expect_error(Rondo_Cart_alltoall(c.send, c.send_count, c.send_type, c.recv, c.recv_count, c.recv_type, c.comm),
                 c.error_class, {"Rondo_Cart_alltoall", c.word}, __LINE__);
    expect_error(
        Rondo_Icart_alltoall(c.send, c.send_count, c.send_type, c.recv, c.recv_count, c.recv_type, c.comm, &request),
        c.error_class, {"Rondo_Icart_alltoall", c.word}, __LINE__);
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
    expect_error(Rondo_Cart_alltoall_init(c.send, c.send_count, c.send_type, c.recv, c.recv_count, c.recv_type, c.comm,
                                          MPI_INFO_NULL, &request),
                 c.error_class, {"Rondo_Cart_alltoall_init", c.word}, __LINE__);
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
  }
  MPI_Type_free(&uncommitted);
}

TEST_F(BadInput, OneRanksMistakeInInitIsToldToAll) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const std::array send{1, 2};
  std::array recv{0, 0};
  const int count = world_rank() == 0 ? -1 : 1;
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int code =
      Rondo_Cart_alltoall_init(send.data(), count, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_INFO_NULL, &request);
  if (world_rank() == 0)
    expect_error(code, MPI_ERR_COUNT, {"sendcount: is -1"}, __LINE__);
  else
    expect_error(code, MPI_ERR_ARG, {"rank 0 of cartcomm"}, __LINE__);
}

/// A further neighborhood that is wrong on one rank is made nowhere.
TEST_F(BadInput, FurtherNeighborhoods) {
  const bool mistaken = world_rank() == 1;
  const CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const auto class_of = [&](const Neighborhood& hood, const Options& options = {}) {
    try {
      static_cast<void>(torus.with_neighborhood(hood, options));
    } catch (const Error& error) {
      return error.error_class();
    }
    return MPI_SUCCESS;
  };
  EXPECT_EQ(class_of(mistaken ? moore(2, 1) : moore(1, 1)), mistaken ? MPI_ERR_DIMS : MPI_ERR_ARG);
  EXPECT_EQ(class_of(mistaken ? moore(1, 2) : moore(1, 1)), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(class_of(Neighborhood(1, std::array{1, 2}, std::array{1, mistaken ? -1 : 1})), MPI_ERR_ARG);
  EXPECT_EQ(class_of(Neighborhood(1, std::array{1, 2}, std::array{1, mistaken ? 2 : 1})), MPI_ERR_TOPOLOGY);
  Options options;
  options.algorithm = mistaken ? "fastest" : "";
  EXPECT_EQ(class_of(moore(1, 1), options), mistaken ? MPI_ERR_INFO_VALUE : MPI_ERR_ARG);
  options.algorithm = mistaken ? "direct" : "combining";
  EXPECT_EQ(class_of(moore(1, 1), options), MPI_ERR_TOPOLOGY);
  options = {.reorder = mistaken};
  EXPECT_EQ(class_of(moore(1, 1), options), MPI_ERR_ARG);
  // Who vouches hears of it alone.
  options = {.assert_isomorphic = true};
  EXPECT_EQ(class_of(mistaken ? moore(2, 1) : moore(1, 1), options), mistaken ? MPI_ERR_DIMS : MPI_SUCCESS);
  EXPECT_EQ(class_of(moore(1, 1)), MPI_SUCCESS);
}

/// Whatever is wrong on one rank of an init alone: all hear of it, and the next init is right.
TEST_F(BadInput, NoMistakeInInitLeavesOthersWaiting) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool mistaken = world_rank() == 1;
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::array send{1, 2, 3, 4};
  std::array recv{0, 0, 0, 0};
  const std::array counts{1, 1};
  const std::array places{0, 1};
  const std::span<const int> from(send);
  const std::span<int> to(recv);
  const auto class_of = [](auto body) {
    try {
      static_cast<void>(body());
    } catch (const Error& error) {
      return error.error_class();
    }
    return MPI_SUCCESS;
  };
  const auto expect = [&](int on_one, int on_others, int got) { EXPECT_EQ(got, mistaken ? on_one : on_others); };
  expect(MPI_ERR_BUFFER, MPI_ERR_ARG,
         class_of([&] { return torus.alltoall_init<int>(mistaken ? from.first(1) : from, to); }));
  expect(MPI_ERR_ARG, MPI_ERR_ARG, class_of([&] {
           return torus.alltoallv_init<int>(from, std::span(counts).first(mistaken ? 1 : 2), places, to, counts,
                                            places);
         }));
  expect(MPI_ERR_ARG, MPI_ERR_ARG, class_of([&] {
           const std::vector<SendBlock> blocks(mistaken ? 1 : 2, SendBlock{send.data(), 1, MPI_INT});
           return torus.alltoallw_init(blocks,
                                       std::vector{RecvBlock{&recv[0], 1, MPI_INT}, RecvBlock{&recv[1], 1, MPI_INT}});
         }));
  Options wrong;
  wrong.algorithm = mistaken ? "fastest" : "direct";
  expect(MPI_ERR_INFO_VALUE, MPI_ERR_ARG, class_of([&] { return torus.alltoall_init<int>(from, to, 1, wrong); }));
  // Blocks that all send alike are to be received alike.
  expect(MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, class_of([&] {
           const std::array received{mistaken ? 2 : 1, 1};
           return torus.alltoallv_init<int>(from, counts, places, to, received, std::array{0, 2});
         }));
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int code = Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_INFO_NULL,
                                            mistaken ? nullptr : &request);
  expect_error(code, MPI_ERR_ARG, {mistaken ? "request: is null" : "rank 1 of cartcomm"}, __LINE__);
  Request right = torus.alltoall_init<int>(from, to);
  right.start();
  right.wait();
}

TEST_F(BadInput, RanksThatDifferInAnInit) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool other = world_rank() == 1;
  const std::array send{1, 2, 3, 4};
  std::array recv{0, 0, 0, 0};
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int count = other ? 2 : 1;
  expect_error(
      Rondo_Cart_alltoall_init(send.data(), count, MPI_INT, recv.data(), count, MPI_INT, good, MPI_INFO_NULL, &request),
      MPI_ERR_COUNT, {"sendcount", "all ranks"}, __LINE__);
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_algorithm", other ? "direct" : "combining");
  expect_error(Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, info, &request),
               MPI_ERR_INFO_VALUE, {"info: all ranks"}, __LINE__);
  MPI_Info_free(&info);
  // What Rondo has not said itself is told in MPI's words.
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  EXPECT_EQ(Rondo_Error_string(MPI_ERR_WIN, text.data(), &length), MPI_SUCCESS);
  EXPECT_GT(length, 0);
}

/// An assertion that some rank can't keep its part of is not a reason to ask the others.
TEST_F(BadInput, WhoVouchesIsNotAsked) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::array send{1, 2};
  std::array recv{0, 0};
  Options options;
  options.assert_uniform = true;
  options.algorithm = world_rank() == 0 ? "fastest" : "";
  bool thrown = false;
  try {
    static_cast<void>(torus.alltoall_init<int>(std::span<const int>(send), std::span<int>(recv), 1, options));
  } catch (const Error& error) {
    thrown = error.error_class() == MPI_ERR_INFO_VALUE;
  }
  EXPECT_EQ(thrown, world_rank() == 0);
}

TEST_F(BadInput, IrregularArguments) {
  const std::array send{1, 2, 3, 4};
  std::array recv{0, 0, 0, 0};
  const std::array counts{1, 1};
  const std::array negative{1, -4};
  const std::array places{0, 1};
  const std::array<MPI_Aint, 2> bytes{0, 4};
  const std::array types{MPI_INT, MPI_INT};
  const std::array null_types{MPI_INT, MPI_DATATYPE_NULL};
  expect_error(Rondo_Cart_alltoallv(send.data(), negative.data(), places.data(), MPI_INT, recv.data(), counts.data(),
                                    places.data(), MPI_INT, good),
               MPI_ERR_COUNT, {"sendcounts[1]: is -4"}, __LINE__);
  expect_error(Rondo_Cart_alltoallv(send.data(), nullptr, places.data(), MPI_INT, recv.data(), counts.data(),
                                    places.data(), MPI_INT, good),
               MPI_ERR_ARG, {"sendcounts: is null"}, __LINE__);
  expect_error(Rondo_Cart_alltoallw(send.data(), counts.data(), bytes.data(), types.data(), recv.data(), counts.data(),
                                    bytes.data(), null_types.data(), good),
               MPI_ERR_TYPE, {"recvtypes[1]: is MPI_DATATYPE_NULL"}, __LINE__);
  expect_error(Rondo_Cart_alltoallv(send.data(), counts.data(), nullptr, MPI_INT, recv.data(), counts.data(),
                                    places.data(), MPI_INT, good),
               MPI_ERR_ARG, {"send displacements: is null"}, __LINE__);
  expect_error(Rondo_Cart_alltoallw(send.data(), counts.data(), bytes.data(), types.data(), recv.data(), counts.data(),
                                    bytes.data(), nullptr, good),
               MPI_ERR_ARG, {"recvtypes: is null"}, __LINE__);
  // Blocks that share bytes across the two sides of one array.
  std::array both{1, 2, 3};
  const std::array<MPI_Aint, 2> shifted{4, 8};
  expect_error(Rondo_Cart_alltoallw(both.data(), counts.data(), bytes.data(), types.data(), both.data(), counts.data(),
                                    shifted.data(), types.data(), good),
               MPI_ERR_BUFFER, {"4 bytes at recvbuf + 4 are both sent and received"}, __LINE__);
}

TEST_F(BadInput, RequestsInTheWrongState) {
  const std::array send{1, 2};
  std::array recv{0, 0};
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_error(Rondo_Start(&request), MPI_ERR_REQUEST, {"RONDO_REQUEST_NULL"}, __LINE__);
  expect_error(Rondo_Request_free(&request), MPI_ERR_REQUEST, {"RONDO_REQUEST_NULL"}, __LINE__);
  expect_error(Rondo_Wait(nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG, {"request"}, __LINE__);
  ASSERT_EQ(Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  const Rondo_Request copy = request;
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  expect_error(Rondo_Start(&request), MPI_ERR_REQUEST, {"is active"}, __LINE__);
  expect_error(Rondo_Request_free(&request), MPI_ERR_REQUEST, {"is active"}, __LINE__);
  EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(recv, send) << "the refused calls did no harm";
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  Rondo_Request stale = copy;
  expect_error(Rondo_Start(&stale), MPI_ERR_REQUEST, {"was freed"}, __LINE__);
  expect_error(Rondo_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, {"was freed"}, __LINE__);
  Rondo_Request nonblocking = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Icart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, &nonblocking), MPI_SUCCESS);
  expect_error(Rondo_Start(&nonblocking), MPI_ERR_REQUEST, {"not persistent"}, __LINE__);
  EXPECT_EQ(Rondo_Wait(&nonblocking, MPI_STATUS_IGNORE), MPI_SUCCESS);
  int index = 0;
  expect_error(Rondo_Waitall(-1, &request, MPI_STATUSES_IGNORE), MPI_ERR_ARG, {"count: is -1"}, __LINE__);
  expect_error(Rondo_Waitany(1, nullptr, &index, MPI_STATUS_IGNORE), MPI_ERR_ARG, {"requests"}, __LINE__);
}

TEST_F(BadInput, ExceptionsInCpp) {
  const auto class_of = [](auto body) {
    try {
      body();
    } catch (const Error& error) {
      return error.error_class();
    }
    return MPI_SUCCESS;
  };
  EXPECT_EQ(class_of([] { CartComm(MPI_COMM_WORLD, {world_size() + 1}, moore(1, 1)); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { CartComm(MPI_COMM_WORLD, {world_size()}, moore(2, 1)); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { CartComm(MPI_COMM_WORLD, {world_size(), 1}, {0}, moore(2, 1)); }), MPI_ERR_DIMS);
  Options unknown;
  unknown.schedule = "never";
  EXPECT_EQ(class_of([&] { CartComm(MPI_COMM_WORLD, {world_size()}, moore(1, 1), unknown); }), MPI_ERR_INFO_VALUE);
  unknown = {.messages = "by pigeon"};
  EXPECT_EQ(class_of([&] { CartComm(MPI_COMM_WORLD, {world_size()}, moore(1, 1), unknown); }), MPI_ERR_INFO_VALUE);
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::vector<int> send(1);
  std::vector<int> recv(2);
  EXPECT_EQ(class_of([&] { torus.alltoall<int>(send, recv); }), MPI_ERR_BUFFER) << "one element is too few";
  EXPECT_EQ(class_of([&] { torus.alltoallw({}, {}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([] { Request().start(); }), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of([&] { static_cast<void>(torus.relative_rank({1, 1})); }), MPI_ERR_DIMS);
  EXPECT_EQ(torus.relative_rank({1}), (torus.rank() + 1) % world_size());
  const std::array counts{1, 1};
  std::vector<int> two(2);
  EXPECT_EQ(class_of([&] { torus.alltoallv<int>(two, counts, std::span(counts).first(1), recv, counts, counts); }),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { static_cast<void>(torus.ialltoallw({}, {})); }), MPI_ERR_ARG);
  CartComm other(MPI_COMM_WORLD, {world_size()}, von_neumann(1, 1));
  other = std::move(torus);
  EXPECT_EQ(other.neighbor_count(), 2);
  EXPECT_EQ(torus.native(), MPI_COMM_NULL);
  EXPECT_EQ(class_of([&] { static_cast<void>(torus.neighbor_count()); }), MPI_ERR_COMM);
}

TEST_F(BadInput, TheEnvironment) {
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
}  // namespace rondo
