// RONDO_CHECK=1: blocks that do not fit each other are found before anything is sent, and what is right passes.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/proof/check_at_init.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo::internal::check_cart_at_init_test {
namespace {

class CheckCartAtInit : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    sizes_.assign(2, 0);
    MPI_Dims_create(ranks_, 2, sizes_.data());
    setenv("RONDO_CHECK", "1", 1);
  }
  void TearDown() override { unsetenv("RONDO_CHECK"); }

  /// What one side of a call with two blocks may have.
  struct Blocks {
    std::array<int, 2> counts;
    std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
    std::array<MPI_Aint, 2> places{0, 64};
  };

  /// The error of an init of two blocks, of class `error_class`; empty when there is none.
  std::string init(CartComm& grid, const Blocks& send, const Blocks& recv, int error_class) {
    MPI_Comm_set_errhandler(grid.native(), MPI_ERRORS_RETURN);
    Rondo_Request request = RONDO_REQUEST_NULL;
    const int code = Rondo_Cart_alltoallw_init(send_.data(), send.counts.data(), send.places.data(), send.types.data(),
                                               recv_.data(), recv.counts.data(), recv.places.data(), recv.types.data(),
                                               grid.native(), MPI_INFO_NULL, &request);
    EXPECT_EQ(code, error_class);
    if (code == MPI_SUCCESS) {
      EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
      return {};
    }
    std::array<char, RONDO_MAX_ERROR_STRING> text{};
    int length = 0;
    Rondo_Error_string(code, text.data(), &length);
    return text.data();
  }

  int rank_ = 0;
  int ranks_ = 0;
  std::vector<int> sizes_;
  std::array<int, 32> send_{};
  std::array<int, 32> recv_{};
  Neighborhood two_{2, std::vector{0, 1, 1, 0}};
};

TEST_F(CheckCartAtInit, WhatIsRightPasses) {
  for (const char* algorithm : {"direct", "coalesced", "combining"}) {
    for (const char* schedule : {"dependencies", "phases"}) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      options.schedule = ordering_from(schedule);
      CartComm grid(MPI_COMM_WORLD, sizes_, box(2, 4, -1), options);
      std::vector<int> send(16, grid.rank());
      std::vector<int> recv(16);
      Request request = grid.alltoall_init(send, recv);
      request.start();
      request.wait();
      EXPECT_EQ(recv, grid.sources());
    }
  }
}

TEST_F(CheckCartAtInit, BlocksOfTwoSizes) {
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  EXPECT_EQ(init(grid, {{1, 2}}, {{1, 2}}, MPI_SUCCESS), "");
  // Only the last rank sends more than is received: without the check a message would come too long.
  const int more = rank_ == ranks_ - 1 ? 3 : 2;
  const std::string text = init(grid, {{1, more}}, {{1, 2}}, MPI_ERR_TRUNCATE);
  EXPECT_NE(text.find("12"), std::string::npos) << text;
}

