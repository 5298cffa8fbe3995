// Which calls are taken by operations for blocks of any sizes and places: those whose arguments are right as far as a
// rank can tell, after enough of their kind differed.
#include "collectives/earlier_calls/placed_calls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::internal::placed_calls_test {
namespace {

constexpr const char* kName = "call";
constexpr std::int64_t kInt = sizeof(int);

/// Three neighbors, of which the second does not exist and the third is the process itself.
class PlacedCalls : public ::testing::Test {
 protected:
  [[nodiscard]] Call call() {
    return alltoallv_call(kName, send.data(), sent.data(), send_places.data(), type, recv.data(), received.data(),
                          recv_places.data(), type);
  }
  [[nodiscard]] bool finds() { return calls.find(call()) != nullptr; }
  [[nodiscard]] internal::PlacedCalls::Kind* count_build() { return calls.count_build(call(), pattern, kInt, kInt); }
  /// Builds as often as it takes until calls of this kind have operations.
  void make_known() {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(count_build(), nullptr);
    EXPECT_FALSE(finds());
    internal::PlacedCalls::Kind* const kind = count_build();
    ASSERT_NE(kind, nullptr);
    kind->pool = std::make_shared<OperationPool>();
    ASSERT_TRUE(finds());
  }

  MPI_Datatype type = MPI_INT;
  std::vector<int> send = std::vector<int>(100);
  std::vector<int> recv = std::vector<int>(100);
  std::array<int, 3> sent{3, -7, 5};
  std::array<int, 3> send_places{10, -1, 20};
  std::array<int, 3> received{4, -8, 5};
  std::array<int, 3> recv_places{30, 31, 40};
  std::vector<char> existing{1, 0, 1};
  std::array<BlockPair, 1> to_self{{{2, 2}}};
  BlockPattern pattern{
      .targets = 3, .sources = 3, .existing_targets = existing, .existing_sources = existing, .to_self = to_self};
  internal::PlacedCalls calls;
};

TEST_F(PlacedCalls, AreFoundAfterFourSchedules) {
  make_known();
  EXPECT_EQ(calls.sent(), (std::vector<PlacedBlock>{{40, 12}, {0, 0}, {80, 20}}));
  EXPECT_EQ(calls.received(), (std::vector<PlacedBlock>{{120, 16}, {0, 0}, {160, 20}}));
}

TEST_F(PlacedCalls, HaveSchedulesOfTheirOwnIfTheyAreDeclined) {
  make_known();
  internal::PlacedCalls::Kind& kind = *calls.find(call());
  for (int i = 0; i < internal::PlacedCalls::kRepetitions; ++i) calls.count_start(kind, false);
  EXPECT_EQ(kind.repeated, internal::PlacedCalls::kRepetitions);
  EXPECT_EQ(count_build(), &kind);
  kind.declined = true;
  EXPECT_EQ(count_build(), nullptr);
  EXPECT_EQ(count_build(), &kind);  // a call that was not declined
  calls.count_start(kind, true);
  EXPECT_EQ(kind.repeated, 0);
  kind.operations = internal::PlacedCalls::kMostOperations;
  EXPECT_EQ(count_build(), nullptr);
}

TEST_F(PlacedCalls, AreFoundAtOnceIfThereAreNoRecentCalls) {
  calls.expect_no_recent_calls();
  internal::PlacedCalls::Kind* const kind = count_build();
  ASSERT_NE(kind, nullptr);
  kind->pool = std::make_shared<OperationPool>();
  for (int i = 0; i < 2 * internal::PlacedCalls::kRepetitions; ++i) calls.count_start(*kind, false);
  EXPECT_EQ(kind->repeated, 0);
  EXPECT_NE(count_build(), nullptr);
}

TEST_F(PlacedCalls, AreOfTheClassesOfTheirLongestBlocks) {
  make_known();
  existing = {1, 1, 1};
  sent = received = {3, 4, 5};
  recv_places = {30, 40, 50};
  internal::PlacedCalls::Kind& kind = *calls.find(call());
  kind.add_class(256);
  EXPECT_FALSE(finds());
  kind.add_class(20);
  EXPECT_TRUE(finds());
  received[1] = 3;  // 11 ints together, and the longest has 5: the others are not alike
  EXPECT_FALSE(finds());
}

TEST_F(PlacedCalls, AreOfOneKind) {
  make_known();
  type = MPI_FLOAT;
  EXPECT_FALSE(finds());
  type = MPI_INT;
  Call other = call();
  other.name = "other";
  EXPECT_EQ(calls.find(other), nullptr);
  const std::array<MPI_Datatype, 3> types{MPI_INT, MPI_INT, MPI_INT};
  EXPECT_EQ(calls.find(alltoallw_call(kName, send.data(), sent.data(), send_places.data(), types.data(), recv.data(),
                                      received.data(), recv_places.data(), types.data())),
            nullptr);
}

TEST_F(PlacedCalls, HaveNoBlocksThatAreWrong) {
  make_known();
  const auto finds_with = [&](int& argument, int value) {
    const int before = std::exchange(argument, value);
    const bool found = finds();
    argument = before;
    return found;
  };
  EXPECT_TRUE(finds_with(sent[0], 0));
  EXPECT_FALSE(finds_with(sent[0], -1));
  EXPECT_FALSE(finds_with(received[0], -1));
  EXPECT_FALSE(finds_with(sent[0], 1 << 29));  // 2 GiB
  EXPECT_FALSE(finds_with(sent[2], 6));        // which the process receives from itself
  EXPECT_TRUE(finds_with(received[0], 10));
  EXPECT_FALSE(finds_with(received[0], 11));  // which overlaps the next
  EXPECT_TRUE(finds_with(recv_places[0], 45));
  EXPECT_FALSE(finds_with(recv_places[0], 44));
  EXPECT_TRUE(finds_with(send_places[0], 20));  // the same may be sent twice
  EXPECT_TRUE(finds());
}

TEST_F(PlacedCalls, HaveBuffersForTheirBlocks) {
  make_known();
  Call given = call();
  given.send.buffer = nullptr;
  EXPECT_EQ(calls.find(given), nullptr);
  // From the 10th to the 25th int behind it is sent; ints 30 to 45 are received.
  for (const auto& [place, is_apart] : {std::pair{5, true}, {6, false}, {20, false}, {34, false}, {35, true}}) {
    given.send.buffer = recv.data() + place;
    EXPECT_EQ(calls.find(given) != nullptr, is_apart) << place;
  }
  given.send.buffer = MPI_IN_PLACE;
  EXPECT_EQ(calls.find(given), nullptr);
  given = call();
  given.recv.entries = given.recv.placed = 3;
  given.recv.elements = 45;
  EXPECT_NE(calls.find(given), nullptr);
  given.recv.elements = 44;
  EXPECT_EQ(calls.find(given), nullptr);
  given.recv.elements = 45;
  given.recv.entries = 2;
  EXPECT_EQ(calls.find(given), nullptr);
  sent = received = {0, 0, 0};
  given = call();
  given.send.buffer = given.recv.buffer = nullptr;  // as of vectors without elements
  EXPECT_NE(calls.find(given), nullptr);
  given.recv.buffer = MPI_IN_PLACE;
  EXPECT_EQ(calls.find(given), nullptr);
}

TEST_F(PlacedCalls, KeepNoMoreMemoryThanThereMayBe) {
  make_known();
  internal::PlacedCalls::Kind& kind = *calls.find(call());
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20U;
  for (int i = 0; i < 31; ++i) calls.count_made(kind, kMebibyte);
  EXPECT_EQ(kind.operations, 31);
  EXPECT_TRUE(calls.has_memory_for(kMebibyte));
  EXPECT_FALSE(calls.has_memory_for(kMebibyte + 1));
  calls.count_dropped(kind, kMebibyte);
  EXPECT_EQ(kind.operations, 30);
  EXPECT_TRUE(calls.has_memory_for(kMebibyte + 1));
}

TEST_F(PlacedCalls, OfReduceScattersAreAlikeOnAllRanks) {
  existing = {1, 1, 1};
  sent = {3, 4, 5};
  MPI_Op op = MPI_SUM;
  const auto finds_scatter = [&] {
    return calls.find(reduce_scatter_call("reduce", send.data(), recv.data(), sent.data(), sent[2], type, op)) !=
           nullptr;
  };
  const auto count_scatter = [&] {
    return calls.count_build(reduce_scatter_call("reduce", send.data(), recv.data(), sent.data(), sent[2], type, op),
                             pattern, kInt, kInt);
  };
  for (int i = 0; i < 4; ++i) static_cast<void>(count_scatter());
  internal::PlacedCalls::Kind* const kind = count_scatter();
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(calls.sent(), (std::vector<PlacedBlock>{{0, 12}, {12, 16}, {28, 20}}));
  EXPECT_EQ(calls.received(), (std::vector<PlacedBlock>{{0, 20}}));
  kind->pool = std::make_shared<OperationPool>();
  sent = {0, 4, 5};
  EXPECT_FALSE(finds_scatter()) << "a message without bytes would not be posted";
  sent = {3, 4, 5};
  kind->add_class(20);
  EXPECT_TRUE(finds_scatter());
  op = MPI_MAX;
  EXPECT_FALSE(finds_scatter()) << "another operation";
  op = MPI_SUM;
  sent = {3, 80, 75};
  EXPECT_FALSE(finds_scatter()) << "of a class that was not added";
  sent = {3, 3, 5};
  EXPECT_FALSE(finds_scatter()) << "not alike";
  sent = {5, 5, 5};
  EXPECT_TRUE(finds_scatter());
  const std::array<MPI_Count, 3> too_many{1, INT64_MAX, 5};
  EXPECT_EQ(calls.find(reduce_scatter_call("reduce", send.data(), recv.data(), too_many.data(), too_many[2], type, op)),
            nullptr);
  send.resize(3U << 15U);
  recv.resize(send.size());
  sent = {1 << 15, 1 << 15, 1 << 15};
  kind->add_class(1 << 17);
  EXPECT_TRUE(finds_scatter()) << "a long part for the process itself";
}

TEST_F(PlacedCalls, OfRegularBlocksAreOneAfterTheOther) {
  send.resize(3U << 14U);
  recv.resize(3U << 14U);
  int count = 4;
  const auto regular = [&] { return alltoall_call("regular", send.data(), count, type, recv.data(), count, type); };
  for (int i = 0; i < 4; ++i) static_cast<void>(calls.count_build(regular(), pattern, kInt, kInt));
  ASSERT_NE(calls.count_build(regular(), pattern, kInt, kInt), nullptr);
  EXPECT_EQ(calls.sent(), (std::vector<PlacedBlock>{{0, 16}, {0, 0}, {32, 16}}));
  count = -1;
  existing = {0, 0, 0};
  EXPECT_EQ(calls.count_build(regular(), pattern, kInt, kInt), nullptr);
  count = (1 << 14) - 1;  // blocks of 64 KiB from the process to itself are copied before messages are posted
  existing = {0, 0, 1};
  EXPECT_NE(calls.count_build(regular(), pattern, kInt, kInt), nullptr);
  ++count;
  EXPECT_EQ(calls.count_build(regular(), pattern, kInt, kInt), nullptr);
}

}  // namespace
}  // namespace rondo::internal::placed_calls_test
