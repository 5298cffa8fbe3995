// Allreduce and reduce-scatter under mpirun, in all their forms, against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/dense_reduction/algorithms.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/cases/affine.hpp"
#include "tests/support/sanitizers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace rondo::internal::dense_reduction_test {
namespace {

/// Element k of what a rank sends: sums of them are exact.
double content(int rank, int k, int start) { return 3.0 * rank * rank + 7 * k + start; }

double sum_of(int p, int k, int start) {
  double sum = 0;
  for (int rank = 0; rank < p; ++rank) sum += content(rank, k, start);
  return sum;
}

std::vector<double> vector_of(int rank, int count, int start) {
  std::vector<double> made;
  for (int k = 0; k < count; ++k) made.push_back(content(rank, k, start));
  return made;
}

std::vector<double> sums(int p, int first, int count, int start) {
  std::vector<double> made;
  for (int k = first; k < first + count; ++k) made.push_back(sum_of(p, k, start));
  return made;
}

std::vector<std::string> algorithms() {
  std::vector<std::string> names{"auto"};
  for (const dense_reduction::Algorithm& row : dense_reduction::registry().algorithms) names.emplace_back(row.name);
  return names;
}

std::vector<int> unequal_counts(int p) {
  std::vector<int> counts;
  for (int j = 0; j < p; ++j) counts.push_back((j + 2) % 3 * 5);
  return counts;
}

Options with(const std::string& algorithm) {
  Options options;
  options.algorithm = algorithm_from(algorithm);
  return options;
}

TEST(DenseReduction, AllreduceInEveryFormAndAlgorithm) {
  const int p = world_size();
  const int rank = world_rank();
  for (const std::string& algorithm : algorithms()) {
    Comm comm(MPI_COMM_WORLD, with(algorithm));
    for (const int count : {0, 1, 3, 100, 20000}) {
      SCOPED_TRACE(algorithm + ", " + std::to_string(count) + " elements");
      std::vector<double> send = vector_of(rank, count, 0);
      std::vector<double> recv(send.size(), -1);
      for (int again = 0; again < 3; ++again) {
        comm.allreduce(send, recv, MPI_SUM);
        ASSERT_EQ(recv, sums(p, 0, count, 0));
      }
      comm.iallreduce(send, recv, MPI_SUM).wait();
      ASSERT_EQ(recv, sums(p, 0, count, 0));
      Request request = comm.allreduce_init(send, recv, MPI_SUM);
      for (int start = 1; start < 5; ++start) {
        std::ranges::copy(vector_of(rank, count, start), send.begin());
        request.start();
        request.wait();
        ASSERT_EQ(recv, sums(p, 0, count, start));
      }
      std::ranges::copy(vector_of(rank, count, 7), recv.begin());
      comm.allreduce(in_place, recv, MPI_SUM);
      ASSERT_EQ(recv, sums(p, 0, count, 7));
      Request there = comm.allreduce_init(in_place, recv, MPI_SUM);
      for (int start = 1; start < 4; ++start) {
        std::ranges::copy(vector_of(rank, count, start), recv.begin());
        there.start();
        there.wait();
        ASSERT_EQ(recv, sums(p, 0, count, start));
      }
    }
  }
}

TEST(DenseReduction, ReduceScatterInEveryFormAndAlgorithm) {
  const int p = world_size();
  const int rank = world_rank();
  for (const std::string& algorithm : algorithms()) {
    Comm comm(MPI_COMM_WORLD, with(algorithm));
    for (const int count : {0, 1, 3, 3000}) {
      SCOPED_TRACE(algorithm + ", " + std::to_string(count) + " elements each");
      std::vector<double> send = vector_of(rank, count * p, 0);
      std::vector<double> recv(static_cast<std::size_t>(count), -1);
      for (int again = 0; again < 3; ++again) {
        comm.reduce_scatter_block(send, recv, MPI_SUM);
        ASSERT_EQ(recv, sums(p, rank * count, count, 0));
      }
      comm.ireduce_scatter_block(send, recv, MPI_SUM).wait();
      ASSERT_EQ(recv, sums(p, rank * count, count, 0));
      Request request = comm.reduce_scatter_block_init(send, recv, MPI_SUM);
      std::vector<double> buffer = send;
      Request there = comm.reduce_scatter_block_init(in_place, buffer, count, MPI_SUM);
      for (int start = 1; start < 4; ++start) {
        std::ranges::copy(vector_of(rank, count * p, start), send.begin());
        std::ranges::copy(send, buffer.begin());
        request.start();
        there.start();
        request.wait();
        there.wait();
        ASSERT_EQ(recv, sums(p, rank * count, count, start));
        buffer.resize(static_cast<std::size_t>(count));
        ASSERT_EQ(buffer, recv);
        buffer.resize(static_cast<std::size_t>(count * p));
      }
    }
    const std::vector<int> counts = unequal_counts(p);
    const int first = std::accumulate(counts.begin(), counts.begin() + rank, 0);
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    const int own = counts[static_cast<std::size_t>(rank)];
    SCOPED_TRACE(algorithm + ", parts of different sizes");
    std::vector<double> send = vector_of(rank, all, 0);
    std::vector<double> recv(static_cast<std::size_t>(own), -1);
    for (int again = 0; again < 3; ++again) {
      comm.reduce_scatter(send, recv, counts, MPI_SUM);
      ASSERT_EQ(recv, sums(p, first, own, 0));
    }
    comm.ireduce_scatter(send, recv, counts, MPI_SUM).wait();
    Request request = comm.reduce_scatter_init(send, recv, counts, MPI_SUM);
    request.start();
    request.wait();
    ASSERT_EQ(recv, sums(p, first, own, 0));
    comm.reduce_scatter(in_place, send, counts, MPI_SUM);
    send.resize(static_cast<std::size_t>(own));
    ASSERT_EQ(send, recv);
  }
}

class OrderedReduction : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Op_create(compose, 0, &op_);
    MPI_Type_contiguous(2, MPI_INT64_T, &type_);
    MPI_Type_commit(&type_);
  }
  void TearDown() override {
    MPI_Type_free(&type_);
    MPI_Op_free(&op_);
  }
  static Affine of(int rank, int k) { return {2 * rank + 3 + k, 5 * rank + k}; }
  static Affine composed(int k) {
    Affine all = of(world_size() - 1, k);
    for (int rank = world_size() - 2; rank >= 0; --rank) all = after(of(rank, k), all);
    return all;
  }
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Through C, whose names take any datatype.
TEST_F(OrderedReduction, IsTheOneOfTheRanks) {
  const int p = world_size();
  constexpr int kCount = 3;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (const std::string& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", algorithm.c_str());
    ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    std::vector<Affine> send;
    for (int k = 0; k < kCount * p; ++k) send.push_back(of(world_rank(), k));
    std::vector<Affine> recv(send.size());
    const int all = kCount * p;
    ASSERT_EQ(Rondo_Allreduce(send.data(), recv.data(), all, type_, op_, comm), MPI_SUCCESS);
    for (int k = 0; k < all; ++k) ASSERT_EQ(recv[static_cast<std::size_t>(k)], composed(k));
    recv = send;
    ASSERT_EQ(Rondo_Allreduce(MPI_IN_PLACE, recv.data(), all, type_, op_, comm), MPI_SUCCESS);
    for (int k = 0; k < all; ++k) ASSERT_EQ(recv[static_cast<std::size_t>(k)], composed(k));
    Rondo_Request request = RONDO_REQUEST_NULL;
    ASSERT_EQ(Rondo_Ireduce_scatter_block(send.data(), recv.data(), kCount, type_, op_, comm, &request), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int k = 0; k < kCount; ++k) ASSERT_EQ(recv[static_cast<std::size_t>(k)], composed(kCount * world_rank() + k));
    const std::vector<int> counts(static_cast<std::size_t>(p), kCount);
    std::ranges::fill(recv, Affine{});
    ASSERT_EQ(Rondo_Reduce_scatter(send.data(), recv.data(), counts.data(), type_, op_, comm), MPI_SUCCESS);
    for (int k = 0; k < kCount; ++k) ASSERT_EQ(recv[static_cast<std::size_t>(k)], composed(kCount * world_rank() + k));
  }
  MPI_Comm_free(&comm);
}

