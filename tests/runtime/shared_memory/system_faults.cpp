// System calls that fail, in turn, on either end of a segment.
#include <gtest/gtest.h>

#include "runtime/shared_memory/allocated_memory.hpp"
#include "runtime/shared_memory/node_card.hpp"
#include "runtime/shared_memory/partner_segments.hpp"
#include "runtime/shared_memory/segment_space.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/faults/failing_allocations.hpp"
#include "tests/support/faults/failing_system_calls.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rondo::internal::system_faults_test {
namespace {

using test::Held;
using test::held;

/// Has `body` run into that fault; returns how often it struck.
int with_fault(const Fault& next, auto body) {
  strikes = 0;
  fault = next;
  body();
  fault.reset();
  return strikes;
}

struct Case {
  Call call;
  std::string text;
};

TEST(SystemFaults, EachOfTheMakersIsAReasonAndLeavesNothing) {
  const std::vector<Case> cases{{Call::memfd_create, "memfd_create"},
                                {Call::fchmod, "fchmod"},
                                {Call::getrlimit, "getrlimit"},
                                {Call::fallocate, "fallocate"},
                                {Call::add_seals, "fcntl(F_ADD_SEALS)"},
                                {Call::mmap, "mmap"},
                                {Call::madvise, "madvise"},
                                {Call::getrandom, "getrandom"}};
  const Held before = held();
  for (const auto& [call, text] : cases) {
    for (const auto& [error, said] :
         {std::pair(EMFILE, ": Too many open files"), std::pair(EPERM, ": Operation not permitted")}) {
      std::string found;
      const int struck = with_fault({.call = call, .error = error}, [&] {
        const Attempt<Segment> made = Segment::make(100000);
        found = made ? "made" : made.refusal().text();
      });
      EXPECT_EQ(struck, 1) << text;
      EXPECT_EQ(found, text + said);
      EXPECT_EQ(held(), before) << text;
    }
  }
}

TEST(SystemFaults, EachOfThePartnersIsAReasonAndLeavesNothing) {
  const Attempt<Segment> made = Segment::make(100000);
  ASSERT_TRUE(made);
  const std::vector<Case> cases{{Call::open, "opening the partner's segment"},
                                {Call::fstat, "fstat"},
                                {Call::get_seals, "fcntl(F_GET_SEALS)"},
                                {Call::mmap, "mmap"},
                                {Call::madvise, "madvise"}};
  const NodeCard own = own_node_card(SharedMemory::on);
  const Held before = held();
  PartnerSegments partners;
  for (const auto& [call, text] : cases) {
    std::string found;
    const int struck = with_fault({.call = call, .error = ENOMEM}, [&] {
      const Attempt<std::span<std::byte>> mapped = partners.map(own, made->card());
      found = mapped ? "mapped" : mapped.refusal().text();
    });
    EXPECT_EQ(struck, 1) << text;
    EXPECT_EQ(found, text + ": Cannot allocate memory");
    EXPECT_EQ(held(), before) << text;
    EXPECT_EQ(partners.segments(), 0U);
  }
  EXPECT_TRUE(partners.map(own, made->card())) << "it is tried again";
}

TEST(SystemFaults, KernelsWithoutTheSealAgainstExecutingDoWithoutIt) {
  EXPECT_EQ(with_fault({.call = Call::memfd_create, .error = EINVAL}, [] { EXPECT_TRUE(Segment::make(1)); }), 1);
  const Held before = held();
  const int struck = with_fault({.call = Call::memfd_create, .times = 2, .error = EINVAL}, [] {
    const Attempt<Segment> made = Segment::make(1);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.refusal().text(), "memfd_create: Invalid argument");
  });
  EXPECT_EQ(struck, 2);
  EXPECT_EQ(held(), before);
}

TEST(SystemFaults, SignalsWhileMemoryIsAllocatedCostTimeOnly) {
  const auto allocate = [](int signals) {
    bool made = false;
    const int struck = with_fault({.call = Call::fallocate, .times = signals, .error = EINTR},
                                  [&] { made = static_cast<bool>(Segment::make(100000)); });
    EXPECT_GT(struck, 0);
    return made;
  };
  const Held before = held();
  EXPECT_TRUE(allocate(1));
  EXPECT_TRUE(allocate(100));
  EXPECT_FALSE(allocate(1 << 30)) << "but it does not go on for good";
  EXPECT_EQ(held(), before);
}

