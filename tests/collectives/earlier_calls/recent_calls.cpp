// Calls that are made again with arguments that say the same, and with some that only look so: each delivers what its
// arguments say now, and is refused where they are wrong now.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/sanitizers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::recent_calls_test {
namespace {

constexpr bool kHandlesComeBack = !test::kAddressSanitizer;  // which keeps freed memory back
/// Such handles are looked for, and not at all long in vain.
constexpr int kRounds = kHandlesComeBack ? 5000 : 50;
constexpr int kTimes = 4;  ///< the first call makes, the second remembers, later ones are recognized

class RecentCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  void TearDown() override {
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }

  /// Returns all ranks in a ring, each the neighbor of itself and of the next one.
  [[nodiscard]] MPI_Comm make_ring() const {
    const int periodic = 1;
    const std::array steps{0, 1};
    MPI_Comm ring = MPI_COMM_NULL;
    EXPECT_EQ(Rondo_Cart_neighborhood_create(comm, 1, &p, &periodic, 2, steps.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                             &ring),
              MPI_SUCCESS);
    return ring;
  }
  /// What a rank sends to another, as an int.
  [[nodiscard]] int value(int source, int target, int place) const { return (source * p + target) * 100 + place; }

  int rank = world_rank();
  int p = world_size();
  std::size_t ranks = static_cast<std::size_t>(p);
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Blocks of one of 8 ints at places of their own, by alltoallv and w, with arrays that are changed in place.
struct Irregular {
  explicit Irregular(int p, int rank) : p_(p), send(static_cast<std::size_t>(p) * 8), recv(send.size()) {
    std::iota(send.begin(), send.end(), rank * 1000);
    set(1, 0);
  }
  /// Blocks of `count` ints, `shift` ints into their 8.
  void set(int count, int shift) {
    count_ = count;
    shift_ = shift;
    counts.assign(static_cast<std::size_t>(p_), count);
    places.clear();
    byte_places.clear();
    for (int j = 0; j < p_; ++j) {
      places.push_back(j * 8 + shift);
      byte_places.push_back((j * 8 + shift) * static_cast<int>(sizeof(int)));
    }
  }
  void expect_right(int rank, const std::string& what) {
    for (int j = 0; j < p_; ++j) {
      for (int k = 0; k < 8; ++k) {
        const bool sent = k >= shift_ && k < shift_ + count_;
        EXPECT_EQ(recv[static_cast<std::size_t>(j * 8 + k)], sent ? j * 1000 + rank * 8 + k : -1)
            << what << ", from " << j << ", int " << k;
      }
    }
    recv.assign(recv.size(), -1);
  }
  int p_;
  int count_ = 0;
  int shift_ = 0;
  std::vector<int> send;
  std::vector<int> recv;
  std::vector<int> counts;
  std::vector<int> places;
  std::vector<int> byte_places;
};

TEST_F(RecentCalls, CountsAndDisplacementsAreComparedByValue) {
  Irregular blocks(p, rank);
  const std::vector<MPI_Datatype> types(ranks, MPI_INT);
  blocks.recv.assign(blocks.recv.size(), -1);
  for (const auto& [count, shift] : {std::pair{1, 0}, {3, 0}, {3, 2}, {1, 2}, {0, 0}, {1, 0}}) {
    blocks.set(count, shift);
    const std::string what = std::to_string(count) + " ints at " + std::to_string(shift);
    for (int k = 0; k < kTimes; ++k) {
      ASSERT_EQ(Rondo_Alltoallv(blocks.send.data(), blocks.counts.data(), blocks.places.data(), MPI_INT,
                                blocks.recv.data(), blocks.counts.data(), blocks.places.data(), MPI_INT, comm),
                MPI_SUCCESS);
      blocks.expect_right(rank, "v, " + what);
      ASSERT_EQ(
          Rondo_Alltoallw(blocks.send.data(), blocks.counts.data(), blocks.byte_places.data(), types.data(),
                          blocks.recv.data(), blocks.counts.data(), blocks.byte_places.data(), types.data(), comm),
          MPI_SUCCESS);
      blocks.expect_right(rank, "w, " + what);
    }
  }
}

TEST_F(RecentCalls, ADatatypeThatGotAFreedOnesHandleIsAnother) {
  // Every `stride`-th int of a block of 12, made and freed so often that handles come back.
  std::vector<int> send(12 * ranks);
  std::iota(send.begin(), send.end(), rank * 1000);
  std::vector<int> recv(4 * ranks);
  std::vector<MPI_Datatype> handles;
  bool came_back = false;
  for (int round = 0; round < 40; ++round) {
    const int stride = 1 + round % 3;
    MPI_Datatype plain = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(4, 1, stride, MPI_INT, &plain);
    MPI_Type_create_resized(plain, 0, 12 * sizeof(int), &type);
    MPI_Type_free(&plain);
    MPI_Type_commit(&type);
    came_back = came_back || std::ranges::find(handles, type) != handles.end();
    handles.push_back(type);
    for (int k = 0; k < kTimes; ++k) {
      recv.assign(recv.size(), -1);
      ASSERT_EQ(Rondo_Alltoall(send.data(), 1, type, recv.data(), 4, MPI_INT, comm), MPI_SUCCESS);
      for (int j = 0; j < p; ++j) {
        for (int i = 0; i < 4; ++i)
          ASSERT_EQ(recv[static_cast<std::size_t>(4 * j + i)], j * 1000 + 12 * rank + i * stride) << "round " << round;
      }
    }
    MPI_Type_free(&type);
  }
  EXPECT_TRUE(came_back || !kHandlesComeBack) << "nothing was tested";
}

TEST_F(RecentCalls, ADatatypeThatIsNotCommittedIsRefused) {
  MPI_Comm alone = MPI_COMM_NULL;  // handles come back at other times on each rank
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  const int send = 1;
  int recv = 0;
  MPI_Datatype before = MPI_DATATYPE_NULL;
  bool came_back = false;
  for (int round = 0; round < 100 && !came_back; ++round) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_INT, &type);
    came_back = type == before;
    if (came_back) {
      const int code = Rondo_Alltoall(&send, 1, type, &recv, 1, MPI_INT, alone);
      expect_error(code, MPI_ERR_TYPE, {"sendtype", "not committed"}, __LINE__);
    } else {
      MPI_Type_commit(&type);
      for (int k = 0; k < kTimes; ++k) EXPECT_EQ(Rondo_Alltoall(&send, 1, type, &recv, 1, MPI_INT, alone), MPI_SUCCESS);
      before = type;
    }
    MPI_Type_free(&type);
  }
  EXPECT_TRUE(came_back || !kHandlesComeBack) << "nothing was tested";
  MPI_Comm_free(&alone);
}

