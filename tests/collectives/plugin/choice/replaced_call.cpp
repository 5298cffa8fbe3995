// RONDO_PMPI: which calls the plug-in takes.
#include "collectives/plugin/choice/replaced_call.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace rondo::internal::plugin {
namespace {

using enum Wanted;

std::size_t count(const WantedCalls& calls, Wanted wanted) {
  return static_cast<std::size_t>(std::ranges::count(calls.of, wanted));
}

TEST(ReplacedCall, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kReplacedCalls; ++i) names.insert(name(static_cast<ReplacedCall>(i)));
  EXPECT_EQ(names.size(), kReplacedCalls);
  EXPECT_EQ(name(ReplacedCall::neighbor_allgatherv_init), "neighbor_allgatherv_init");
}

TEST(ReplacedCall, TellsTheFormsByTheirNames) {
  EXPECT_TRUE(is_nonblocking(ReplacedCall::ineighbor_alltoallw));
  EXPECT_FALSE(is_nonblocking(ReplacedCall::neighbor_alltoallw));
  EXPECT_TRUE(is_persistent(ReplacedCall::alltoallv_init));
  EXPECT_FALSE(is_persistent(ReplacedCall::ialltoall));
  EXPECT_TRUE(is_neighborhood(ReplacedCall::ineighbor_allgather));
  EXPECT_FALSE(is_neighborhood(ReplacedCall::alltoallw_init));
}

TEST(ReplacedCall, WordsForAllOfThem) {
  EXPECT_EQ(count(wanted_calls(""), automatic), kReplacedCalls);
  EXPECT_EQ(count(wanted_calls("auto"), automatic), kReplacedCalls);
  EXPECT_EQ(count(wanted_calls("all"), take), kReplacedCalls);
  EXPECT_EQ(count(wanted_calls("off"), leave), kReplacedCalls);
}

/// A list that begins with names says all that is taken; one that begins with what is left to MPI changes auto.
TEST(ReplacedCall, Lists) {
  const WantedCalls two = wanted_calls("alltoall,neighbor_alltoallw");
  EXPECT_EQ(count(two, take), 2U);
  EXPECT_EQ(count(two, leave), kReplacedCalls - 2);
  EXPECT_EQ(two[ReplacedCall::neighbor_alltoallw], take);
  const WantedCalls without = wanted_calls("-ialltoall*");
  EXPECT_EQ(count(without, leave), 3U);
  EXPECT_EQ(count(without, automatic), kReplacedCalls - 3);
  const WantedCalls mixed = wanted_calls("all,-neighbor*,neighbor_allgather");
  EXPECT_EQ(mixed[ReplacedCall::neighbor_alltoall_init], leave);
  EXPECT_EQ(mixed[ReplacedCall::neighbor_allgather], take);
  EXPECT_EQ(mixed[ReplacedCall::ineighbor_alltoall], take);
}

TEST(ReplacedCall, RefusesWordsThatNameNothing) {
  for (const char* text : {"alltoal", "all,,off", "-", "neighbour*", "All"}) {
    try {
      static_cast<void>(wanted_calls(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
      EXPECT_NE(std::string(error.what()).find("RONDO_PMPI"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace rondo::internal::plugin
