#include "collectives/binding/partner_balance.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace rondo::internal::partner_balance_test {
namespace {

struct Partner {
  int rank;
};
using Partners = std::vector<std::set<int>>;  ///< of each rank

std::uint64_t sum_of(const Partners& partners) {
  std::uint64_t sum = 0;
  for (std::size_t rank = 0; rank < partners.size(); ++rank) {
    std::vector<Partner> list;
    for (const int partner : partners[rank]) list.push_back({partner});
    sum += partner_balance(static_cast<int>(rank), list);
  }
  return sum;
}

/// Each rank with those at these distances, both ways.
Partners ring(int ranks, const std::vector<int>& distances) {
  Partners partners(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    for (const int distance : distances) {
      for (const int other : {(rank + distance) % ranks, (rank + 10 * ranks - distance) % ranks}) {
        if (other != rank) partners[static_cast<std::size_t>(rank)].insert(other);
      }
    }
  }
  return partners;
}

TEST(PartnerBalance, IsNothingWhereRanksAgree) {
  EXPECT_EQ(sum_of(Partners(5)), 0U);
  for (const int ranks : {1, 2, 3, 8, 97}) EXPECT_EQ(sum_of(ring(ranks, {1, 2, 5})), 0U);
}

TEST(PartnerBalance, IsSomethingWhereOneRankMissesAPartner) {
  Partners partners = ring(97, {1, 2, 5, 40});
  for (std::set<int>& of_rank : partners) {
    for (const int partner : std::set<int>(of_rank)) {
      of_rank.erase(partner);
      EXPECT_NE(sum_of(partners), 0U);
      of_rank.insert(partner);
    }
  }
}

/// As with a mistake that all ranks make.
TEST(PartnerBalance, IsSomethingWhereAllRanksMissOne) {
  for (const int ranks : {3, 8, 97, 1000}) {
    for (const int distance : {1, 2, 3}) {
      Partners partners(static_cast<std::size_t>(ranks));
      for (int rank = 0; rank < ranks; ++rank)
        partners[static_cast<std::size_t>(rank)].insert((rank + distance) % ranks);
      const bool both_ways = 2 * distance % ranks == 0 || distance % ranks == 0;
      EXPECT_TRUE(both_ways || sum_of(partners) != 0) << ranks << " ranks, distance " << distance;
    }
  }
}

TEST(PartnerBalance, IsSomethingWhereRanksMissSomeAtRandom) {
  std::mt19937 random(1);
  for (int graph = 0; graph < 1000; ++graph) {
    Partners partners = ring(20, {1, 2, 3, 4, 5, 6, 7});
    const auto missing = 1 + random() % 30;
    for (auto left = missing; left > 0; --left) {
      const auto rank = static_cast<std::size_t>(random() % 20);
      partners[rank].erase(static_cast<int>(random() % 20));
    }
    bool agree = true;
    for (std::size_t rank = 0; rank < partners.size(); ++rank) {
      for (const int partner : partners[rank])
        agree = agree && partners[static_cast<std::size_t>(partner)].contains(static_cast<int>(rank));
    }
    EXPECT_EQ(sum_of(partners) == 0, agree);
  }
}

}  // namespace
}  // namespace rondo::internal::partner_balance_test