TEST_F(RecentCalls, ACommunicatorThatGotAFreedOnesHandleIsAnother) {
  const std::vector<int> periodic{1};
  std::vector<MPI_Comm> handles;
  bool came_back = false;
  for (int round = 0; round < 12; ++round) {
    const int step = 1 + round % 3;
    MPI_Comm ring = MPI_COMM_NULL;
    ASSERT_EQ(
        Rondo_Cart_neighborhood_create(comm, 1, &p, periodic.data(), 1, &step, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring),
        MPI_SUCCESS);
    came_back = came_back || std::ranges::find(handles, ring) != handles.end();
    handles.push_back(ring);
    const int own = value(rank, 0, round);
    for (int k = 0; k < kTimes; ++k) {
      int got = -1;
      ASSERT_EQ(Rondo_Cart_alltoall(&own, 1, MPI_INT, &got, 1, MPI_INT, ring), MPI_SUCCESS);
      ASSERT_EQ(got, value(((rank - step) % p + p) % p, 0, round));
    }
    MPI_Comm_free(&ring);
  }
  EXPECT_TRUE(came_back || !kHandlesComeBack) << "nothing was tested";
}

void take_greater(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i)
    static_cast<int*>(inout)[i] = std::max(static_cast<int*>(in)[i], static_cast<int*>(inout)[i]);
}

TEST_F(RecentCalls, AnOperationThatGotAFreedOnesHandleIsAnother) {
  const int periodic = 1;
  const int one = 1;
  const int step = 0;
  MPI_Comm self = MPI_COMM_NULL;  // handles come back at other times on each rank
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_SELF, 1, &one, &periodic, 1, &step, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                           0, &self),
            MPI_SUCCESS);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  const int send = 7;
  int recv = 0;
  MPI_Op before = MPI_OP_NULL;
  bool came_back = false;
  for (int round = 0; round < kRounds && !came_back; ++round) {
    MPI_Op op = MPI_OP_NULL;
    std::vector<MPI_Op> others;  // that got other handles first
    do {
      if (op != MPI_OP_NULL) others.push_back(op);
      MPI_Op_create(take_greater, round % 2 == 0 ? 1 : 0, &op);
    } while (round % 2 != 0 && op != before && others.size() < 20);
    if (round % 2 == 0) {
      for (int k = 0; k < kTimes; ++k) EXPECT_EQ(Rondo_Cart_reduce(&send, &recv, 1, MPI_INT, op, self), MPI_SUCCESS);
      EXPECT_EQ(recv, send);
      before = op;
    } else {
      came_back = op == before;
      expect_error(Rondo_Cart_reduce(&send, &recv, 1, MPI_INT, op, self), MPI_ERR_OP, {"not commutative"}, __LINE__);
    }
    for (MPI_Op& other : others) MPI_Op_free(&other);
    MPI_Op_free(&op);
  }
  EXPECT_TRUE(came_back || !kHandlesComeBack) << "nothing was tested";
  MPI_Comm_free(&self);
}