/// The handle of a commutative operation that was freed may come back for one that is not.
TEST_F(OrderedReduction, OfAnOperationWithTheHandleOfAnother) {
  constexpr int kCount = 2;
  const Affine own[kCount] = {of(world_rank(), 0), of(world_rank(), 1)};
  Affine all[kCount] = {};
  int came_back = 0;
  for (const std::string& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", algorithm.c_str());
    ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Op before = MPI_OP_NULL;
    std::vector<MPI_Op> others;  // until the handle comes back, if it does
    for (const int commutative : {1, 0}) {
      MPI_Op op = MPI_OP_NULL;
      MPI_Op_create(compose, commutative, &op);
      for (int k = 0; k < 100 && commutative == 0 && op != before; ++k) {
        others.push_back(op);
        MPI_Op_create(compose, commutative, &op);
      }
      ASSERT_EQ(Rondo_Allreduce(own, all, kCount, type_, op, comm), MPI_SUCCESS);
      if (commutative == 0) {
        came_back += op == before ? 1 : 0;
        for (int k = 0; k < kCount; ++k) ASSERT_EQ(all[k], composed(k));
      }
      before = op;
      MPI_Op_free(&op);
    }
    for (MPI_Op& other : others) MPI_Op_free(&other);
    MPI_Comm_free(&comm);
  }
  EXPECT_TRUE(came_back > 0 || test::kAddressSanitizer) << "nothing was tested";  // which keeps freed memory back
}

