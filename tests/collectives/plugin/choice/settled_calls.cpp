// Which calls are known to be MPI's own.
#include "collectives/plugin/choice/settled_calls.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <thread>
#include <vector>

namespace rondo::internal::plugin {
namespace {

const CallValues kOne{.sent = 8, .received = 8, .sent_type = MPI_INT, .received_type = MPI_INT};

CallValues::Words words(const CallValues& values, MPI_Comm comm = MPI_COMM_WORLD) {
  return values.words(ReplacedCall::alltoall, comm);
}

TEST(SettledCalls, AreFoundByAllOfTheirValues) {
  SettledCalls calls;
  EXPECT_FALSE(calls.any());
  EXPECT_FALSE(calls.contains(words(kOne)));
  EXPECT_FALSE(calls.contains(words({})));
  calls.add(words(kOne));
  EXPECT_TRUE(calls.any());
  EXPECT_TRUE(calls.contains(words(kOne)));
  EXPECT_FALSE(calls.contains(words(kOne, MPI_COMM_SELF)));
  EXPECT_FALSE(calls.contains(kOne.words(ReplacedCall::allgather, MPI_COMM_WORLD)));
  std::vector<CallValues> others(7, kOne);
  others[0].sent = 9;
  others[1].received = 9;
  others[2].sent_type = MPI_FLOAT;
  others[3].received_type = MPI_FLOAT;
  others[4].op = MPI_SUM;
  others[5].root = 1;
  others[6].in_place = true;
  for (const CallValues& other : others) EXPECT_FALSE(calls.contains(words(other)));
  calls.remove(MPI_COMM_SELF);
  EXPECT_TRUE(calls.contains(words(kOne)));
  calls.remove(MPI_COMM_WORLD);
  EXPECT_FALSE(calls.contains(words(kOne)));
}

/// What else is said of the send side means nothing.
TEST(SettledCalls, InPlaceTheSentSideDoesNotMatter) {
  SettledCalls calls;
  calls.add(words(CallValues::of_blocks(MPI_IN_PLACE, 3, MPI_DATATYPE_NULL, 8, MPI_INT)));
  EXPECT_TRUE(calls.contains(words(CallValues::of_blocks(MPI_IN_PLACE, 0, MPI_CHAR, 8, MPI_INT))));
  const int sent = 0;
  EXPECT_FALSE(calls.contains(words(CallValues::of_blocks(&sent, 0, MPI_CHAR, 8, MPI_INT))));
}

/// More than there is room for: each is known at first, and many stay.
TEST(SettledCalls, PushOthersOut) {
  SettledCalls calls;
  constexpr int kMany = 1000;
  for (int root = 0; root < kMany; ++root) {
    calls.add(words({.root = root}));
    EXPECT_TRUE(calls.contains(words({.root = root})));
  }
  int known = 0;
  for (int root = 0; root < kMany; ++root) known += calls.contains(words({.root = root})) ? 1 : 0;
  EXPECT_GT(known, 40);  // spread
  EXPECT_LE(known, 128);
}

/// One that is half written is no call: all values of those that come to one place differ.
TEST(SettledCalls, AreNeverTakenForOthersWhileTheyChange) {
  SettledCalls calls;
  // Two calls for one place: that which pushes the first out.
  const CallValues first{.sent = 1, .received = 1, .root = 1};
  calls.add(words(first));
  CallValues second = first;
  while (calls.contains(words(first))) {
    second = {.sent = second.sent + 1, .received = second.received + 1, .root = second.root + 1};
    calls.add(words(second));
  }
  const CallValues torn{.sent = first.sent, .received = first.received, .root = second.root};
  const CallValues torn_too{.sent = second.sent, .received = second.received, .root = first.root};
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 0; i < 1'000'000; ++i) calls.add(words(i % 2 == 0 ? first : second));
    over = true;
  });
  int found = 0;
  while (!over) {
    found += calls.contains(words(torn)) ? 1 : 0;
    found += calls.contains(words(torn_too)) ? 1 : 0;
  }
  writer.join();
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace rondo::internal::plugin
