// RONDO_CHECK=1 for dense alltoalls: blocks that do not fit each other are found before anything is sent, on all ranks,
// and what is right passes.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/proof/check_at_init.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::check_dense_at_init_test {
namespace {

class CheckDenseAtInit : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &p_);
    setenv("RONDO_CHECK", "1", 1);
    send_.assign(static_cast<std::size_t>(8 * p_), rank_);
    recv_.assign(send_.size(), -1);
    for (int j = 0; j < p_; ++j) {
      from_.push_back({&send_[static_cast<std::size_t>(8 * j)], 2, MPI_INT});
      to_.push_back({&recv_[static_cast<std::size_t>(8 * j)], 2, MPI_INT});
    }
  }
  void TearDown() override { unsetenv("RONDO_CHECK"); }

  /// The text of the error that `make` throws, of class `error_class`; empty when there is none. The communicator is as
  /// good as before.
  template <typename Make>
  std::string found(int error_class, Make make) {
    std::string text;
    int thrown = MPI_SUCCESS;
    try {
      static_cast<void>(make());
    } catch (const Error& error) {
      thrown = error.error_class();
      text = error.what();
    }
    EXPECT_EQ(thrown, error_class) << text;
    std::vector<int> ranks(static_cast<std::size_t>(p_), rank_);
    Request right = comm().alltoall_init(in_place, ranks);
    right.start();
    right.wait();
    for (int j = 0; j < p_; ++j) EXPECT_EQ(ranks[static_cast<std::size_t>(j)], j);
    return text;
  }
  std::string found_in_blocks(int error_class) {
    return found(error_class, [&] { return comm().alltoallw_init(from_, to_, direct_); });
  }
  /// With the settings of the moment.
  Comm& comm() {
    if (!comm_) comm_.emplace(MPI_COMM_WORLD);
    return *comm_;
  }
  [[nodiscard]] int last() const { return p_ - 1; }

  int rank_ = 0;
  int p_ = 0;
  std::vector<int> send_;
  std::vector<int> recv_;
  std::vector<SendBlock> from_;  ///< two integers for each rank, 32 bytes apart
  std::vector<RecvBlock> to_;
  Options direct_{.algorithm = rondo::Algorithm::direct};  ///< which has no other way to learn what other ranks send

 private:
  std::optional<Comm> comm_;
};

TEST_F(CheckDenseAtInit, WhatIsRightPasses) {
  for (const dense::Algorithm& row : dense::registry().algorithms) {
    Options options;
    options.algorithm = algorithm_from(row.name);
    options.dense.segment = 64;
    EXPECT_NO_THROW(static_cast<void>(comm().alltoall_init(std::span<const int>(send_), recv_, 8, options)));
    EXPECT_NO_THROW(static_cast<void>(comm().alltoall_init(in_place, recv_, 8, options)));
    EXPECT_NO_THROW(static_cast<void>(comm().alltoallw_init(from_, to_, options)));
    EXPECT_NO_THROW(static_cast<void>(comm().alltoallw_init(in_place, to_, options)));
  }
  Options vouched;
  vouched.assert_uniform = true;
  EXPECT_NO_THROW(static_cast<void>(comm().alltoallw_init(from_, to_, vouched)));
}

TEST_F(CheckDenseAtInit, BlocksOfTwoSizes) {
  // Only the last rank sends more than is received: without the check a message would come too long.
  if (rank_ == last()) from_[0].count = 3;
  std::string text = found_in_blocks(MPI_ERR_TRUNCATE);
  EXPECT_NE(text.find("12"), std::string::npos) << text;
  if (p_ > 1) {
    EXPECT_NE(text.find("RONDO_CHECK"), std::string::npos) << text;
    EXPECT_NE(text.find("rank " + std::to_string(last())), std::string::npos) << text;
  }
  // In place it is what the first rank has there.
  if (p_ == 1) return;
  if (rank_ == 0) to_[static_cast<std::size_t>(last())].count = 1;
  text = found(MPI_ERR_TRUNCATE, [&] { return comm().alltoallw_init(in_place, to_, direct_); });
  EXPECT_NE(text.find("RONDO_CHECK"), std::string::npos) << text;
}