/// Sums of numbers that round: the same bits everywhere, and again.
TEST(DenseReduction, GivesAllRanksTheSameBits) {
  const int p = world_size();
  constexpr int kCount = 37;
  for (const std::string& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm);
    Comm comm(MPI_COMM_WORLD, with(algorithm));
    std::vector<double> send;
    for (int k = 0; k < kCount; ++k) send.push_back(1.0 / (1 + k + 31 * world_rank()));
    std::vector<double> recv(kCount);
    comm.allreduce(send, recv, MPI_SUM);
    std::vector<double> again(kCount);
    comm.allreduce(send, again, MPI_SUM);
    EXPECT_EQ(std::memcmp(recv.data(), again.data(), sizeof(double) * kCount), 0);
    std::vector<double> all(static_cast<std::size_t>(p) * kCount);
    MPI_Allgather(recv.data(), kCount, MPI_DOUBLE, all.data(), kCount, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int rank = 0; rank < p; ++rank)
      EXPECT_EQ(std::memcmp(recv.data(), all.data() + rank * kCount, sizeof(double) * kCount), 0) << rank;
  }
}

/// In place, calls that differ in what other ranks get are not the same one.
TEST(DenseReduction, PartsOfOthersAreLookedAt) {
  std::vector<double> there(64);
  const int p = world_size();
  if (p < 2) return;
  Comm comm(MPI_COMM_WORLD);
  std::vector<int> counts(static_cast<std::size_t>(p), 2);
  counts[0] = 1;
  counts[1] = 6;
  const int all = std::accumulate(counts.begin(), counts.end(), 0);
  for (const int turn : {0, 0, 0, 0, 1, 0, 1}) {
    if (turn == 1) std::swap(counts[0], counts[1]);
    const int first = std::accumulate(counts.begin(), counts.begin() + world_rank(), 0);
    const int own = counts[static_cast<std::size_t>(world_rank())];
    std::vector<double> buffer = vector_of(world_rank(), all, turn);
    std::ranges::copy(buffer, there.begin());
    comm.reduce_scatter(in_place, std::span(there).first(buffer.size()), counts, MPI_SUM);
    ASSERT_EQ(std::vector<double>(there.begin(), there.begin() + own), sums(p, first, own, turn));
  }
}

TEST(DenseReduction, ManyInFlight) {
  Comm comm(MPI_COMM_WORLD);
  constexpr int kMany = 20;
  std::vector<std::vector<double>> sent;
  std::vector<std::vector<double>> received(kMany, std::vector<double>(9));
  std::vector<Request> requests;
  for (int i = 0; i < kMany; ++i) sent.push_back(vector_of(world_rank(), 9, i));
  for (int i = 0; i < kMany; ++i)
    requests.push_back(
        comm.iallreduce(sent[static_cast<std::size_t>(i)], received[static_cast<std::size_t>(i)], MPI_SUM));
  for (int i = kMany; i-- > 0;) {
    requests[static_cast<std::size_t>(i)].wait();
    EXPECT_EQ(received[static_cast<std::size_t>(i)], sums(world_size(), 0, 9, i));
  }
}