TEST(SystemFaults, AShortNonceIsNone) {
  const Held before = held();
  for (const long bytes : {0L, 8L, 15L}) {
    const int struck = with_fault({.call = Call::getrandom, .result = bytes}, [] {
      const Attempt<Segment> made = Segment::make(1);
      ASSERT_FALSE(made);
      EXPECT_EQ(made.refusal().text(), "getrandom: gave too little");
    });
    EXPECT_EQ(struck, 1);
  }
  EXPECT_EQ(held(), before);
}

TEST(SystemFaults, ASpaceGoesOnAfterwards) {
  SegmentSpace space(std::size_t{1} << 20U);
  for (const Call call : {Call::memfd_create, Call::fallocate, Call::mmap, Call::getrandom}) {
    const Held before = held();
    EXPECT_EQ(with_fault({.call = call}, [&] { EXPECT_FALSE(space.take(space.bytes() + 1)); }), 1);
    EXPECT_EQ(held(), before);
    EXPECT_TRUE(space.take(1));
  }
  EXPECT_EQ(space.segments(), 1U);
  EXPECT_TRUE(space.take(600000)) << "what failed does not count";
}

/// Arrays come from the heap then, and work as any other; the next one is tried again.
TEST(SystemFaults, ArraysDoWithoutSegments) {
  static auto& memory = *new AllocatedMemory;  // never destroyed, as a process's own
  for (const std::size_t bytes : {std::size_t{1000}, AllocatedMemory::kOwnSegment}) {
    for (const Call call :
         {Call::memfd_create, bytes < AllocatedMemory::kOwnSegment ? Call::fallocate : Call::ftruncate, Call::add_seals,
          Call::mmap, Call::getrandom}) {
      const Held before = held();
      void* array = nullptr;
      EXPECT_EQ(with_fault({.call = call}, [&] { array = memory.take(bytes, SharedMemory::on); }), 1);
      EXPECT_EQ(held(), before);
      std::memset(array, 1, bytes);
      EXPECT_FALSE(memory.find(array, bytes)) << "nobody can map that";
      EXPECT_TRUE(memory.give_back(array));
    }
    void* const array = memory.take(bytes, SharedMemory::on);
    EXPECT_TRUE(memory.find(array, bytes));
    EXPECT_TRUE(memory.give_back(array));
  }
}

/// Where the system does not overcommit, a page that is missing when it is touched would end the process: all are taken
/// at once, and where they cannot be had, the heap's are.
TEST(SystemFaults, ArraysAreTakenAtOnceWithoutOvercommit) {
  const auto shares_array = [](const char* overcommit) {
    static auto& memory = *new AllocatedMemory;  // never destroyed, as a process's own
    const int file = ::memfd_create("overcommit_memory", 0);
    EXPECT_EQ(::write(file, overcommit, std::strlen(overcommit)), static_cast<ssize_t>(std::strlen(overcommit)));
    EXPECT_EQ(::lseek(file, 0, SEEK_SET), 0);
    fault = Fault{.call = Call::open, .error = 0, .result = file};  // in place of the kernel's own file
    full = true;
    void* const array = memory.take(AllocatedMemory::kOwnSegment, SharedMemory::on);
    full = false;
    fault.reset();
    const bool is_shared = memory.find(array, 1).has_value();
    std::memset(array, 1, AllocatedMemory::kOwnSegment);
    EXPECT_TRUE(memory.give_back(array));
    return is_shared;
  };
  EXPECT_TRUE(shares_array("0\n"));
  EXPECT_FALSE(shares_array("2\n"));
}

