// Counts and places that do not fit ints: in the functions with the suffix _c, and in those without where an extent
// multiplies them. Most of the memory is never touched. That all functions with the suffix do what the others do, the
// random programs of chaos.cpp show.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/large_memory.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rondo::internal::large_counts_test {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr int kTimes = 4;  ///< the first call makes, the second remembers, later ones are recognized

/// A ring on which each process sends a block to itself and one to the next.
class LargeCounts : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int periodic = 1;
    const std::array steps{0, 1};
    ASSERT_EQ(Rondo_Cart_neighborhood_create(comm, 1, &p, &periodic, 2, steps.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                             &ring),
              MPI_SUCCESS);
  }
  void TearDown() override {
    MPI_Comm_free(&ring);
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  /// Who sends block i of the ring.
  [[nodiscard]] int source(int i) const { return (rank + p - i) % p; }

  int rank = world_rank();
  int p = world_size();
  std::size_t ranks = static_cast<std::size_t>(p);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm ring = MPI_COMM_NULL;
};

/// Blocks of five chars that lie 5 GiB apart, the last first.
struct FarBlocks {
  static constexpr std::int64_t kApart = 5 * kGiB + 3;

  explicit FarBlocks(int number)
      : blocks(number), memory((number + 1) * kApart), counts(static_cast<std::size_t>(number), 5) {
    for (int i = 0; i < number; ++i) places.push_back((number - 1 - i) * kApart);
  }
  void move(std::int64_t bytes) {
    for (MPI_Aint& place : places) place += bytes;
  }
  [[nodiscard]] std::string at(int i) const { return {&memory[places[static_cast<std::size_t>(i)]], 5}; }
  void put(int i, const std::string& text) { text.copy(&memory[places[static_cast<std::size_t>(i)]], 5); }

  int blocks;
  SparseMemory memory;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types = std::vector<MPI_Datatype>(static_cast<std::size_t>(blocks), MPI_CHAR);
};

/// What `from` sends to `to` as block i in a call.
std::string content(int from, int to, int i, int call) {
  return {static_cast<char>('a' + from), static_cast<char>('a' + to), static_cast<char>('0' + i),
          static_cast<char>('A' + call), '.'};
}

TEST_F(LargeCounts, DenseBlocksLieFarAway) {
  FarBlocks send(p);
  FarBlocks recv(p);
  const auto v = [&] {
    return Rondo_Alltoallv_c(send.memory.data(), send.counts.data(), send.places.data(), MPI_CHAR, recv.memory.data(),
                             recv.counts.data(), recv.places.data(), MPI_CHAR, comm);
  };
  const auto w = [&] {
    return Rondo_Alltoallw_c(send.memory.data(), send.counts.data(), send.places.data(), send.types.data(),
                             recv.memory.data(), recv.counts.data(), recv.places.data(), recv.types.data(), comm);
  };
  // The second time, places differ from those that are remembered by 2^32 only.
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < 2 * kTimes; ++k) {
      const int call = 2 * kTimes * round + k;
      for (int j = 0; j < p; ++j) send.put(j, content(rank, j, 0, call));
      ASSERT_EQ(k % 2 == 0 ? v() : w(), MPI_SUCCESS);
      for (int j = 0; j < p; ++j) ASSERT_EQ(recv.at(j), content(j, rank, 0, call)) << "from " << j;
    }
    send.move(4 * kGiB);
    recv.move(4 * kGiB);
  }
}

TEST_F(LargeCounts, BlocksOfNeighborsLieFarAway) {
  FarBlocks send(2);
  FarBlocks recv(2);
  enum Function { v, w, gather_v, gather_w, scatter_reduce, kFunctions };
  const auto call = [&](int function) {
    const char* const first = send.memory.data() + send.places[0];
    switch (function) {
      case v:
        return Rondo_Cart_alltoallv_c(send.memory.data(), send.counts.data(), send.places.data(), MPI_CHAR,
                                      recv.memory.data(), recv.counts.data(), recv.places.data(), MPI_CHAR, ring);
      case w:
        return Rondo_Cart_alltoallw_c(send.memory.data(), send.counts.data(), send.places.data(), send.types.data(),
                                      recv.memory.data(), recv.counts.data(), recv.places.data(), recv.types.data(),
                                      ring);
      case gather_v:
        return Rondo_Cart_allgatherv_c(first, 5, MPI_CHAR, recv.memory.data(), recv.counts.data(), recv.places.data(),
                                       MPI_CHAR, ring);
      case gather_w:
        return Rondo_Cart_allgatherw_c(first, 5, MPI_CHAR, recv.memory.data(), recv.counts.data(), recv.places.data(),
                                       recv.types.data(), ring);
      default: {
        const std::vector<MPI_Datatype> bytes(2, MPI_BYTE);
        return Rondo_Cart_scatter_reduce_c(send.memory.data(), send.counts.data(), send.places.data(), bytes.data(),
                                           recv.memory.data() + recv.places[0], 5, MPI_BYTE, MPI_BOR, ring);
      }
    }
  };
  for (int round = 0; round < 2; ++round) {
    for (int function = 0; function < kFunctions; ++function) {
      for (int k = 0; k < kTimes; ++k) {
        for (int i = 0; i < 2; ++i) send.put(i, content(rank, 0, i, function));
        ASSERT_EQ(call(function), MPI_SUCCESS) << function;
        const bool gathers = function == gather_v || function == gather_w;
        for (int i = 0; i < 2 && function != scatter_reduce; ++i)
          ASSERT_EQ(recv.at(i), content(source(i), 0, gathers ? 0 : i, function)) << function << ", block " << i;
        if (function != scatter_reduce) continue;
        std::string expected = content(source(0), 0, 0, function);
        const std::string other = content(source(1), 0, 1, function);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<char>(expected[i] | other[i]);
        ASSERT_EQ(recv.at(0), expected);
      }
    }
    send.move(4 * kGiB);
    recv.move(4 * kGiB);
  }
}

