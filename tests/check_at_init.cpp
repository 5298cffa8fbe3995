// RONDO_CHECK=1: blocks that do not fit each other are found before anything is sent, and what is right passes.
#include "collectives/check_at_init.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/alltoall_algorithms.hpp"
#include "collectives/comm_context.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo {
namespace {

class CheckAtInit : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    sizes_.assign(2, 0);
    MPI_Dims_create(ranks_, 2, sizes_.data());
    setenv("RONDO_CHECK", "1", 1);
  }
  void TearDown() override { unsetenv("RONDO_CHECK"); }

  /// The error of an init of two blocks, of class `error_class`; empty when there is none.
  std::string init(CartComm& torus, std::array<int, 2> send_counts, std::array<int, 2> recv_counts,
                   std::array<MPI_Datatype, 2> send_types, int error_class) {
    const std::array<MPI_Aint, 2> places{0, 64};
    const std::array types{MPI_INT, MPI_INT};
    MPI_Comm_set_errhandler(torus.native(), MPI_ERRORS_RETURN);
    Rondo_Request request = RONDO_REQUEST_NULL;
    const int code = Rondo_Cart_alltoallw_init(send_.data(), send_counts.data(), places.data(), send_types.data(),
                                               recv_.data(), recv_counts.data(), places.data(), types.data(),
                                               torus.native(), MPI_INFO_NULL, &request);
    if (code == MPI_SUCCESS) {
      EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
      return {};
    }
    EXPECT_EQ(code, error_class);
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

TEST_F(CheckAtInit, WhatIsRightPasses) {
  for (const char* algorithm : {"direct", "coalesced", "combining"}) {
    for (const char* schedule : {"dependencies", "phases"}) {
      Options options;
      options.algorithm = algorithm;
      options.schedule = schedule;
      CartComm torus(MPI_COMM_WORLD, sizes_, box(2, 4, -1), options);
      std::vector<int> send(16, torus.rank());
      std::vector<int> recv(16);
      Request request = torus.alltoall_init<int>(send, recv);
      request.start();
      request.wait();
      EXPECT_EQ(recv, torus.sources());
    }
  }
}

TEST_F(CheckAtInit, BlocksOfTwoSizes) {
  CartComm torus(MPI_COMM_WORLD, sizes_, two_);
  EXPECT_EQ(init(torus, {1, 2}, {1, 2}, {MPI_INT, MPI_INT}, MPI_SUCCESS), "");
  // Only the last rank sends more than is received: without the check a message would come too long.
  const int more = rank_ == ranks_ - 1 ? 3 : 2;
  const std::string text = init(torus, {1, more}, {1, 2}, {MPI_INT, MPI_INT}, MPI_ERR_TRUNCATE);
  EXPECT_NE(text.find("12"), std::string::npos) << text;
}

TEST_F(CheckAtInit, BlocksOfTwoTypes) {
  CartComm torus(MPI_COMM_WORLD, sizes_, two_);
  const MPI_Datatype other = rank_ == ranks_ - 1 ? MPI_FLOAT : MPI_INT;
  const std::string text = init(torus, {1, 2}, {1, 2}, {MPI_INT, other}, MPI_ERR_TYPE);
  for (const char* word : {"RONDO_CHECK", "block 1", "MPI_FLOAT", "MPI_INT", "sends 2 basic elements"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

/// A lowering of ours that is wrong on one rank.
TEST_F(CheckAtInit, AWrongSchedule) {
  CartComm torus(MPI_COMM_WORLD, sizes_, two_);
  CommContext& context = CommContext::of(torus.native());
  const Layout eight = Layout::contiguous(8);
  const std::array blocks{BlockShape{0, &eight}, BlockShape{8, &eight}};
  const AlltoallProblem problem{context.torus(), context.neighborhood(), blocks, blocks, true, context.costs()};
  const auto right = choose_alltoall(problem, "combining", Ordering::dependencies).schedule;
  ScheduleParts parts = right->parts();
  if (rank_ == 0) parts.tasks.front().source_offset += 4;
  const Schedule wrong(std::move(parts));
  const std::array<int, 1> count{8};
  const MPI_Datatype byte = MPI_BYTE;
  const AlltoallCall call{"test", CallSide::alltoall("send", nullptr, count[0], byte),
                          CallSide::alltoall("recv", nullptr, count[0], byte)};
  EXPECT_NO_THROW(check_at_init(*right, problem, call, context.tags().comm()->get()));
  try {
    check_at_init(wrong, problem, call, context.tags().comm()->get());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_INTERN);
    EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rondo
