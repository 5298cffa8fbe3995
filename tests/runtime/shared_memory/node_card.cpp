#include "runtime/shared_memory/node_card.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "runtime/base/node.hpp"
#include "tests/support/child_process.hpp"

#include <sched.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace rondo::internal::node_card_test {
namespace {

/// Before the first call of own_node_card.
const int kNamed = setenv("RONDO_NODE", "a node of this test", 1);

NodeCard card_with(auto... changes) {
  NodeCard card{
      .boot_id = 1, .pid_namespace = 2, .node_name = 3, .pid = 4, .user = 5, .rank = 6, .use = SharedMemory::on};
  (changes(card), ...);
  return card;
}
/// Whichever comes first.
Sharing found(const NodeCard& a, const NodeCard& b) {
  EXPECT_EQ(sharing(a, b), sharing(b, a));
  return sharing(a, b);
}

TEST(NodeCard, SaysWhyMemoryCannotBeShared) {
  const NodeCard here = card_with();
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.pid = 9, card.rank = 9; })), Sharing::possible);
  EXPECT_EQ(found(here, here), Sharing::possible) << "with itself";
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.use = SharedMemory::off; })), Sharing::off);
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.fault = CardFault::boot_id; })), Sharing::no_boot_id);
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.fault = CardFault::pid_namespace; })),
            Sharing::no_pid_namespace);
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.boot_id = 9; })), Sharing::other_node);
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.node_name = 0; })), Sharing::other_node_name);
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.pid_namespace = 9; })), Sharing::other_pid_namespace);
  EXPECT_EQ(found(here, card_with([](NodeCard& card) { card.user = 9; })), Sharing::other_user);
}

TEST(NodeCard, ThatCouldNotBeMadeIsNeverShared) {
  for (const CardFault fault : {CardFault::boot_id, CardFault::pid_namespace}) {
    const NodeCard broken = card_with([&](NodeCard& card) { card.fault = fault; });
    EXPECT_NE(found(broken, broken), Sharing::possible);
  }
}

TEST(NodeCard, SaysWhichProcessesShareACache) {
  const auto with = [](int cache, int rank) {
    return card_with([&](NodeCard& card) { card.cache = static_cast<std::uint16_t>(cache), card.rank = rank; });
  };
  const auto both_ways = [](const NodeCard& a, const NodeCard& b) {
    EXPECT_EQ(share_cache(a, b), share_cache(b, a));
    return share_cache(a, b);
  };
  EXPECT_TRUE(both_ways(with(3, 0), with(3, 1)));
  EXPECT_FALSE(both_ways(with(3, 0), with(4, 1)));
  EXPECT_TRUE(both_ways(with(0, 0), with(4, 1))) << "one is not known";
  EXPECT_FALSE(both_ways(with(kSeveralCaches, 0), with(kSeveralCaches, 1))) << "each may run anywhere";
  EXPECT_FALSE(both_ways(with(kSeveralCaches, 0), with(4, 1)));
}

TEST(NodeCard, OddSharesOnlyWhereTheSumOfTheRanksIsOdd) {
  const auto with = [](SharedMemory use, int rank) {
    return card_with([&](NodeCard& card) { card.use = use, card.rank = rank; });
  };
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      const Sharing expected = (a + b) % 2 == 1 ? Sharing::possible : Sharing::odd_pair;
      EXPECT_EQ(found(with(SharedMemory::odd, a), with(SharedMemory::odd, b)), expected) << a << " and " << b;
      EXPECT_EQ(found(with(SharedMemory::odd, a), with(SharedMemory::on, b)), expected) << a << " and " << b;
      EXPECT_EQ(found(with(SharedMemory::on, a), with(SharedMemory::on, b)), Sharing::possible);
      EXPECT_EQ(found(with(SharedMemory::odd, a), with(SharedMemory::off, b)), Sharing::off);
    }
  }
}

TEST(NodeCard, HasAReasonForEveryOutcome) {
  std::set<std::string> reasons;
  for (int i = 0; i <= static_cast<int>(Sharing::other_user); ++i) reasons.insert(reason(static_cast<Sharing>(i)));
  EXPECT_EQ(reasons.size(), static_cast<std::size_t>(Sharing::other_user) + 1);
  EXPECT_EQ(reasons.count(""), 0U);
}

TEST(NodeCard, OfAllRanksHereMayBeShared) {
  ASSERT_EQ(kNamed, 0);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const NodeCard own = own_node_card(SharedMemory::on);
  EXPECT_EQ(own.rank, rank);
  EXPECT_EQ(own.pid, ::getpid());
  EXPECT_EQ(own.user, ::geteuid());
  EXPECT_EQ(own.fault, CardFault::none);
  EXPECT_EQ(own.node_name, read_node("a node of this test").node_name);
  EXPECT_EQ(own_node_card(SharedMemory::odd).use, SharedMemory::odd) << "only what cannot change is kept";
  std::vector<NodeCard> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  for (const NodeCard& one : all) {
    EXPECT_STREQ(reason(found(own, one)), reason(Sharing::possible));
    EXPECT_EQ(one == own, one.rank == rank);
  }
}

TEST(NodeCard, TellsNodesOfDifferentNamesApart) {
  EXPECT_EQ(read_node(nullptr).node_name, 0U);
  EXPECT_EQ(read_node("").node_name, 0U);
  std::set<std::uint64_t> names{0};
  for (const char* name : {"a", "b", "ab", "ba", "a ", "node1", "node2"}) names.insert(read_node(name).node_name);
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(read_node("a"), read_node("a"));
}

TEST(NodeCard, TellsContainersApart) {
  constexpr int kNotAllowed = 77;
  const NodeCard here = read_node(nullptr);
  test::ChildProcess outer([&] {
    if (::unshare(CLONE_NEWPID) != 0) return kNotAllowed;
    return test::ChildProcess([&] {
             const NodeCard inside = read_node(nullptr);
             if (inside.fault != CardFault::none || inside.boot_id != here.boot_id) return 1;
             return inside.pid_namespace == here.pid_namespace ? 2 : 0;
           })
        .wait();
  });
  const int code = outer.wait();
  if (code == kNotAllowed) GTEST_SKIP() << "this user may not make PID namespaces";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace rondo::internal::node_card_test
