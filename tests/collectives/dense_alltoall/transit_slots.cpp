// The intermediate memory of zero-copy Bruck: docs/bruck-buffer.md, statement by statement.
#include "collectives/dense_alltoall/transit_slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::dense::transit_slots_test {
namespace {

/// From the arrival of a block to its leaving, both included.
struct Stay {
  int j;
  int begin;
  int end;
  bool at_its_end;
};

int digits_of(int p, int radix) {
  int digits = 0;
  for (std::int64_t power = 1; power < p; power *= radix) ++digits;
  return digits;
}

/// From the digits themselves, the lowest first; or in another order of the phases.
std::vector<Stay> stays(int p, int radix, const std::vector<int>& order) {
  std::vector<Stay> found;
  for (int j = 1; j < p; ++j) {
    std::vector<int> phases;
    for (int phase = 0; phase < std::ssize(order); ++phase) {
      int digit = j;
      for (int d = 0; d < order[static_cast<std::size_t>(phase)]; ++d) digit /= radix;
      if (digit % radix != 0) phases.push_back(phase);
    }
    for (std::size_t hop = 0; hop + 1 < phases.size(); ++hop) found.push_back({j, phases[hop], phases[hop + 1], false});
    found.push_back({j, phases.back(), static_cast<int>(std::ssize(order)) - 1, true});
  }
  return found;
}

std::vector<Stay> stays(int p, int radix) {
  std::vector<int> order(static_cast<std::size_t>(digits_of(p, radix)));
  std::iota(order.begin(), order.end(), 0);
  return stays(p, radix, order);
}

/// The most blocks at a time.
int crowd(const std::vector<Stay>& all, int phases) {
  std::int64_t most = 0;
  for (int phase = 0; phase < phases; ++phase)
    most = std::max<std::int64_t>(
        most, std::ranges::count_if(all, [&](const Stay& it) { return it.begin <= phase && phase <= it.end; }));
  return static_cast<int>(most);
}

TEST(TransitSlots, NoTwoBlocksShareASlot) {
  for (int p = 1; p <= 130; ++p) {
    for (int radix = 2; radix <= std::max(2, p); radix += 1 + radix / 5) {
      for (const bool own_is_free : {false, true}) {
        const TransitSlots slots(p, radix, own_is_free);
        std::map<std::pair<int, int>, int> taken;  // by phase and slot
        std::set<int> intermediate;
        for (const Stay& stay : stays(p, radix)) {
          const int slot = slots.slot(stay.j, stay.begin);
          EXPECT_TRUE(slot == stay.j || !stay.at_its_end);
          EXPECT_GE(slot, own_is_free ? 0 : 1);
          EXPECT_LT(slot, p + slots.intermediate());
          if (slot >= p) intermediate.insert(slot);
          for (int phase = stay.begin; phase <= stay.end; ++phase) {
            const auto [at, is_free] = taken.emplace(std::pair(phase, slot), stay.j);
            EXPECT_TRUE(is_free) << "p " << p << ", radix " << radix << ", phase " << phase << ", slot " << slot
                                 << ": blocks " << at->second << " and " << stay.j;
          }
        }
        EXPECT_EQ(std::ssize(intermediate), slots.intermediate()) << "all of them are used";
      }
    }
  }
}

/// Theorem: as few as counting allows.
TEST(TransitSlots, AsFewAsAreFullAtATime) {
  for (int p = 1; p <= 300; ++p) {
    for (int radix = 2; radix <= 2 + p / 10; ++radix) {
      const int most = crowd(stays(p, radix), digits_of(p, radix));
      for (const bool own_is_free : {false, true}) {
        const int least = std::max(0, most - (own_is_free ? p : p - 1));
        EXPECT_EQ(TransitSlots(p, radix, own_is_free).intermediate(), least) << "p " << p << ", radix " << radix;
        EXPECT_EQ(least_intermediate_slots(p, radix, own_is_free), least) << "p " << p << ", radix " << radix;
      }
    }
  }
}

/// Corollary: the answer to the paper's question, with the numbers for powers of two.
TEST(TransitSlots, LessThanHalfOfTheBlocks) {
  for (int p = 1; p <= 2000; ++p) {
    EXPECT_LE(TransitSlots(p, 2, true).intermediate(), std::max(0, p / 2 - 2)) << p;
    EXPECT_LE(TransitSlots(p, 2, false).intermediate(), std::max(0, p / 2 - 1)) << p;
    if (p >= 4 && std::has_single_bit(static_cast<unsigned>(p))) {
      EXPECT_EQ(TransitSlots(p, 2, true).intermediate(), p / 2 - 2);
      EXPECT_EQ(TransitSlots(p, 2, false).intermediate(), p / 2 - 1);
    }
  }
}

/// Whether the stays from `next` on can be given slots, all ways tried.
bool fits(const std::vector<Stay>& all, std::size_t next, int slots, std::vector<std::vector<bool>>& taken) {
  if (next == all.size()) return true;
  const Stay& stay = all[next];
  const auto try_slot = [&](int slot) {
    for (int phase = stay.begin; phase <= stay.end; ++phase) {
      if (taken[static_cast<std::size_t>(phase)][static_cast<std::size_t>(slot)]) return false;
    }
    for (const bool take : {true, false}) {
      for (int phase = stay.begin; phase <= stay.end; ++phase)
        taken[static_cast<std::size_t>(phase)][static_cast<std::size_t>(slot)] = take;
      if (take && fits(all, next + 1, slots, taken)) return true;
    }
    return false;
  };
  if (stay.at_its_end) return try_slot(stay.j);
  for (int slot = 0; slot < slots; ++slot) {
    if (try_slot(slot)) return true;
  }
  return false;
}

TEST(TransitSlots, AsFewAsASearchFinds) {
  for (int p = 2; p <= 16; ++p) {
    for (const int radix : {2, 3}) {
      std::vector<Stay> all = stays(p, radix);
      std::ranges::stable_sort(all, std::greater{},
                               [](const Stay& stay) { return std::pair(stay.at_its_end, stay.end); });
      int slots = p;
      const auto enough = [&] {
        std::vector<std::vector<bool>> taken(static_cast<std::size_t>(digits_of(p, radix)),
                                             std::vector<bool>(static_cast<std::size_t>(slots)));
        return fits(all, 0, slots, taken);
      };
      // One slot less than are full at a time is a pigeonhole's proof, which no search ends; so from below only where
      // few are missing.
      if (p <= 10) {
        while (!enough()) ++slots;
      } else {
        slots += TransitSlots(p, radix, true).intermediate();
        EXPECT_TRUE(enough());
      }
      EXPECT_EQ(TransitSlots(p, radix, true).intermediate(), slots - p) << "p " << p << ", radix " << radix;
    }
  }
}

/// Remark: the lowest digit first is as good as any order.
TEST(TransitSlots, NoOtherOrderOfThePhasesNeedsFewer) {
  for (int p = 2; p <= 64; ++p) {
    const int digits = digits_of(p, 2);
    std::vector<int> order(static_cast<std::size_t>(digits));
    std::iota(order.begin(), order.end(), 0);
    const int least = std::max(p, crowd(stays(p, 2, order), digits));
    while (std::ranges::next_permutation(order).found)
      ASSERT_GE(std::max(p, crowd(stays(p, 2, order), digits)), least) << p;
  }
}

/// Remark: in section 3.3 blocks with an odd number of hops before them wait in the intermediate buffer: listing 3 has
/// a slot there for each number, and no reuse would do with much less than three quarters of them.
TEST(TransitSlots, ThePapersAlternationNeedsThreeQuarters) {
  for (int p = 4; p <= 1024; p *= 2) {
    std::vector<Stay> intermediate;
    for (const Stay& stay : stays(p, 2)) {
      const auto hops_left = std::popcount(static_cast<unsigned>(stay.j) >> (stay.begin + 1));
      if (hops_left % 2 == 1) intermediate.push_back(stay);
    }
    EXPECT_EQ(crowd(intermediate, digits_of(p, 2)), 3 * p / 4 - 2) << p;
  }
}

}  // namespace
}  // namespace rondo::internal::dense::transit_slots_test