TEST(DenseReduction, CountsOf64Bits) {
  const int p = world_size();
  const MPI_Count count = 5;
  const std::vector<double> send = vector_of(world_rank(), 5 * p, 0);
  std::vector<double> recv(send.size());
  ASSERT_EQ(Rondo_Allreduce_c(send.data(), recv.data(), count * p, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(recv, sums(p, 0, 5 * p, 0));
  const std::vector<MPI_Count> counts(static_cast<std::size_t>(p), count);
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Reduce_scatter_init_c(send.data(), recv.data(), counts.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                        MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  recv.resize(5);
  EXPECT_EQ(recv, sums(p, 5 * world_rank(), 5, 0));
}

/// RONDO_CHECK holds each schedule to the definition.
TEST(DenseReduction, IsProvenAtInit) {
  Options options;
  options.check = true;
  for (const std::string& algorithm : algorithms()) {
    options.algorithm = algorithm_from(algorithm);
    Comm comm(MPI_COMM_WORLD, options);
    std::vector<double> send(50);
    std::vector<double> recv(50);
    EXPECT_NO_THROW(static_cast<void>(comm.allreduce_init(send, recv, MPI_SUM))) << algorithm;
    EXPECT_NO_THROW(static_cast<void>(comm.allreduce_init(in_place, recv, MPI_SUM))) << algorithm;
    const std::vector<int> counts = unequal_counts(world_size());
    std::vector<double> all(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
    EXPECT_NO_THROW(static_cast<void>(comm.reduce_scatter_init(all, recv, counts, MPI_SUM))) << algorithm;
    EXPECT_NO_THROW(static_cast<void>(comm.reduce_scatter_init(in_place, all, counts, MPI_SUM))) << algorithm;
  }
}

/// What a rank can see by itself, under the names of C: the class of the error, and words of its text.
TEST(DenseReduction, BadArgumentsAreRefused) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<double> send(16);
  std::vector<double> recv(16);
  const auto allreduce = [&](const void* from, void* to, int count, MPI_Datatype type, MPI_Op op) {
    return Rondo_Allreduce(from, to, count, type, op, comm);
  };
  const auto d = MPI_DOUBLE;
  expect_error(allreduce(send.data(), recv.data(), -1, d, MPI_SUM), MPI_ERR_COUNT, {"count", "-1"}, __LINE__);
  expect_error(allreduce(send.data(), recv.data(), 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE, {"datatype"},
               __LINE__);
  expect_error(allreduce(send.data(), recv.data(), 1, d, MPI_OP_NULL), MPI_ERR_OP, {"op", "MPI_OP_NULL"}, __LINE__);
  expect_error(allreduce(send.data(), recv.data(), 1, d, MPI_BAND), MPI_ERR_OP, {"op", "MPI_BAND"}, __LINE__);
  expect_error(allreduce(send.data(), MPI_IN_PLACE, 1, d, MPI_SUM), MPI_ERR_BUFFER, {"recvbuf"}, __LINE__);
  expect_error(allreduce(nullptr, recv.data(), 1, d, MPI_SUM), MPI_ERR_BUFFER, {"sendbuf", "null"}, __LINE__);
  expect_error(allreduce(send.data(), send.data() + 1, 2, d, MPI_SUM), MPI_ERR_BUFFER, {"disjoint"}, __LINE__);
  expect_error(Rondo_Reduce_scatter(send.data(), recv.data(), nullptr, d, MPI_SUM, comm), MPI_ERR_ARG,
               {"Rondo_Reduce_scatter", "recvcounts", "null"}, __LINE__);
  std::vector<int> counts(static_cast<std::size_t>(world_size()), 1);
  counts.back() = -2;
  const int code = Rondo_Reduce_scatter(send.data(), recv.data(), counts.data(), d, MPI_SUM, comm);
  expect_error(code, MPI_ERR_COUNT, {"count", "-2"}, __LINE__);
  counts.back() = 1;
  counts.push_back(1);
  Comm cpp(MPI_COMM_WORLD);
  EXPECT_EQ(class_of([&] { return cpp.ireduce_scatter(send, recv, counts, MPI_SUM); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { return cpp.iallreduce(send, std::span(recv).first(3), MPI_SUM); }), MPI_ERR_BUFFER);
  EXPECT_EQ(allreduce(send.data(), recv.data(), 16, d, MPI_SUM), MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

TEST(DenseReduction, RanksThatDifferAreTold) {
  if (world_size() == 1) return;
  Comm comm(MPI_COMM_WORLD);
  std::vector<double> send(10);
  std::vector<double> recv(10);
  const auto shorter = std::span(send).first(world_rank() == 0 ? 9 : 10);
  EXPECT_EQ(class_of([&] { return comm.allreduce_init(shorter, recv, MPI_SUM); }), MPI_ERR_COUNT);
  const auto send_or_not = [&] {
    return world_rank() == 0 ? comm.allreduce_init(in_place, recv, MPI_SUM) : comm.allreduce_init(send, recv, MPI_SUM);
  };
  EXPECT_EQ(class_of(send_or_not), MPI_ERR_BUFFER);
  std::vector<int> counts = unequal_counts(world_size());
  if (world_rank() == 1) std::ranges::reverse(counts);
  std::vector<double> all(64);
  EXPECT_EQ(class_of([&] { return comm.reduce_scatter_init(all, recv, counts, MPI_SUM); }), MPI_ERR_COUNT);
}

}  // namespace
}  // namespace rondo::internal::dense_reduction_test
