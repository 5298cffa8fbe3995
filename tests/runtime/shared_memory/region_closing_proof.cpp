// Regions that are used again, under every interleaving of their owner and its partners, and every value that the
// memory orders let a load see. Each of those orders is needed: with one of them weakened, the same search finds an
// access of a partner in memory that is somebody else's by then.
#include "runtime/shared_memory/region_closing.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/shared_memory/memory_model.hpp"

#include <array>
#include <cstdint>

namespace rondo::internal::region_closing_proof_test {
namespace {

using memory_model::demand;
using memory_model::explore;
using memory_model::few_switches;
using memory_model::Finding;
using memory_model::Plain;
using memory_model::Word;

struct WeakClose : ClosingOrders {
  static constexpr std::memory_order close = std::memory_order::relaxed;
};
struct WeakLook : ClosingOrders {
  static constexpr std::memory_order look = std::memory_order::relaxed;
};

/// A message of MPI.
class Note {
 public:
  void send() { sent_.store(1, std::memory_order::release); }
  void await() const {
    while (sent_.load(std::memory_order::acquire) == 0) memory_model::yield();
  }

 private:
  Word sent_;
};

template <typename Orders>
void await_closed(const Word& closed) {
  while (!is_closed<Orders>(closed)) memory_model::yield();
}

/// A region that two partners have, one after the other: each writes its message into it, and closes it.
template <typename Orders>
struct OneAfterTheOther : rl::test_suite<OneAfterTheOther<Orders>, 3> {
  Word closed;
  Plain data;
  std::array<Note, 2> offers;

  void thread(unsigned index) {
    if (index < offers.size())
      write(index);
    else
      own();
  }
  void own() {
    for (Note& offer : offers) {
      take();
      offer.send();
      await_closed<Orders>(closed);
    }
    take();
  }
  /// As SegmentSpace::take().
  void take() {
    closed.store(0, std::memory_order::relaxed);
    data = 0;
  }
  void write(unsigned index) {
    offers[index].await();
    demand(data == 0, "the memory is new");
    data = index + 1;
    close_region<Orders>(closed);
  }
};

/// A region that two partners have at once: each reads in it, and closes it.
template <typename Orders>
struct AtTheSameTime : rl::test_suite<AtTheSameTime<Orders>, 3> {
  std::array<Word, 2> closed;
  Plain data;
  std::array<Note, 2> offers;

  void thread(unsigned index) {
    if (index < offers.size())
      read(index);
    else
      own();
  }
  void own() {
    data = 7;
    for (Note& offer : offers) offer.send();
    for (const Word& word : closed) await_closed<Orders>(word);
    data = 0;
  }
  void read(unsigned index) {
    offers[index].await();
    demand(data == 7, "the data are there as long as the region is open");
    close_region<Orders>(closed[index]);
  }
};

/// A thread that could go on stops at most three times.
TEST(RegionClosingProof, WhatIsClosedIsUsedAgain) {
  const Finding one_after_the_other = explore<OneAfterTheOther<ClosingOrders>>(few_switches(3));
  EXPECT_TRUE(one_after_the_other.nothing()) << one_after_the_other.story;
  const Finding at_the_same_time = explore<AtTheSameTime<ClosingOrders>>(few_switches(3));
  EXPECT_TRUE(at_the_same_time.nothing()) << at_the_same_time.story;
}

TEST(RegionClosingProof, TheLastAccessMustComeBeforeTheNewsOfIt) {
  EXPECT_TRUE(explore<OneAfterTheOther<WeakClose>>(few_switches(3)).wrong_data());
  EXPECT_TRUE(explore<OneAfterTheOther<WeakLook>>(few_switches(3)).wrong_data());
  EXPECT_TRUE(explore<AtTheSameTime<WeakClose>>(few_switches(3)).wrong_data());
  EXPECT_TRUE(explore<AtTheSameTime<WeakLook>>(few_switches(3)).wrong_data());
}

}  // namespace
}  // namespace rondo::internal::region_closing_proof_test