/// A partner that cannot map an array says why, and can try again.
TEST(SystemFaults, APartnerDoesWithoutAnArray) {
  static auto& memory = *new AllocatedMemory;
  void* const array = memory.take(AllocatedMemory::kOwnSegment, SharedMemory::on);
  const std::optional<ArrayPlace> place = memory.find(array, 1);
  ASSERT_TRUE(place);
  const NodeCard own = own_node_card(SharedMemory::on);
  PartnerSegments partners;
  const Held before = held();
  for (const Call call : {Call::open, Call::fstat, Call::get_seals, Call::mmap, Call::madvise}) {
    const int struck = with_fault({.call = call}, [&] { EXPECT_FALSE(partners.borrow(own, place->segment)); });
    EXPECT_EQ(struck, 1);
    EXPECT_EQ(held(), before);
  }
  {
    const auto mapped = partners.borrow(own, place->segment);
    ASSERT_TRUE(mapped);
    const auto again = partners.borrow(own, place->segment);
    ASSERT_TRUE(again);
    EXPECT_EQ(*mapped, *again) << "it is mapped once";
    EXPECT_EQ(held().mappings, before.mappings + 1);
  }
  EXPECT_EQ(held(), before) << "nobody holds it any more";
}

TEST(SystemFaults, ACardThatCannotBeMadeSaysSoAndIsNeverShared) {
  const NodeCard good = read_node("x");
  ASSERT_EQ(good.fault, CardFault::none);
  const std::vector<std::pair<Fault, Sharing>> cases{{{.call = Call::open, .error = EMFILE}, Sharing::no_boot_id},
                                                     {{.call = Call::read}, Sharing::no_boot_id},
                                                     {{.call = Call::read, .result = 0}, Sharing::no_boot_id},
                                                     {{.call = Call::stat}, Sharing::no_pid_namespace}};
  const Held before = held();
  for (const auto& [next, expected] : cases) {
    NodeCard card;
    EXPECT_EQ(with_fault(next, [&] { card = read_node("x"); }), 1);
    card.use = SharedMemory::on;
    NodeCard other = good;
    other.use = SharedMemory::on;
    EXPECT_EQ(sharing(card, card), expected);
    EXPECT_EQ(sharing(card, other), expected);
    EXPECT_EQ(sharing(other, card), expected);
    EXPECT_EQ(sharing(other, other), Sharing::possible);
    EXPECT_EQ(held(), before);
  }
}

/// Runs `body` with each of its allocations failing in turn, and `check` after each; returns how many there are.
std::size_t without_memory(auto body, auto check) {
  for (std::size_t number = 0;; ++number) {
    struck = false;
    for_good = true;
    good_ones = number;
    bool thrown = false;
    try {
      body();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    good_ones = kNever;
    EXPECT_EQ(thrown, struck);
    if (!thrown) return number;
    check();
  }
}

TEST(SystemFaults, WithoutMemoryForItsNotesASpaceTakesNothing) {
  const Held before = held();
  {
    std::optional<SegmentSpace> space;
    const auto as_before = [&] {
      space.reset();
      EXPECT_EQ(held(), before);
    };
    const std::size_t allocations = without_memory(
        [&] {
          space.emplace(std::size_t{1} << 20U);
          ASSERT_TRUE(space->take(1));
        },
        as_before);
    EXPECT_GT(allocations, 1U);
  }
  SegmentSpace space(std::size_t{1} << 20U);
  const std::size_t all = (std::size_t{256} << 10U) - kSegmentHeader;
  ASSERT_TRUE(space.take(64));
  const Attempt<Region> known = space.take(64);
  ASSERT_TRUE(known);
  space.give_back(*known, {});
  EXPECT_GT(without_memory([&] { static_cast<void>(space.take(128)); },
                           [&] {
                             const Attempt<Region> again = space.take(all - 64);
                             ASSERT_TRUE(again) << "all but the first region is still free, in one piece";
                             EXPECT_EQ(again->data, known->data);
                             space.give_back(*again, {});
                           }),
            0U);
}

TEST(SystemFaults, WithoutMemoryForItsNotesNothingIsMapped) {
  const Attempt<Segment> made = Segment::make(1);
  ASSERT_TRUE(made);
  const NodeCard own = own_node_card(SharedMemory::on);
  const Held before = held();
  PartnerSegments partners;
  EXPECT_GT(
      without_memory([&] { static_cast<void>(partners.map(own, made->card())); }, [&] { EXPECT_EQ(held(), before); }),
      0U);
  EXPECT_EQ(partners.segments(), 1U);
}

}  // namespace
}  // namespace rondo::internal::system_faults_test
