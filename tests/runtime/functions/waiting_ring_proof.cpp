// The ring under interleavings of threads that push and take, and the values that its memory orders let a load see.
// Both orders are needed: with one of them weakened, the same search finds an item that is read too early.
#include <gtest/gtest.h>

#include "runtime/functions/waiting_ring.hpp"
#include "tests/runtime/shared_memory/memory_model.hpp"

#include <array>
#include <cstdint>

namespace rondo::internal::waiting_ring_proof_test {
namespace {

using memory_model::at_random;
using memory_model::demand;
using memory_model::explore;
using memory_model::few_switches;
using memory_model::Finding;
using memory_model::Plain;
using memory_model::Search;
using memory_model::Word;

struct Modeled : WaitingRingMemory<std::uint64_t> {
  using Word = memory_model::Word;
  using Cell = Plain;
  static constexpr std::size_t kPlaces = 2;
  template <typename Place>
  [[nodiscard]] static std::array<Place, kPlaces> places(std::size_t) {
    return {};
  }
};
struct WeakFill : Modeled {
  static constexpr std::memory_order fill = std::memory_order::relaxed;
};
struct WeakLook : Modeled {
  static constexpr std::memory_order look = std::memory_order::relaxed;
};

/// In each round one thread pushes an item, and whoever takes it pushes another one, as a crew does with followers.
template <typename Memory>
struct Rounds : rl::test_suite<Rounds<Memory>, 3> {
  static constexpr std::uint64_t kRounds = 2;
  static constexpr std::uint64_t kItems = Modeled::kPlaces;  ///< so each place is filled in each round

  WaitingRing<std::uint64_t, Memory> ring{kItems};
  std::array<Plain, kItems + 1> written;  ///< by who pushes an item, in which round
  std::array<Plain, kItems + 1> runs;
  Word done;

  void thread(unsigned index) {
    if (index == 0)
      begin_rounds();
    else
      serve();
  }
  void push(std::uint64_t item, std::uint64_t round) {
    written[item] = round;
    ring.push(item);
  }
  void await(std::uint64_t count) {
    while (done.load(std::memory_order::acquire) < count) memory_model::yield();
  }
  void begin_rounds() {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      push(1, round);
      await(kItems * round);
      for (std::uint64_t item = 1; item <= kItems; ++item) demand(runs[item] == round, "an item is run once a round");
      demand(ring.empty() && ring.size() == 0, "nothing waits between two rounds");
    }
  }
  void serve() {
    while (done.load(std::memory_order::acquire) < kItems * kRounds) {
      const std::uint64_t item = ring.take();
      if (item == 0) {
        memory_model::yield();
        continue;
      }
      const std::uint64_t round = runs[item] + 1;
      demand(written[item] == round, "an item is taken in the round in which it was pushed");
      runs[item] = round;
      if (item < kItems) push(item + 1, round);
      done.fetch_add(1, std::memory_order::acq_rel);
    }
  }
};

template <typename Memory>
Finding look(Search search) {
  return explore<Rounds<Memory>>(search);
}

TEST(WaitingRingProof, EachItemIsTakenOnce) {
  for (const Search& search : {few_switches(1), at_random(5'000)}) {
    const Finding found = look<Modeled>(search);
    EXPECT_TRUE(found.nothing()) << found.story;
    EXPECT_GT(found.runs, 100U);
  }
}

TEST(WaitingRingProof, BothOrdersAreNeeded) {
  EXPECT_TRUE(look<WeakFill>(few_switches(1)).wrong_data());
  EXPECT_TRUE(look<WeakLook>(few_switches(1)).wrong_data());
}

}  // namespace
}  // namespace rondo::internal::waiting_ring_proof_test
