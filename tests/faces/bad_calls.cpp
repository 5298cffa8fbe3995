// Bad input to collectives and requests: each is refused before anything is posted, with MPI's error class and a text
// that names the argument.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::bad_calls_test {
namespace {

using BadCalls = BadInput;

TEST_F(BadCalls, AlltoallInAllForms) {
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

TEST_F(BadCalls, OneRanksMistakeInInitIsToldToAll) {
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

/// Whatever is wrong on one rank of an init alone: all hear of it, and the next init is right.
TEST_F(BadCalls, NoMistakeInInitLeavesOthersWaiting) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  const bool mistaken = world_rank() == 1;
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::array send{1, 2, 3, 4};
  std::array recv{0, 0, 0, 0};
  const std::array counts{1, 1};
  const std::array places{0, 1};
  const std::span<const int> from(send);
  const std::span<int> to(recv);
  const auto expect = [&](int on_one, int on_others, int got) { EXPECT_EQ(got, mistaken ? on_one : on_others); };
  expect(MPI_ERR_BUFFER, MPI_ERR_ARG,
         class_of([&] { return torus.alltoall_init(mistaken ? from.first(1) : from, to); }));
  expect(MPI_ERR_ARG, MPI_ERR_ARG, class_of([&] {
           return torus.alltoallv_init(from, {std::span(counts).first(mistaken ? 1 : 2), places}, to, {counts, places});
         }));
  expect(MPI_ERR_ARG, MPI_ERR_ARG, class_of([&] {
           const std::vector<SendBlock> blocks(mistaken ? 1 : 2, SendBlock{send.data(), 1, MPI_INT});
           return torus.alltoallw_init(blocks,
                                       std::vector{RecvBlock{&recv[0], 1, MPI_INT}, RecvBlock{&recv[1], 1, MPI_INT}});
         }));
  Options wrong;
  wrong.algorithm = mistaken ? static_cast<rondo::Algorithm>(200) : rondo::Algorithm::direct;
  expect(MPI_ERR_INFO_VALUE, MPI_ERR_ARG, class_of([&] { return torus.alltoall_init(from, to, 1, wrong); }));
  // Blocks that all send alike are to be received alike.
  expect(MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, class_of([&] {
           const std::array received{mistaken ? 2 : 1, 1};
           return torus.alltoallv_init(from, {counts, places}, to, {received, std::array{0, 2}});
         }));
  // Blocks of any sizes are to be received as their neighbors send them, on a torus and on a mesh.
  for (const int period : {1, 0}) {
    CartComm ring(MPI_COMM_WORLD, {world_size()}, {period}, moore(1, 1));
    const std::array lengths{mistaken ? 2 : 1, 1};
    const int source = period == 1 ? 2 % world_size() : world_size() > 2 ? 2 : -1;  // of block 0 of rank 1
    const std::string text = text_of([&] {
      return ring.alltoallv_init(from, {lengths, std::array{0, 2}}, to, {lengths, std::array{0, 2}});
    });
    const std::string expected =
        source < 0 ? std::string("recv block 0: has 4 bytes on rank 0, but rank 1 sends 8")
                   : "recv block 0: has 8 bytes on rank 1, but rank " + std::to_string(source) + " sends 4";
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  }
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int code = Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_INFO_NULL,
                                            mistaken ? nullptr : &request);
  expect_error(code, MPI_ERR_ARG, {mistaken ? "request: is null" : "rank 1 of cartcomm"}, __LINE__);
  Request right = torus.alltoall_init(from, to);
  right.start();
  right.wait();
}

TEST_F(BadCalls, RanksThatDifferInAnInit) {
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
  std::array<char, MPI_MAX_ERROR_STRING> of_mpi{};
  int length = 0;
  ASSERT_EQ(MPI_Error_string(MPI_ERR_WIN, of_mpi.data(), &length), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Error_string(MPI_ERR_WIN, text.data(), &length), MPI_SUCCESS);
  EXPECT_STREQ(text.data(), of_mpi.data());
  EXPECT_GT(length, 0);
}

/// An assertion that some rank can't keep its part of is not a reason to ask the others.
TEST_F(BadCalls, WhoVouchesIsNotAsked) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::array send{1, 2};
  std::array recv{0, 0};
  Options options;
  options.assert_uniform = true;
  if (world_rank() == 0) options.algorithm = static_cast<rondo::Algorithm>(200);
  bool thrown = false;
  try {
    static_cast<void>(torus.alltoall_init(std::span<const int>(send), std::span<int>(recv), 1, options));
  } catch (const Error& error) {
    thrown = error.error_class() == MPI_ERR_INFO_VALUE;
  }
  EXPECT_EQ(thrown, world_rank() == 0);
}