/// Nine ints that are half a GiB apart: their number is small, but not what it is multiplied by.
TEST_F(LargeCounts, ElementsAreFarApart) {
  constexpr int kCount = 9;
  constexpr std::int64_t kApart = kGiB / 2 + 8;
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, kApart, &spread);
  MPI_Type_commit(&spread);
  const SparseMemory far(kCount * kApart * p);
  const auto far_int = [&](int i) -> int& { return *reinterpret_cast<int*>(far.data() + i * kApart); };
  std::vector<int> near(ranks * kCount);
  for (const char* form : {"staged", "datatype"}) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_messages", form);
    ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    for (const bool large : {false, true}) {
      for (int i = 0; i < p * kCount; ++i) far_int(i) = 1000 * rank + i;
      ASSERT_EQ(large ? Rondo_Alltoall_c(far.data(), kCount, spread, near.data(), kCount, MPI_INT, comm)
                      : Rondo_Alltoall(far.data(), kCount, spread, near.data(), kCount, MPI_INT, comm),
                MPI_SUCCESS);
      for (int i = 0; i < p * kCount; ++i)
        ASSERT_EQ(near[static_cast<std::size_t>(i)], 1000 * (i / kCount) + rank * kCount + i % kCount) << form;
      for (int i = 0; i < p * kCount; ++i) near[static_cast<std::size_t>(i)] = -1000 * rank - i;
      ASSERT_EQ(large ? Rondo_Alltoall_c(near.data(), kCount, MPI_INT, far.data(), kCount, spread, comm)
                      : Rondo_Alltoall(near.data(), kCount, MPI_INT, far.data(), kCount, spread, comm),
                MPI_SUCCESS);
      for (int i = 0; i < p * kCount; ++i)
        ASSERT_EQ(far_int(i), -1000 * (i / kCount) - rank * kCount - i % kCount) << form;
    }
  }
  MPI_Type_free(&spread);
}

/// One block from rank 0 to the last one, which may be itself, in memory that repeats.
class LongBlock {
 public:
  LongBlock(std::int64_t bytes, std::int64_t extent) : bytes_(bytes), sent_(extent), received_(extent) {
    for (std::int64_t i = 0; i < RepeatedMemory::kPeriod; ++i) {
      sent_[i] = static_cast<char>('a' + i / 4096 % 20);
      received_[i] = '-';
    }
  }
  [[nodiscard]] char* sent() const { return sent_.data(); }
  [[nodiscard]] char* received() const { return received_.data(); }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_;
  RepeatedMemory sent_;
  RepeatedMemory received_;
};

TEST_F(LargeCounts, ABlockOfMoreElementsThanAnIntCounts) {
  if (test_scale() < 0.2 || (p > 1 && test_scale() <= 1)) GTEST_SKIP() << "takes some seconds: RONDO_TEST_SCALE=2";
  const LongBlock block(2 * kGiB + 4097, 2 * kGiB + 4097);
  std::vector<MPI_Count> sent(ranks);
  std::vector<MPI_Count> received(ranks);
  const std::vector<MPI_Aint> places(ranks);
  if (rank == 0) sent.back() = block.bytes();
  if (rank == p - 1) received.front() = block.bytes();
  ASSERT_EQ(Rondo_Alltoallv_c(block.sent(), sent.data(), places.data(), MPI_CHAR, block.received(), received.data(),
                              places.data(), MPI_CHAR, comm),
            MPI_SUCCESS);
  for (std::int64_t i = 0; i < RepeatedMemory::kPeriod; i += 97)
    ASSERT_EQ(block.received()[i], rank == p - 1 ? block.sent()[i] : '-') << i;
}