TEST_F(RecentCalls, AnotherOperationIsAnotherCall) {
  MPI_Comm ring = make_ring();
  const int own = rank + 1;
  const int other = (rank + p - 1) % p + 1;
  int got = -1;
  for (const auto& [op, expected] : {std::pair{MPI_SUM, own + other}, {MPI_MAX, std::max(own, other)}}) {
    for (int k = 0; k < kTimes; ++k) {
      got = -1;
      ASSERT_EQ(Rondo_Cart_reduce(&own, &got, 1, MPI_INT, op, ring), MPI_SUCCESS);
      EXPECT_EQ(got, expected);
    }
  }
  MPI_Comm_free(&ring);
}

/// A float and an int lie alike, but are not added alike.
TEST_F(RecentCalls, AReductionOfAnotherDatatypeIsAnotherCall) {
  MPI_Comm ring = make_ring();
  const int expected = rank + 1 + (rank + p - 1) % p + 1;
  std::array<char, 4> own{};
  std::array<char, 4> got{};
  const auto add = [&](auto number, MPI_Datatype type) {
    std::memcpy(own.data(), &number, sizeof(number));
    ASSERT_EQ(Rondo_Cart_reduce(own.data(), got.data(), 1, type, MPI_SUM, ring), MPI_SUCCESS);
    std::memcpy(&number, got.data(), sizeof(number));
    EXPECT_EQ(number, static_cast<decltype(number)>(expected));
  };
  for (int k = 0; k < kTimes; ++k) add(rank + 1, MPI_INT);
  for (int k = 0; k < kTimes; ++k) add(static_cast<float>(rank + 1), MPI_FLOAT);
  MPI_Comm_free(&ring);
}

/// Two datatypes that lie alike, one that does not, and one that does but is not committed, in turn.
TEST_F(RecentCalls, DatatypesInTurnSendWhatTheyDescribe) {
  const std::array strides{2, 2, 3};
  std::array<MPI_Datatype, 3> types{};
  for (std::size_t i = 0; i < types.size(); ++i) {
    MPI_Type_vector(2, 1, strides.at(i), MPI_INT, &types.at(i));
    MPI_Type_commit(&types.at(i));
  }
  for (int k = 0; k < 3 * kTimes; ++k) {
    const auto i = static_cast<std::size_t>(k) % types.size();
    const bool root = rank == 0;
    std::array<int, 4> block{root ? k : -1, root ? -2 : -1, root ? k + 2 : -1, root ? k + 3 : -1};
    ASSERT_EQ(Rondo_Bcast(block.data(), 1, types.at(i), 0, comm), MPI_SUCCESS);
    EXPECT_EQ(block[0], k);
    EXPECT_EQ(block.at(static_cast<std::size_t>(strides.at(i))), k + strides.at(i));
    if (!root) {
      EXPECT_EQ(block[1], -1);
    }
  }
  MPI_Comm alone = MPI_COMM_NULL;  // a call that one rank refuses is not collective
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  MPI_Datatype open = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, strides[0], MPI_INT, &open);
  std::array<int, 4> from{1, 2, 3, 4};
  std::array<int, 4> to{};
  for (int k = 0; k < kTimes; ++k)
    ASSERT_EQ(Rondo_Alltoall(from.data(), 1, types[0], to.data(), 1, types[1], alone), MPI_SUCCESS);
  expect_error(Rondo_Alltoall(from.data(), 1, open, to.data(), 1, types[1], alone), MPI_ERR_TYPE,
               {"sendtype", "not committed"}, __LINE__);
  MPI_Comm_free(&alone);
  MPI_Type_free(&open);
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
}

TEST_F(RecentCalls, InPlaceIsAnotherCall) {
  std::vector<int> send(ranks);
  for (int j = 0; j < p; ++j) send[static_cast<std::size_t>(j)] = value(rank, j, 0);
  std::vector<int> recv(ranks);
  MPI_Datatype one = MPI_DATATYPE_NULL;  // calls with a datatype of MPI's own are found by the class of their size
  MPI_Type_contiguous(1, MPI_INT, &one);
  MPI_Type_commit(&one);
  for (const int place : {0, 1, 0, 1}) {
    for (int k = 0; k < kTimes; ++k) {
      for (int j = 0; j < p; ++j) recv[static_cast<std::size_t>(j)] = place == 0 ? -1 : value(rank, j, place);
      const void* const from = place == 0 ? send.data() : MPI_IN_PLACE;
      ASSERT_EQ(Rondo_Alltoall(from, 1, one, recv.data(), 1, one, comm), MPI_SUCCESS);
      for (int j = 0; j < p; ++j) EXPECT_EQ(recv[static_cast<std::size_t>(j)], value(j, rank, place));
    }
  }
  MPI_Type_free(&one);
}

