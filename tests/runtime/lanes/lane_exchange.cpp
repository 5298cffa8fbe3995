// Two ranks in one process, which tell each other by hand what ranks tell by messages.
#include "runtime/lanes/lane_exchange.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>

namespace rondo::internal::lane_exchange_test {
namespace {

using Candidate = LaneExchange::Candidate;

/// Ranks 0 and 1 of a communicator of three, which are in no MPI_COMM_WORLD.
struct Two {
  explicit Two(SharedMemory use_of_first = SharedMemory::on, SharedMemory use_of_second = SharedMemory::on)
      : first(0, 3, std::array{Candidate{1, kSecond}}, use_of_first),
        second(1, 3, std::array{Candidate{0, kFirst}}, use_of_second) {}
  void offer() {
    first.partners()[0].theirs = second.partners()[0].own;
    second.partners()[0].theirs = first.partners()[0].own;
  }
  void settle() {
    first.answer();
    second.answer();
    first.partners()[0].their_answer = second.partners()[0].own_answer;
    second.partners()[0].their_answer = first.partners()[0].own_answer;
    of_first = first.settle();
    of_second = second.settle();
  }

  static constexpr int kFirst = 1000;
  static constexpr int kSecond = 1001;
  LaneExchange first;
  LaneExchange second;
  std::shared_ptr<const LaneTable> of_first;
  std::shared_ptr<const LaneTable> of_second;
};

/// Whether a message arrives at the other end of a lane.
bool passes(const Lane& from, const Lane& to) {
  auto& sender = const_cast<Lane&>(from).sender;
  auto& receiver = const_cast<Lane&>(to).receiver;
  std::byte* const data = sender->try_reserve(1);
  if (data == nullptr) return false;
  *data = std::byte{42};
  sender->publish({7, 8, 1, false});
  const auto found = receiver->peek();
  if (!found || found->header != LaneHeader{7, 8, 1, false} || *found->data != std::byte{42}) return false;
  receiver->pop();
  return true;
}

TEST(LaneExchange, OnlyTheRanksOfTheNodeShareTheBudget) {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) unsetenv(variable);
  EXPECT_EQ(processes_with_lanes(256), 256) << "the launcher says nothing";
  setenv("MPI_LOCALNRANKS", "4", 1);
  EXPECT_EQ(processes_with_lanes(256), 4);
  EXPECT_EQ(processes_with_lanes(2), 2);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "8", 1);
  EXPECT_EQ(processes_with_lanes(256), 8);
  EXPECT_EQ(lines_of_lane(std::size_t{8} << 20U, processes_with_lanes(256)), lines_of_lane(std::size_t{8} << 20U, 8));
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) unsetenv(variable);
}

TEST(LaneExchange, BothEndsAgree) {
  Two two;
  two.offer();
  two.settle();
  ASSERT_TRUE(two.of_first && two.of_second);
  const LaneTable::Way& there = (*two.of_first)[1];
  const LaneTable::Way& here = (*two.of_second)[0];
  EXPECT_EQ(there.longest_sent, kLongestInLane);
  EXPECT_EQ(there.longest_received, kLongestInLane);
  EXPECT_EQ(here.longest_sent, kLongestInLane);
  EXPECT_EQ(here.longest_received, kLongestInLane);
  EXPECT_EQ(there.context, here.context);
  EXPECT_TRUE(passes(*there.lane, *here.lane));
  EXPECT_TRUE(passes(*here.lane, *there.lane));
  there.lane->detours_there->store(5);
  EXPECT_EQ(here.lane->detours_here->load(), 5U);
  EXPECT_EQ((*two.of_first)[2].longest_sent, 0) << "it is no candidate";
  EXPECT_TRUE(two.first.obstacles().empty());
}

TEST(LaneExchange, LongMessagesTakeNoLaneBetweenCaches) {
  Two two;
  two.first.partners()[0].own.node.cache = 1;
  two.second.partners()[0].own.node.cache = 2;
  two.offer();
  two.settle();
  ASSERT_TRUE(two.of_first && two.of_second);
  for (const LaneTable::Way& way : {(*two.of_first)[1], (*two.of_second)[0]}) {
    EXPECT_EQ(way.longest_sent, kLongestBetweenCaches);
    EXPECT_EQ(way.longest_received, kLongestBetweenCaches);
  }
}

TEST(LaneExchange, CommunicatorsOfTwoProcessesHaveOneLaneAndTellTheirMessagesApart) {
  Two one;
  one.offer();
  one.settle();
  auto other = std::make_unique<Two>();
  other->offer();
  other->settle();
  ASSERT_TRUE(one.of_first && other->of_first);
  const LaneTable::Way way = (*other->of_first)[1];
  EXPECT_EQ((*one.of_first)[1].lane, way.lane);
  EXPECT_NE((*one.of_first)[1].context, way.context);
  EXPECT_TRUE(LaneTable::knows(*way.lane, way.context));
  EXPECT_TRUE(LaneTable::knows(*way.lane, (*one.of_first)[1].context));
  other.reset();
  EXPECT_FALSE(LaneTable::knows(*way.lane, way.context));
  EXPECT_TRUE(LaneTable::knows(*way.lane, (*one.of_first)[1].context));
}

/// A message that one end sends through a lane is never awaited elsewhere.
TEST(LaneExchange, WhatOneEndCannotDoTheOtherDoesNotExpect) {
  Two two;
  two.offer();
  two.first.partners()[0].theirs.lines = 0;
  two.settle();
  ASSERT_TRUE(two.of_first && two.of_second);
  EXPECT_EQ((*two.of_first)[1].longest_sent, 0);
  EXPECT_EQ((*two.of_second)[0].longest_received, 0);
  EXPECT_EQ((*two.of_second)[0].longest_sent, kLongestInLane);
  EXPECT_EQ((*two.of_first)[1].longest_received, kLongestInLane);
}

TEST(LaneExchange, ThereIsNoLaneWhereOneEndDoesNotWantOne) {
  for (const auto& [first, second] :
       {std::pair(SharedMemory::on, SharedMemory::off), std::pair(SharedMemory::off, SharedMemory::on),
        std::pair(SharedMemory::odd, SharedMemory::on)}) {
    Two two(first, second);
    two.offer();
    two.settle();
    EXPECT_FALSE(two.of_first || two.of_second) << "both are rank 0 of MPI_COMM_WORLD, whose sum is even";
  }
}

TEST(LaneExchange, ThereIsNoLaneWithoutAPartner) {
  LaneExchange alone(0, 3, {}, SharedMemory::on);
  EXPECT_TRUE(alone.partners().empty());
  alone.answer();
  EXPECT_FALSE(alone.settle());
}

TEST(LaneExchange, NodesHaveNumbers) {
  const NodeCard card = own_node_card(SharedMemory::on);
  EXPECT_NE(node_number(card), 0U);
  EXPECT_EQ(node_number(card), node_number(own_node_card(SharedMemory::odd))) << "who shares is decided by pairs";
  NodeCard other = card;
  other.rank = 77;
  other.pid = 78;
  EXPECT_EQ(node_number(card), node_number(other));
  EXPECT_EQ(node_number(own_node_card(SharedMemory::off)), 0U);
  for (const auto field : {&NodeCard::boot_id, &NodeCard::pid_namespace, &NodeCard::node_name}) {
    other = card;
    ++(other.*field);
    EXPECT_NE(node_number(card), node_number(other));
  }
  other = card;
  other.fault = CardFault::boot_id;
  EXPECT_EQ(node_number(other), 0U);
}

}  // namespace
}  // namespace rondo::internal::lane_exchange_test