/// For a night: more pieces than an int counts, in both forms of messages, and more bytes than fit 32 bits.
TEST_F(LargeCounts, ABlockOfMorePiecesThanAnIntCounts) {
  if (test_scale() <= 1) GTEST_SKIP() << "takes a minute: RONDO_TEST_SCALE=2";
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, 2, &spread);
  MPI_Type_commit(&spread);
  for (const char* form : {"staged", "datatype"}) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_messages", form);
    ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    for (const std::int64_t bytes : {2 * kGiB + 4097, 4 * kGiB + 4097}) {
      const LongBlock block(bytes, 2 * bytes);
      std::vector<MPI_Count> sent(ranks);
      std::vector<MPI_Count> received(ranks);
      const std::vector<MPI_Aint> places(ranks);
      if (rank == 0) sent.back() = bytes;
      if (rank == p - 1) received.front() = bytes;
      ASSERT_EQ(Rondo_Alltoallv_c(block.sent(), sent.data(), places.data(), spread, block.received(), received.data(),
                                  places.data(), spread, comm),
                MPI_SUCCESS);
      for (std::int64_t i = 0; i < RepeatedMemory::kPeriod; ++i)
        ASSERT_EQ(block.received()[i], rank == p - 1 && i % 2 == 0 ? block.sent()[i] : '-') << form << ", " << i;
    }
  }
  MPI_Type_free(&spread);
}

TEST_F(LargeCounts, WhatDoesNotFit64BitsIsRefused) {
  constexpr MPI_Count kMost = std::numeric_limits<MPI_Count>::max();
  constexpr MPI_Aint kFarthest = std::numeric_limits<MPI_Aint>::max();
  std::vector<int> send(ranks, rank);
  std::vector<int> recv(ranks);
  const auto regular = [&](MPI_Count sent, MPI_Count received) {
    return Rondo_Alltoall_c(send.data(), sent, MPI_INT, recv.data(), received, MPI_INT, comm);
  };
  expect_error(regular(-1, 1), MPI_ERR_COUNT, {"sendcount: is -1, must be at least 0"}, __LINE__);
  expect_error(regular(1, -4 * kGiB), MPI_ERR_COUNT, {"recvcount: is -4294967296"}, __LINE__);
  expect_error(regular(kMost, kMost), MPI_ERR_COUNT, {"sendcount: is 9223372036854775807 elements of 4 bytes", "2^56"},
               __LINE__);
  expect_error(regular(1, MPI_Count{1} << 54U), MPI_ERR_COUNT, {"recvcount: is 18014398509481984", "2^56"}, __LINE__);
  std::vector<MPI_Count> counts(ranks, 1);
  std::vector<MPI_Aint> places;
  std::vector<MPI_Aint> byte_places;
  for (int j = 0; j < p; ++j) {
    places.push_back(j);
    byte_places.push_back(j * static_cast<MPI_Aint>(sizeof(int)));
  }
  const std::vector<MPI_Count> good_counts = counts;
  const std::vector<MPI_Aint> good_places = places;
  const std::vector<MPI_Aint> good_byte_places = byte_places;
  const std::vector<MPI_Datatype> types(ranks, MPI_INT);
  const auto v = [&] {
    return Rondo_Alltoallv_c(send.data(), good_counts.data(), good_places.data(), MPI_INT, recv.data(), counts.data(),
                             places.data(), MPI_INT, comm);
  };
  const auto w = [&] {
    return Rondo_Alltoallw_c(send.data(), counts.data(), byte_places.data(), types.data(), recv.data(),
                             good_counts.data(), good_byte_places.data(), types.data(), comm);
  };
  const std::string last = "[" + std::to_string(p - 1) + "]";
  counts.back() = kMost / 4;
  expect_error(v(), MPI_ERR_COUNT, {("recvcounts" + last + ": is 2305843009213693951").c_str()}, __LINE__);
  expect_error(w(), MPI_ERR_COUNT, {("sendcounts" + last).c_str(), "2^56 bytes in all blocks together"}, __LINE__);
  counts.back() = 1;
  for (const MPI_Aint place : {kFarthest, -kFarthest, MPI_Aint{1} << 60U}) {
    places.back() = place;
    expect_error(v(), MPI_ERR_ARG,
                 {("recv displacements" + last + ": is " + std::to_string(place)).c_str(), "4 bytes apart", "2^62"},
                 __LINE__);
  }
  byte_places.back() = kFarthest;
  expect_error(w(), MPI_ERR_ARG, {("send displacements" + last).c_str(), "9223372036854775807 bytes"}, __LINE__);
  // Where there are no bytes, nobody asks where they are.
  counts.assign(ranks, 0);
  EXPECT_EQ(Rondo_Alltoallv_c(send.data(), counts.data(), places.data(), MPI_INT, recv.data(), counts.data(),
                              places.data(), MPI_INT, comm),
            MPI_SUCCESS);
  EXPECT_EQ(Rondo_Alltoallw_c(send.data(), counts.data(), byte_places.data(), types.data(), recv.data(), counts.data(),
                              byte_places.data(), types.data(), comm),
            MPI_SUCCESS);
  EXPECT_EQ(regular(1, 1), MPI_SUCCESS);
}

