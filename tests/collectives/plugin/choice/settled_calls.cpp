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

TEST(SettledCalls, AreFoundByAllOfTheirValues) {
  SettledCalls calls;
  EXPECT_FALSE(calls.contains(MPI_COMM_WORLD, kOne));
  EXPECT_FALSE(calls.contains(MPI_COMM_WORLD, {}));
  calls.add(MPI_COMM_WORLD, kOne);
  EXPECT_TRUE(calls.contains(MPI_COMM_WORLD, kOne));
  EXPECT_FALSE(calls.contains(MPI_COMM_SELF, kOne));
  std::vector<CallValues> others(7, kOne);
  others[0].sent = 9;
  others[1].received = 9;
  others[2].sent_type = MPI_FLOAT;
  others[3].received_type = MPI_FLOAT;
  others[4].op = MPI_SUM;
  others[5].root = 1;
  others[6].in_place = true;
  for (const CallValues& other : others) EXPECT_FALSE(calls.contains(MPI_COMM_WORLD, other));
  calls.remove(MPI_COMM_SELF);
  EXPECT_TRUE(calls.contains(MPI_COMM_WORLD, kOne));
  calls.remove(MPI_COMM_WORLD);
  EXPECT_FALSE(calls.contains(MPI_COMM_WORLD, kOne));
}

/// What else is said of the send side means nothing.
TEST(SettledCalls, InPlaceTheSentSideDoesNotMatter) {
  SettledCalls calls;
  calls.add(MPI_COMM_WORLD, CallValues::of_exchange(MPI_IN_PLACE, 3, MPI_DATATYPE_NULL, 8, MPI_INT));
  EXPECT_TRUE(calls.contains(MPI_COMM_WORLD, CallValues::of_exchange(MPI_IN_PLACE, 0, MPI_CHAR, 8, MPI_INT)));
  const int sent = 0;
  EXPECT_FALSE(calls.contains(MPI_COMM_WORLD, CallValues::of_exchange(&sent, 0, MPI_CHAR, 8, MPI_INT)));
}

TEST(SettledCalls, TheLastOnesAreKept) {
  SettledCalls calls;
  for (int root = 0; root < 20; ++root) {
    calls.add(MPI_COMM_WORLD, {.root = root});
    EXPECT_TRUE(calls.contains(MPI_COMM_WORLD, {.root = root}));
  }
  EXPECT_FALSE(calls.contains(MPI_COMM_WORLD, {.root = 0}));
  EXPECT_TRUE(calls.contains(MPI_COMM_WORLD, {.root = 18}));
}

/// One that is half written is no call: each place has calls in turn of which all values differ.
TEST(SettledCalls, AreNeverTakenForOthersWhileTheyChange) {
  constexpr int kNumbers = 8;
  SettledCalls calls;
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 0; i < 2'000'000; ++i) {
      const int number = i % kNumbers;
      calls.add(MPI_COMM_WORLD, {.sent = number, .root = number});
    }
    over = true;
  });
  int found = 0;
  for (int number = 0; !over; number = (number + 1) % kNumbers)
    found += calls.contains(MPI_COMM_WORLD, {.sent = number, .root = (number + 4) % kNumbers}) ? 1 : 0;
  writer.join();
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace rondo::internal::plugin