/// Nor one that the communicator was made with, whatever the environment says.
TEST_F(BadCalls, WhoVouchedForTheCommunicatorIsNotAsked) {
  if (world_size() < 2) GTEST_SKIP() << "needs two ranks";
  setenv("RONDO_ASSERT_UNIFORM", "false", 1);
  Options options;
  options.assert_uniform = true;
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1), options);
  MPI_Comm_set_errhandler(torus.native(), MPI_ERRORS_RETURN);
  MPI_Info ports = MPI_INFO_NULL;
  MPI_Info_create(&ports);
  MPI_Info_set(ports, "rondo_ports", "4");
  const std::array send{1, 2};
  std::array recv{0, 0};
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int code = Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, torus.native(), ports,
                                            world_rank() == 0 ? nullptr : &request);
  EXPECT_EQ(code, world_rank() == 0 ? MPI_ERR_ARG : MPI_SUCCESS);
  if (code == MPI_SUCCESS) Rondo_Request_free(&request);
  MPI_Info_free(&ports);
  unsetenv("RONDO_ASSERT_UNIFORM");
}

TEST_F(BadCalls, IrregularArguments) {
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

TEST_F(BadCalls, RequestsInTheWrongState) {
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
  const std::string where = ") on a communicator of " + std::to_string(world_size()) + " ranks: ";
  expect_error(Rondo_Start(&request), MPI_ERR_REQUEST, {"Rondo_Cart_alltoall_init (", where.c_str(), "is active"},
               __LINE__);
  expect_error(Rondo_Request_free(&request), MPI_ERR_REQUEST,
               {"Rondo_Cart_alltoall_init (", where.c_str(), "is active"}, __LINE__);
  EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(recv, send) << "the refused calls did no harm";
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  Rondo_Request stale = copy;
  expect_error(Rondo_Start(&stale), MPI_ERR_REQUEST, {"was freed"}, __LINE__);
  expect_error(Rondo_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, {"was freed"}, __LINE__);
  Rondo_Request refused = copy;
  expect_error(Rondo_Icart_alltoall(send.data(), -1, MPI_INT, recv.data(), 1, MPI_INT, good, &refused), MPI_ERR_COUNT,
               {"sendcount"}, __LINE__);
  EXPECT_EQ(refused, RONDO_REQUEST_NULL) << "there is nothing to wait for";
  Rondo_Request nonblocking = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Icart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, &nonblocking), MPI_SUCCESS);
  expect_error(Rondo_Start(&nonblocking), MPI_ERR_REQUEST, {"Rondo_Icart_alltoall (", "not persistent"}, __LINE__);
  EXPECT_EQ(Rondo_Wait(&nonblocking, MPI_STATUS_IGNORE), MPI_SUCCESS);
  int index = 0;
  expect_error(Rondo_Waitall(-1, &request, MPI_STATUSES_IGNORE), MPI_ERR_ARG, {"count: is -1"}, __LINE__);
  expect_error(Rondo_Waitany(1, nullptr, &index, MPI_STATUS_IGNORE), MPI_ERR_ARG, {"requests"}, __LINE__);
}