TEST_F(LargeCounts, ExtentsThatDoNotFit64BitsAreRefusedInAllFunctions) {
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, MPI_Aint{1} << 40U, &spread);
  MPI_Type_commit(&spread);
  constexpr int kMost = std::numeric_limits<int>::max();
  int block = 0;
  int other = 0;
  const std::array bytes{&block, &other};
  expect_error(Rondo_Alltoall(bytes[0], kMost, spread, bytes[1], kMost, spread, comm), MPI_ERR_COUNT,
               {"sendcount: is 2147483647 elements that are 1099511627776 bytes apart", "2^62"}, __LINE__);
  const std::vector<int> counts(ranks, 1);
  const std::vector<int> places(ranks, kMost);
  expect_error(Rondo_Alltoallv(bytes[0], counts.data(), places.data(), spread, bytes[1], counts.data(), places.data(),
                               spread, comm),
               MPI_ERR_ARG, {"send displacements[0]: is 2147483647 elements that are 1099511627776 bytes"}, __LINE__);
  expect_error(Rondo_Cart_alltoall(bytes[0], kMost, spread, bytes[1], kMost, spread, ring), MPI_ERR_COUNT,
               {"sendcount: is 2147483647"}, __LINE__);
  expect_error(Rondo_Cart_allgather_c(bytes[0], kMost, spread, bytes[1], kMost, spread, ring), MPI_ERR_COUNT,
               {"sendcount: is 2147483647"}, __LINE__);
  MPI_Type_free(&spread);
}

/// In an _init call all ranks hear of it.
TEST_F(LargeCounts, OneRanksMistakeInInitIsToldToAll) {
  if (p < 2) GTEST_SKIP() << "needs two ranks";
  std::vector<int> send(ranks, rank);
  std::vector<int> recv(ranks);
  Rondo_Request request = RONDO_REQUEST_NULL;
  const MPI_Count count = rank == 0 ? std::numeric_limits<MPI_Count>::max() : 1;
  const int code =
      Rondo_Alltoall_init_c(send.data(), count, MPI_INT, recv.data(), count, MPI_INT, comm, MPI_INFO_NULL, &request);
  if (rank == 0)
    expect_error(code, MPI_ERR_COUNT, {"Rondo_Alltoall_init_c", "2^56"}, __LINE__);
  else
    expect_error(code, MPI_ERR_ARG, {"rank 0 of comm"}, __LINE__);
}

/// A call with a count that differs from that of a call that is recognized by 2^32 is another one.
TEST_F(LargeCounts, CountsAreRecognizedInAllTheirBits) {
  std::vector<int> send(ranks, rank);
  std::vector<int> recv(ranks);
  std::vector<MPI_Count> counts(ranks, 1);
  std::vector<MPI_Aint> places(ranks);
  for (std::size_t j = 0; j < ranks; ++j) places[j] = static_cast<MPI_Aint>(j);
  const std::vector<MPI_Count> received = counts;
  MPI_Datatype one = MPI_DATATYPE_NULL;  // calls with a datatype of MPI's own are found by the class of their size
  MPI_Type_contiguous(1, MPI_INT, &one);
  MPI_Type_commit(&one);
  const auto regular = [&](MPI_Count count) {
    return Rondo_Alltoall_c(send.data(), count, one, recv.data(), 1, one, comm);
  };
  const auto irregular = [&] {
    return Rondo_Alltoallv_c(send.data(), counts.data(), places.data(), MPI_INT, recv.data(), received.data(),
                             places.data(), MPI_INT, comm);
  };
  for (int k = 0; k < kTimes; ++k) {
    ASSERT_EQ(regular(1), MPI_SUCCESS);
    ASSERT_EQ(irregular(), MPI_SUCCESS);
  }
  expect_error(regular(4 * kGiB + 1), MPI_ERR_TRUNCATE, {"sendcount and recvcount"}, __LINE__);
  counts[static_cast<std::size_t>(rank)] += 4 * kGiB;
  expect_error(irregular(), MPI_ERR_TRUNCATE, {"the process sends itself 17179869188 bytes and receives 4"}, __LINE__);
  counts[static_cast<std::size_t>(rank)] = 1;
  EXPECT_EQ(irregular(), MPI_SUCCESS);
  MPI_Type_free(&one);
}

}  // namespace
}  // namespace rondo::internal::large_counts_test