TEST_F(CheckCartAtInit, BlocksOfTwoTypes) {
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  const MPI_Datatype other = rank_ == ranks_ - 1 ? MPI_FLOAT : MPI_INT;
  const std::string text = init(grid, {{1, 2}, {MPI_INT, other}}, {{1, 2}}, MPI_ERR_TYPE);
  for (const char* word : {"RONDO_CHECK", "block 1", "MPI_FLOAT", "MPI_INT", "sends 2 basic elements"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

/// Nothing is said of neighbors that a process does not have, and each that it has is looked at.
TEST_F(CheckCartAtInit, BlocksAtTheEdgeOfAMesh) {
  const std::array periods{0, 0};
  CartComm grid(MPI_COMM_WORLD, sizes_, periods, two_);
  const auto blocks = [](const std::vector<int>& neighbors) {
    Blocks made{{2, 2}};
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      if (neighbors[i] != MPI_PROC_NULL) continue;
      made.counts[i] = -1;
      made.types[i] = MPI_DATATYPE_NULL;
    }
    return made;
  };
  Blocks send = blocks(grid.targets());
  const Blocks recv = blocks(grid.sources());
  EXPECT_EQ(init(grid, send, recv, MPI_SUCCESS), "");
  if (ranks_ == 1) return;
  if (rank_ == 0) send.types[1] = MPI_FLOAT;  // to the second neighbor, where on two ranks there is no first
  const std::string text = init(grid, send, recv, MPI_ERR_TYPE);
  for (const char* word : {"block 1", "rank 0 sends", "MPI_FLOAT", "MPI_INT"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST_F(CheckCartAtInit, ReceiveBlocksThatOverlap) {
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  const Blocks send{{2, 2}};
  const Blocks apart{{2, 2}, {MPI_INT, MPI_INT}, {0, 8}};
  const Blocks overlapping{{2, 2}, {MPI_INT, MPI_INT}, {12, 8}};
  EXPECT_EQ(init(grid, send, apart, MPI_SUCCESS), "");
  const std::string share = "recv blocks 0 and 1: share 4 bytes at recvbuf + 12 of rank ";
  std::string text = init(grid, send, overlapping, MPI_ERR_BUFFER);
  EXPECT_NE(text.find("RONDO_CHECK: " + share + "0, must be disjoint"), std::string::npos) << text;
  // On one rank only: all the others hear of it as well, and may go on.
  const int last = ranks_ - 1;
  text = init(grid, send, rank_ == last ? overlapping : apart, MPI_ERR_BUFFER);
  EXPECT_NE(text.find(share + std::to_string(last) + ","), std::string::npos) << text;
  EXPECT_EQ(init(grid, send, apart, MPI_SUCCESS), "");
  // Also where ranks agree on nothing else.
  Options options;
  options.assert_uniform = true;
  CartComm uniform(MPI_COMM_WORLD, sizes_, two_, options);
  text = init(uniform, send, rank_ == last ? overlapping : apart, MPI_ERR_BUFFER);
  EXPECT_NE(text.find(share + std::to_string(last) + ","), std::string::npos) << text;
}

TEST_F(CheckCartAtInit, AReceiveBlockThatOverlapsItself) {
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  MPI_Datatype twice = MPI_DATATYPE_NULL;  // integers 0 1 2, 2 3 4
  MPI_Type_vector(2, 3, 2, MPI_INT, &twice);
  MPI_Type_commit(&twice);
  const Blocks send{{2, 6}};
  const Blocks recv{{2, rank_ == 0 ? 1 : 6}, {MPI_INT, rank_ == 0 ? twice : MPI_INT}};
  const std::string found = init(grid, send, recv, MPI_ERR_BUFFER);
  const std::string wanted = "recv block 1: has 4 bytes at recvbuf + 72 of rank 0 twice, must have each byte once";
  EXPECT_NE(found.find(wanted), std::string::npos) << found;
  MPI_Type_free(&twice);
}

/// Elements of an extent that is smaller than their bytes reach; sending them so is allowed.
TEST_F(CheckCartAtInit, ElementsThatOverlap) {
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype narrow = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 4, &narrow);
  MPI_Type_free(&pair);
  MPI_Type_commit(&narrow);
  const Blocks once{{2, 6}};
  const Blocks overlapping{{2, 3}, {MPI_INT, narrow}};
  EXPECT_EQ(init(grid, overlapping, once, MPI_SUCCESS), "");
  const std::string text = init(grid, once, overlapping, MPI_ERR_BUFFER);
  EXPECT_NE(text.find("recv block 1: has 4 bytes at recvbuf + 68 of rank 0 twice"), std::string::npos) << text;
  MPI_Type_free(&narrow);
}

/// What is received twice is the user's affair then, and some of it arrives.
TEST_F(CheckCartAtInit, WithoutTheCheckNobodyLooks) {
  unsetenv("RONDO_CHECK");
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  const Blocks send{{2, 2}};
  const Blocks overlapping{{2, 2}, {MPI_INT, MPI_INT}, {4, 8}};
  EXPECT_EQ(init(grid, send, overlapping, MPI_SUCCESS), "");
  send_.fill(7);
  ASSERT_EQ(Rondo_Cart_alltoallw(send_.data(), send.counts.data(), send.places.data(), send.types.data(), recv_.data(),
                                 overlapping.counts.data(), overlapping.places.data(), overlapping.types.data(),
                                 grid.native()),
            MPI_SUCCESS);
  EXPECT_EQ(recv_[0], 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(recv_[i], 7);
}

/// A lowering of ours that is wrong on one rank.
TEST_F(CheckCartAtInit, AWrongSchedule) {
  CartComm grid(MPI_COMM_WORLD, sizes_, two_);
  NeighborhoodContext& context = NeighborhoodContext::of(grid.native());
  const Layout eight = Layout::contiguous(8);
  const std::array blocks{BlockShape{0, &eight}, BlockShape{8, &eight}};
  const std::array<std::int64_t, 2> sizes{8, 8};
  const alltoall::Problem problem{
      context.grid(), context.facts(), blocks, blocks, true, context.calls().on()->costs(Medium::mpi), sizes};
  const auto right = alltoall::choose(problem, "combining", Ordering::dependencies).schedule;
  ScheduleParts parts = right->parts();
  if (rank_ == 0) parts.tasks.front().source_offset += 4;
  const Schedule wrong(std::move(parts));
  const std::array<int, 1> count{8};
  const MPI_Datatype byte = MPI_BYTE;
  const Call call = alltoall_call("test", nullptr, count[0], byte, nullptr, count[0], byte);
  const MPI_Comm own = context.calls().on()->comm();
  const CheckedCall checked(call, context.pattern(), own);
  const ArrivalsOfAll arrivals{
      [](ByteWriter&) {},
      [&](std::span<ByteReader>) { return cartesian_arrivals(context.grid(), context.neighborhood(), call); }};
  EXPECT_NO_THROW(check_at_init(*right, checked, arrivals, own));
  try {
    check_at_init(wrong, checked, arrivals, own);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_INTERN);
    EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rondo::internal::check_cart_at_init_test