TEST_F(BadCalls, ExceptionsInCpp) {
  EXPECT_EQ(class_of([] { CartComm(MPI_COMM_WORLD, {world_size() + 1}, moore(1, 1)); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_of([] { CartComm(MPI_COMM_WORLD, {world_size()}, moore(2, 1)); }), MPI_ERR_DIMS);
  // As errors of functions do, those of constructors begin with what was called.
  EXPECT_TRUE(text_of([] { return CartComm(MPI_COMM_WORLD, {world_size()}, moore(2, 1)); }).starts_with("CartComm: "));
  EXPECT_TRUE(text_of([] { return Comm(MPI_COMM_NULL); }).starts_with("Comm: comm: is MPI_COMM_NULL"));
  EXPECT_TRUE(text_of([] { return Neighborhood(0); }).starts_with("Neighborhood: dimensions: is 0"));
  EXPECT_TRUE(text_of([] { return Neighborhood(2, std::array{1}); }).starts_with("Neighborhood: flattened: has 1"));
  const CartComm line(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  EXPECT_TRUE(text_of([&] {
                return line.with_neighborhood(moore(2, 1));
              }).starts_with("CartComm::with_neighborhood: neighborhood: has 2 dimensions"));
  EXPECT_TRUE(text_of([] {
                return CartComm::from_graph(MPI_COMM_WORLD, std::array{world_size()}, {});
              }).starts_with("CartComm::from_graph: graphcomm: is not a distributed graph"));
  EXPECT_EQ(class_of([] { CartComm(MPI_COMM_WORLD, {world_size(), 1}, {0}, moore(2, 1)); }), MPI_ERR_DIMS);
  Options unknown;
  unknown.schedule = static_cast<Ordering>(200);
  EXPECT_EQ(class_of([&] { CartComm(MPI_COMM_WORLD, {world_size()}, moore(1, 1), unknown); }), MPI_ERR_INFO_VALUE);
  unknown = {.messages = static_cast<MessageForm>(200)};
  EXPECT_EQ(class_of([&] { CartComm(MPI_COMM_WORLD, {world_size()}, moore(1, 1), unknown); }), MPI_ERR_INFO_VALUE);
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::vector<int> send(1);
  std::vector<int> recv(2);
  EXPECT_EQ(class_of([&] { torus.alltoall(send, recv); }), MPI_ERR_BUFFER) << "one element is too few";
  EXPECT_EQ(class_of([&] { torus.alltoallw({}, {}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { static_cast<void>(torus.relative_rank({1, 1})); }), MPI_ERR_DIMS);
  EXPECT_EQ(torus.relative_rank({1}), (torus.rank() + 1) % world_size());
  const std::array counts{1, 1};
  std::vector<int> two(2);
  EXPECT_EQ(class_of([&] {
              torus.alltoallv(two, {counts, std::span(counts).first(1)}, recv, {counts, counts});
            }),
            MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { static_cast<void>(torus.ialltoallw({}, {})); }), MPI_ERR_ARG);
  CartComm other(MPI_COMM_WORLD, {world_size()}, von_neumann(1, 1));
  other = std::move(torus);
  EXPECT_EQ(other.neighbor_count(), 2);
  EXPECT_EQ(torus.native(), MPI_COMM_NULL);
  EXPECT_EQ(class_of([&] { static_cast<void>(torus.neighbor_count()); }), MPI_ERR_COMM);
}

/// Who has an object and no handle hears of the object.
TEST_F(BadCalls, EmptyRequestsInCpp) {
  CartComm torus(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::array send{1, 2};
  std::array recv{0, 0};
  Request from = torus.alltoall_init(send, recv);
  const Request moved_to = std::move(from);
  Request complete = torus.ialltoall(send, recv);
  complete.wait();
  Request made;
  for (Request* empty : {&from, &complete, &made}) {
    const std::initializer_list<std::function<void()>> all{[&] { empty->start(); },
                                                           [&] { static_cast<void>(empty->arrived(0)); },
                                                           [&] { static_cast<void>(empty->sent(0)); },
                                                           [&] { static_cast<void>(empty->wait_any_block()); },
                                                           [&] { static_cast<void>(empty->algorithm()); },
                                                           [&] { static_cast<void>(empty->progress()); },
                                                           [&] { static_cast<void>(empty->explain()); },
                                                           [&] { static_cast<void>(empty->to_dot()); }};
    for (const std::function<void()>& ask : all) {
      try {
        ask();
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.error_class(), MPI_ERR_REQUEST);
        EXPECT_STREQ(error.what(), "this Request is empty: default-constructed, moved from or complete");
      }
    }
    EXPECT_FALSE(empty->active());
    EXPECT_TRUE(empty->test()) << "there is nothing to wait for";
    EXPECT_NO_THROW(empty->wait());
    EXPECT_FALSE(empty->on_complete([] {}));
  }
}

}  // namespace
}  // namespace rondo::internal::bad_calls_test
