#include "runtime/shared_memory/allocated_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "runtime/shared_memory/partner_segments.hpp"
#include "tests/support/child_process.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <vector>

namespace rondo::internal::allocated_memory_test {
namespace {

using test::ChildProcess;
using test::Held;

constexpr std::size_t kShort = 1000;
constexpr std::size_t kLong = AllocatedMemory::kOwnSegment + 5;

std::byte* take(AllocatedMemory& memory, std::size_t bytes, SharedMemory use = SharedMemory::on) {
  return static_cast<std::byte*>(memory.take(bytes, use));
}

/// Never destroyed, as a process's own: memory that comes back is looked for in it.
AllocatedMemory& new_memory() {
  static auto& all = *new std::vector<AllocatedMemory*>;
  return *all.emplace_back(new AllocatedMemory);
}

TEST(AllocatedMemory, ArraysBeginOnACacheLineAndHoldWhatIsWritten) {
  AllocatedMemory& memory = new_memory();
  std::vector<std::byte*> arrays;
  for (const SharedMemory use : {SharedMemory::on, SharedMemory::off}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}, kShort, kLong - 6, kLong}) {
      arrays.push_back(take(memory, bytes, use));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back()) % AllocatedMemory::kAlignment, 0U);
      std::memset(arrays.back(), static_cast<int>(arrays.size()), bytes);
    }
  }
  EXPECT_EQ(std::set(arrays.begin(), arrays.end()).size(), arrays.size()) << "an address is given once";
  EXPECT_EQ(memory.arrays(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (i % 6 != 0) {
      EXPECT_EQ(*arrays[i], std::byte(static_cast<unsigned char>(i + 1)));
    }
    EXPECT_TRUE(memory.give_back(arrays[i]));
  }
  EXPECT_EQ(memory.arrays(), 0U);
}

TEST(AllocatedMemory, APartnerSeesAnArrayAtItsPlace) {
  AllocatedMemory& memory = new_memory();
  for (const std::size_t bytes : {kShort, kLong}) {
    std::byte* const array = take(memory, bytes);
    const std::optional<ArrayPlace> place = memory.find(array + 100, 8);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->data, array + 100);
    std::memcpy(array + 100, "written!", 8);
    PartnerSegments partner;
    NodeCard self;
    self.pid = ::getpid();
    const auto mapped = partner.map(self, place->segment);
    ASSERT_TRUE(mapped) << mapped.refusal().text();
    EXPECT_EQ(std::memcmp(mapped->data() + place->offset, "written!", 8), 0);
  }
}

TEST(AllocatedMemory, OnlyWhatLiesWholeInOneArrayIsFound) {
  AllocatedMemory& memory = new_memory();
  EXPECT_FALSE(memory.ever_shared());
  EXPECT_FALSE(memory.find(&memory, 1));
  const std::byte* const own = take(memory, kLong);
  const std::byte* const heap = take(memory, kLong, SharedMemory::off);
  EXPECT_TRUE(memory.ever_shared());
  EXPECT_TRUE(memory.find(own, kLong));
  EXPECT_TRUE(memory.find(own + 7, kLong - 7));
  EXPECT_FALSE(memory.find(own, kLong + 1));
  EXPECT_FALSE(memory.find(own + 7, kLong - 6));
  EXPECT_FALSE(memory.find(own + 7, std::numeric_limits<std::size_t>::max()));
  EXPECT_FALSE(memory.find(own - 1, 1));
  EXPECT_FALSE(memory.find(heap, 1)) << "no partner can map that";
  EXPECT_FALSE(memory.find(&memory, 1));
  EXPECT_FALSE(memory.find(nullptr, 0));
}

TEST(AllocatedMemory, OnlyTheBeginningOfAnArrayIsGivenBackAndOnce) {
  AllocatedMemory& memory = new_memory();
  std::byte* const array = take(memory, kShort);
  int other = 0;
  EXPECT_FALSE(memory.give_back(&other));
  EXPECT_FALSE(memory.give_back(array + 1));
  EXPECT_FALSE(memory.give_back(nullptr));
  EXPECT_TRUE(memory.give_back(array));
  EXPECT_FALSE(memory.give_back(array));
}