TEST_F(RecentCalls, WhatIsWrongNowIsRefused) {
  std::vector<int> send(2 * ranks);
  std::vector<int> recv(2 * ranks);
  Irregular blocks(p, rank);
  const auto regular = [&](const int* from, int count, MPI_Datatype type, int* to) {
    return Rondo_Alltoall(from, count, type, to, 1, MPI_INT, comm);
  };
  const auto irregular = [&](const int* counts, const int* places) {
    return Rondo_Alltoallv(blocks.send.data(), counts, places, MPI_INT, blocks.recv.data(), counts, places, MPI_INT,
                           comm);
  };
  for (int k = 0; k < kTimes; ++k) {
    ASSERT_EQ(regular(send.data(), 1, MPI_INT, recv.data()), MPI_SUCCESS);
    ASSERT_EQ(irregular(blocks.counts.data(), blocks.places.data()), MPI_SUCCESS);
  }
  expect_error(regular(send.data(), -1, MPI_INT, recv.data()), MPI_ERR_COUNT, {"sendcount"}, __LINE__);
  expect_error(regular(send.data(), 2, MPI_INT, recv.data()), MPI_ERR_TRUNCATE, {"sendcount and recvcount"}, __LINE__);
  expect_error(regular(send.data(), 1, MPI_DATATYPE_NULL, recv.data()), MPI_ERR_TYPE, {"sendtype"}, __LINE__);
  expect_error(regular(nullptr, 1, MPI_INT, recv.data()), MPI_ERR_BUFFER, {"sendbuf: is null"}, __LINE__);
  expect_error(regular(recv.data(), 1, MPI_INT, recv.data()), MPI_ERR_BUFFER, {"both sent and received"}, __LINE__);
  expect_error(irregular(nullptr, blocks.places.data()), MPI_ERR_ARG, {"counts: is null"}, __LINE__);
  expect_error(irregular(blocks.counts.data(), nullptr), MPI_ERR_ARG, {"displacements: is null"}, __LINE__);
  blocks.counts.back() = -1;
  expect_error(irregular(blocks.counts.data(), blocks.places.data()), MPI_ERR_COUNT, {"counts["}, __LINE__);
  // And what is right again is done.
  blocks.set(1, 0);
  ASSERT_EQ(irregular(blocks.counts.data(), blocks.places.data()), MPI_SUCCESS);
  ASSERT_EQ(regular(send.data(), 1, MPI_INT, recv.data()), MPI_SUCCESS);
}

TEST_F(RecentCalls, OtherSettingsHoldForCallsThatWereMadeBefore) {
  std::vector<int> send(ranks);
  std::vector<int> recv(ranks);
  for (const char* algorithm : {"direct", "randomized", "direct"}) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", algorithm);
    ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    for (int k = 0; k < kTimes; ++k) {
      Rondo_Request request = RONDO_REQUEST_NULL;
      ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm, &request), MPI_SUCCESS);
      std::array<char, RONDO_MAX_ALGORITHM_NAME> name{};
      int length = 0;
      ASSERT_EQ(Rondo_Request_get_algorithm(request, name.data(), &length), MPI_SUCCESS);
      EXPECT_EQ(std::string(name.data()), algorithm);
      ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
  }
}

TEST_F(RecentCalls, EqualCallsInFlightAtOnceAreOperationsOfTheirOwn) {
  std::vector<int> send(ranks);
  for (int j = 0; j < p; ++j) send[static_cast<std::size_t>(j)] = value(rank, j, 0);
  // More buffers than are remembered, and each several times before any of them is waited for.
  constexpr int kBuffers = 11;
  std::vector<std::vector<int>> recv(kBuffers, std::vector<int>(ranks));
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::vector<Rondo_Request> requests;
    for (int k = 0; k < 2 * kBuffers; ++k) {
      std::vector<int>& to = recv[static_cast<std::size_t>(k % kBuffers)];
      to.assign(ranks, -1);
      requests.push_back(RONDO_REQUEST_NULL);
      if (k < kBuffers || repetition == 0)
        ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &requests.back()), MPI_SUCCESS);
      else
        ASSERT_EQ(Rondo_Alltoall(send.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm), MPI_SUCCESS);
    }
    for (Rondo_Request& request : requests) ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (const std::vector<int>& got : recv) {
      for (int j = 0; j < p; ++j) EXPECT_EQ(got[static_cast<std::size_t>(j)], value(j, rank, 0));
    }
  }
}

}  // namespace
}  // namespace rondo::internal::recent_calls_test