TEST_F(CheckDenseAtInit, BlocksOfTwoTypes) {
  if (rank_ == last()) from_[0].type = MPI_FLOAT;
  const std::string text = found_in_blocks(MPI_ERR_TYPE);
  const std::string sender = "block 0: rank " + std::to_string(last()) + " sends 2 basic elements";
  for (const char* words : {"RONDO_CHECK", sender.c_str(), "MPI_FLOAT", "rank 0 receives", "MPI_INT"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
  // The block that stays is nobody's affair in place; any other is.
  for (RecvBlock& block : to_) block.type = MPI_INT;
  to_[static_cast<std::size_t>(rank_)].type = MPI_FLOAT;
  EXPECT_EQ(found(MPI_SUCCESS, [&] { return comm().alltoallw_init(in_place, to_, direct_); }), "");
  if (p_ == 1) return;
  if (rank_ == last()) to_[0].type = MPI_FLOAT;
  const std::string in_place_text = found(MPI_ERR_TYPE, [&] { return comm().alltoallw_init(in_place, to_, direct_); });
  EXPECT_NE(in_place_text.find("MPI_FLOAT"), std::string::npos) << in_place_text;
}

TEST_F(CheckDenseAtInit, ReceiveBlocksThatOverlap) {
  EXPECT_EQ(found_in_blocks(MPI_SUCCESS), "");
  MPI_Datatype twice = MPI_DATATYPE_NULL;  // integers 0 1, 1 2
  MPI_Type_vector(2, 2, 1, MPI_INT, &twice);
  MPI_Type_commit(&twice);
  for (SendBlock& block : from_) block.count = 4;
  for (RecvBlock& block : to_) block.count = 4;
  EXPECT_EQ(found_in_blocks(MPI_SUCCESS), "");
  // On one rank only: all the others hear of it as well.
  if (rank_ == last()) to_[0] = {recv_.data(), 1, twice};
  std::string text = found_in_blocks(MPI_ERR_BUFFER);
  EXPECT_NE(text.find("recv block 0: has 4 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("of rank " + std::to_string(last()) + " twice"), std::string::npos) << text;
  to_[0] = {recv_.data(), 4, MPI_INT};
  if (p_ > 1) {
    if (rank_ == 0) to_[1].address = recv_.data() + 3;
    for (const bool in_place_too : {false, true}) {
      text = found(MPI_ERR_BUFFER, [&] {
        return in_place_too ? comm().alltoallw_init(in_place, to_) : comm().alltoallw_init(from_, to_);
      });
      EXPECT_NE(text.find("recv blocks 0 and 1: share 4 bytes"), std::string::npos) << text;
      EXPECT_NE(text.find("of rank 0, must be disjoint"), std::string::npos) << text;
    }
  }
  MPI_Type_free(&twice);
}

/// A lowering of ours that is wrong on one rank.
TEST_F(CheckDenseAtInit, AWrongSchedule) {
  const std::shared_ptr<DenseContext> context = DenseContext::separate(MPI_COMM_WORLD, {}, nullptr);
  const int count = 2;
  const MPI_Datatype type = MPI_INT;
  const Call call = alltoall_call("test", send_.data(), count, type, recv_.data(), count, type);
  const MPI_Comm own = context->calls().on()->comm();
  const CheckedCall checked(call, context->pattern(), own);
  const CallShapes shapes(checked);
  const dense::Problem problem{
      rank_, p_, shapes.send.blocks, shapes.recv.blocks, true, context->calls().on()->costs(Medium::mpi), 8, 8};
  const auto right = dense::choose(problem, "bruck", Ordering::dependencies).schedule;
  ScheduleParts parts = right->parts();
  for (Task& task : parts.tasks) {
    if (rank_ == 0) task.source_offset += 4;
  }
  const Schedule wrong(std::move(parts));
  const ArrivalsOfAll arrivals{[](ByteWriter&) {},
                               [&](std::span<ByteReader>) {
                                 return dense_arrivals(p_, {"alltoall", Collective::alltoall, {}, {}});
                               }};
  EXPECT_NO_THROW(check_at_init(*right, checked, arrivals, own));
  const std::string text = found(MPI_ERR_INTERN, [&] {
    check_at_init(wrong, checked, arrivals, own);
    return 0;
  });
  EXPECT_NE(text.find("rank 0"), std::string::npos) << text;
}

}  // namespace
}  // namespace rondo::internal::check_dense_at_init_test