/// As an operation does: its partner may copy until it is gone.
TEST(AllocatedMemory, WhoHoldsAnArrayKeepsItsMemory) {
  AllocatedMemory& memory = new_memory();
  for (const std::size_t bytes : {kShort, kLong}) {
    std::byte* const array = take(memory, bytes);
    std::optional<ArrayPlace> held = memory.find(array, bytes);
    ASSERT_TRUE(held);
    EXPECT_TRUE(memory.give_back(array));
    EXPECT_FALSE(memory.find(array, bytes)) << "no new operation finds it";
    std::byte* const next = take(memory, bytes);
    EXPECT_NE(next, array) << "somebody may still copy there";
    std::memset(array, 1, bytes);
    EXPECT_EQ(*next, std::byte{0});
    held.reset();
    EXPECT_TRUE(memory.give_back(next));
  }
}

TEST(AllocatedMemory, NothingIsLeftOfArraysThatCameBack) {
  AllocatedMemory& memory = new_memory();
  EXPECT_TRUE(memory.give_back(take(memory, kShort)));
  const Held before = test::held();
  const std::byte* const first = take(memory, kShort);
  EXPECT_TRUE(memory.give_back(const_cast<std::byte*>(first)));
  for (int round = 0; round < 1000; ++round) {
    std::byte* const short_one = take(memory, kShort);
    EXPECT_EQ(short_one, first) << "it is used again";
    std::byte* const long_one = take(memory, kLong);
    *long_one = std::byte{1};
    EXPECT_TRUE(memory.give_back(long_one));
    EXPECT_TRUE(memory.give_back(short_one));
  }
  EXPECT_EQ(test::held(), before);
}

/// As of the heap, memory is taken as it is touched.
TEST(AllocatedMemory, WhatIsNotTouchedCostsNothing) {
  AllocatedMemory& memory = new_memory();
  constexpr std::size_t kTiB = std::size_t{1} << 40U;
  std::byte* const array = take(memory, kTiB);
  ASSERT_TRUE(memory.find(array, kTiB));
  array[kTiB / 2] = std::byte{1};
  EXPECT_TRUE(memory.give_back(array));
}

TEST(AllocatedMemory, WhatNobodyHasIsRefused) {
  AllocatedMemory& memory = new_memory();
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {kMost, kMost - 64, kMost / 2, std::size_t{1} << 50U}) {
    EXPECT_THROW(static_cast<void>(memory.take(bytes, SharedMemory::on)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(memory.take(bytes, SharedMemory::off)), std::bad_alloc);
  }
  EXPECT_EQ(memory.arrays(), 0U);
}

/// A child has mapped something else there, for all we know.
TEST(AllocatedMemory, AChildGivesNothingBack) {
  AllocatedMemory& memory = new_memory();
  std::byte* const array = take(memory, kLong);
  ChildProcess child([&] { return memory.give_back(array) && memory.arrays() == 1 ? 0 : 1; });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_TRUE(memory.give_back(array));
}

/// It does not have the segments, and may get addresses of its parent's arrays.
TEST(AllocatedMemory, AChildAllocatesOnTheHeap) {
  AllocatedMemory& memory = new_memory();
  std::vector<std::byte*> arrays;
  for (int i = 0; i < 20; ++i) arrays.push_back(take(memory, i % 2 == 0 ? kLong : 100));
  ChildProcess child([&] {
    std::vector<std::byte*> own;
    for (int i = 0; i < 40; ++i) {
      own.push_back(take(memory, i % 2 == 0 ? kLong : 100));
      std::memset(own.back(), i, i % 2 == 0 ? kLong : 100);
    }
    bool good = true;
    for (int i = 0; i < 40; ++i) {
      const auto place = static_cast<std::size_t>(i);
      good = good && own[place][99] == static_cast<std::byte>(i) && !memory.find(own[place], 1);
      good = memory.give_back(own[place]) && good;
    }
    return good ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  for (std::byte* const array : arrays) EXPECT_TRUE(memory.give_back(array));
}

/// The application needs file descriptors, too.
TEST(AllocatedMemory, HalfOfTheFileDescriptorsAreLeftToOthers) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  AllocatedMemory& memory = new_memory();
  std::vector<std::byte*> arrays;
  int shared = 0;
  for (int i = 0; i < 40; ++i) {
    arrays.push_back(take(memory, kLong));
    shared += memory.find(arrays.back(), 1) ? 1 : 0;
  }
  EXPECT_EQ(shared, 32);
  EXPECT_TRUE(memory.give_back(arrays.front()));
  arrays.front() = take(memory, kLong);
  EXPECT_TRUE(memory.find(arrays.front(), 1)) << "one has come back";
  for (std::byte* const array : arrays) EXPECT_TRUE(memory.give_back(array));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace rondo::internal::allocated_memory_test
