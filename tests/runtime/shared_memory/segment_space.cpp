#include "runtime/shared_memory/segment_space.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>
#include <rondo/error.hpp>

#include "runtime/shared_memory/partner_segments.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::segment_space_test {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

Region take(SegmentSpace& space, std::size_t bytes) {
  const Attempt<Region> region = space.take(bytes);
  EXPECT_TRUE(region) << region.refusal().text();
  return region ? *region : Region{};
}
std::string refusal_of(SegmentSpace& space, std::size_t bytes) {
  const Attempt<Region> region = space.take(bytes);
  return region ? "taken" : region.refusal().text();
}
bool holds_only(const Region& region, int value) {
  return std::all_of(region.data, region.data + region.bytes, [&](std::byte one) { return one == std::byte(value); });
}
void fill(const Region& region, int value) { std::memset(region.data, value, region.bytes); }
/// Word `number` of a region.
SharedWord& word_of(const Region& region, std::size_t number) {
  return reinterpret_cast<SharedWord*>(region.data)[number];
}

TEST(SegmentSpace, HandsOutCacheLinesOfZeros) {
  SegmentSpace space(kMiB);
  EXPECT_EQ(space.segments(), 0U);
  for (const std::size_t bytes : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    const Region region = take(space, bytes);
    EXPECT_EQ(region.bytes, std::max(std::size_t{64}, (bytes + 63) / 64 * 64));
    EXPECT_EQ(region.offset % kCacheLine, 0U);
    EXPECT_GE(region.offset, kSegmentHeader) << "the nonce stays";
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(region.data) % kCacheLine, 0U);
    EXPECT_TRUE(holds_only(region, 0));
    fill(region, 0xAB);
  }
}

/// A lane is long, and most programs use little of it.
TEST(SegmentSpace, PagesThatAreNotUsedSoonDoNotComeIntoTheProcess) {
  SegmentSpace space(4 * kMiB);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_TRUE(space.take(kMiB, 32 * kKiB));
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_minflt - before.ru_minflt, static_cast<long>(kMiB / page_size() / 2));
}

TEST(SegmentSpace, WhatWasUsedBeforeIsClearedAlsoWhereItsPagesNeedNotCome) {
  SegmentSpace space(kMiB);
  const Region used = take(space, 100 * kKiB);
  fill(used, 7);
  space.give_back(used, {});
  const Attempt<Region> again = space.take(150 * kKiB, 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->offset, used.offset);
  EXPECT_TRUE(holds_only(*again, 0));
}

TEST(SegmentSpace, ReservedRegionsLieInOneSegmentThatIsNoLonger) {
  SegmentSpace space(8 * kMiB);
  space.reserve(200 * kKiB);
  EXPECT_EQ(space.segments(), 0U) << "the first will be longer anyway";
  space.reserve(5 * 300 * kKiB);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(take(space, 300 * kKiB).segment, 0U);
  EXPECT_EQ(space.bytes(), 5 * 300 * kKiB + page_size()) << "with the header";
  EXPECT_EQ(take(space, page_size()).segment, 1U);
  EXPECT_EQ(space.bytes(), 5 * 300 * kKiB + page_size() + 256 * kKiB) << "as the first that was not reserved";
  space.reserve(8 * kMiB);
  EXPECT_EQ(space.segments(), 2U) << "the budget has no room for it";
  EXPECT_EQ(take(space, kMiB).segment, 2U);
}

TEST(SegmentSpace, APartnerFindsARegionByCardAndOffset) {
  SegmentSpace space(kMiB);
  const Region region = take(space, 300 * kKiB);
  PartnerSegments partners;
  const Attempt<std::span<std::byte>> mapped =
      partners.map(own_node_card(SharedMemory::on), space.card(region.segment));
  ASSERT_TRUE(mapped) << mapped.refusal().text();
  fill(region, 7);
  const auto seen = mapped->subspan(region.offset, region.bytes);
  EXPECT_EQ(std::memcmp(seen.data(), region.data, region.bytes), 0);
}

TEST(SegmentSpace, SegmentsDoubleUntilTheBudgetIsUsedUp) {
  SegmentSpace space(8 * kMiB);
  std::vector<std::size_t> sizes;
  std::size_t known = 0;
  std::size_t taken = 0;
  while (space.take(kKiB)) {
    taken += kKiB;
    if (space.bytes() != known) sizes.push_back(space.bytes() - known);
    known = space.bytes();
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{256 * kKiB, 512 * kKiB, kMiB, 2 * kMiB, 4 * kMiB, 256 * kKiB}));
  EXPECT_EQ(known, 8 * kMiB);
  EXPECT_GE(taken, 8 * kMiB - sizes.size() * 2 * kKiB);
  EXPECT_EQ(refusal_of(space, kKiB), "the budget, RONDO_SHM_BYTES, is used up");
  EXPECT_EQ(refusal_of(space, 64), "taken") << "there is room for what is smaller";
}

TEST(SegmentSpace, ALargeRegionHasASegmentForIt) {
  SegmentSpace space(8 * kMiB);
  const Region large = take(space, kMiB);
  EXPECT_EQ(space.bytes(), kMiB + page_size());
  const Region small = take(space, 64);
  EXPECT_EQ(small.segment, 0U) << "behind the large one";
  EXPECT_NE(large.offset, small.offset);
}

/// As they cost memory whether it is used or not.
TEST(SegmentSpace, SegmentsDoubleUpTo64MiB) {
  SegmentSpace space(std::size_t{1} << 40U);
  std::size_t known = 0;
  std::size_t longest = 0;
  for (int i = 0; i < 200; ++i) {
    take(space, kMiB);
    longest = std::max(longest, space.bytes() - known);
    known = space.bytes();
  }
  EXPECT_EQ(longest, 64 * kMiB);
}

TEST(SegmentSpace, StaysWithinWhatBudgetItHas) {
  const std::size_t page = page_size();
  SegmentSpace none(0);
  EXPECT_EQ(refusal_of(none, 1), "the budget, RONDO_SHM_BYTES, is smaller than what is needed");
  EXPECT_EQ(refusal_of(none, 0), "the budget, RONDO_SHM_BYTES, is used up");
  SegmentSpace less_than_a_page(page - 1);
  EXPECT_FALSE(less_than_a_page.take(1));
  SegmentSpace pages(3 * page - 1);
  EXPECT_EQ(refusal_of(pages, 3 * page), "the budget, RONDO_SHM_BYTES, is smaller than what is needed");
  EXPECT_EQ(refusal_of(pages, ~std::size_t{}), "the budget, RONDO_SHM_BYTES, is smaller than what is needed");
  EXPECT_FALSE(pages.take(2 * page)) << "there is a nonce in it as well";
  EXPECT_EQ(refusal_of(pages, 2 * page - kSegmentHeader), "taken");
  EXPECT_EQ(pages.bytes(), 2 * page);
  EXPECT_FALSE(pages.take(1));
}

/// Sets RONDO_SHM_BYTES while it lives.
class Budget {
 public:
  explicit Budget(const char* text) { setenv("RONDO_SHM_BYTES", text, 1); }
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() { unsetenv("RONDO_SHM_BYTES"); }
};

TEST(SegmentSpace, TheEnvironmentSaysTheBudget) {
  unsetenv("RONDO_SHM_BYTES");
  EXPECT_EQ(segment_budget(), 8 * kMiB);
  const std::map<const char*, std::size_t> good{
      {"", 8 * kMiB}, {"0", 0}, {"1", 1}, {"1048576", kMiB}, {"1099511627776", kMiB * kMiB}};
  for (const auto& [text, bytes] : good) {
    const Budget set(text);
    EXPECT_EQ(segment_budget(), bytes) << text;
  }
  for (const char* text : {"8M", "-1", " 1", "1 ", "+1", "1e6", "0x10", "many", "1099511627777", "18446744073709551616",
                           "99999999999999999999999"}) {
    const Budget set(text);
    try {
      const SegmentSpace space;
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
      EXPECT_EQ(error.what(),
                std::string("RONDO_SHM_BYTES: is ") + text + ", must be a number of bytes from 0 to 1099511627776");
    }
  }
  const Budget set("1048576");
  SegmentSpace space;
  EXPECT_EQ(refusal_of(space, kMiB - page_size()), "taken");
  EXPECT_EQ(refusal_of(space, kMiB), "the budget, RONDO_SHM_BYTES, is used up");
}

TEST(SegmentSpace, WhatIsGivenBackWithoutWordsIsFreeAtOnceAndZeroAgain) {
  SegmentSpace space(256 * kKiB);
  const std::size_t all = 256 * kKiB - kSegmentHeader;
  for (int i = 0; i < 3; ++i) {
    const Region region = take(space, all);
    EXPECT_TRUE(holds_only(region, 0));
    fill(region, 0xFF);
    EXPECT_FALSE(space.take(1));
    space.give_back(region, {});
  }
  EXPECT_EQ(space.segments(), 1U);
}

TEST(SegmentSpace, IsUsedAgainOnlyAfterAllPartnersHaveClosedIt) {
  SegmentSpace space(256 * kKiB);
  const std::size_t all = 256 * kKiB - kSegmentHeader;
  const Region region = take(space, all);
  SharedWord& one = word_of(region, 0);
  SharedWord& other = word_of(region, 1000);
  space.give_back(region, {&one, &other});
  EXPECT_FALSE(space.take(1));
  other = 1;
  EXPECT_FALSE(space.take(1)) << "one has not closed it";
  fill(region, 0);
  word_of(region, 5) = 77;  // one still writes
  EXPECT_FALSE(space.take(1));
  EXPECT_EQ(word_of(region, 5), 77U) << "what a partner may read is left alone";
  one = ~std::uint64_t{};
  const Region again = take(space, all);
  EXPECT_EQ(again.data, region.data);
  EXPECT_TRUE(holds_only(again, 0));
}

TEST(SegmentSpace, WhatWasClosedIsUsedBeforeASegmentIsMade) {
  SegmentSpace space(kMiB);
  const Region first = take(space, 100 * kKiB);
  const Region second = take(space, 100 * kKiB);
  space.give_back(second, {&word_of(second, 0)});
  space.give_back(first, {&word_of(first, 0)});
  word_of(first, 0) = 1;
  word_of(second, 0) = 1;
  EXPECT_EQ(take(space, 255 * kKiB).data, first.data) << "both, and what lies behind them";
  EXPECT_EQ(space.segments(), 1U);
}

TEST(SegmentSpace, ThousandsOfRegionsLeaveNoGaps) {
  SegmentSpace space(2 * kMiB);
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> size(1, 500);
  std::vector<Region> regions;
  for (int i = 0; i < 5000; ++i) regions.push_back(take(space, size(random)));
  const std::size_t segments = space.segments();
  for (int round = 0; round < 3; ++round) {
    std::shuffle(regions.begin(), regions.end(), random);
    for (const Region& region : regions) space.give_back(region, {});
    for (Region& region : regions) region = take(space, region.bytes);
    EXPECT_EQ(space.segments(), segments) << "the same regions fit into the same memory";
  }
  for (const Region& region : regions) space.give_back(region, {});
  for (std::uint32_t i = 0; i < segments; ++i)
    EXPECT_EQ(take(space, space.card(i).size - kSegmentHeader).bytes, space.card(i).size - kSegmentHeader);
  EXPECT_EQ(space.segments(), segments);
}

/// Regions at random, beside a model that knows who uses which line.
class RandomUse {
 public:
  explicit RandomUse(unsigned seed) : random_(seed) {}

  void step() {
    const auto choice = below(100);
    if (choice < 52)
      take_one();
    else if (choice < 70)
      give_back(false);
    else if (choice < 92)
      give_back(true);
    else
      close_some();
  }
  /// Closes and gives back everything, after which every segment must be one free block.
  void end() {
    while (!live_.empty()) give_back(true);
    while (!aside_.empty()) close_some();
    std::size_t all = 0;
    const std::size_t segments = space_.segments();
    std::vector<std::size_t> sizes;
    for (std::uint32_t i = 0; i < segments; ++i) sizes.push_back(space_.card(i).size - kSegmentHeader);
    std::ranges::sort(sizes, std::greater<>());
    for (const std::size_t size : sizes) all += take(space_, size).bytes;
    EXPECT_EQ(all + segments * kSegmentHeader, space_.bytes());
    EXPECT_EQ(space_.segments(), segments);
    EXPECT_LE(space_.bytes(), kBudget);
  }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  static constexpr std::size_t kBudget = kMiB;
  struct Used {
    Region region;
    int value;
    std::vector<const SharedWord*> words = {};
  };

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  std::size_t some_size() {
    switch (below(10)) {
      case 0:
        return below(100 * kKiB);
      case 1:
        return 0;
      default:
        return below(3000);
    }
  }
  void take_one() {
    const std::size_t bytes = some_size();
    const Attempt<Region> got = space_.take(bytes);
    if (!got) {
      ++refused_;
      return;
    }
    EXPECT_GE(got->bytes, bytes);
    EXPECT_EQ(got->offset % kCacheLine, 0U);
    EXPECT_GE(got->offset, kSegmentHeader);
    EXPECT_LE(got->offset + got->bytes, space_.card(got->segment).size);
    EXPECT_TRUE(holds_only(*got, 0));
    // Those before and behind it, alive or put aside, end before and begin behind it.
    auto& of_segment = used_[got->segment];
    const auto behind = of_segment.lower_bound(got->offset);
    EXPECT_TRUE(behind == of_segment.end() || behind->first >= got->offset + got->bytes);
    EXPECT_TRUE(behind == of_segment.begin() || std::prev(behind)->second <= got->offset);
    of_segment[got->offset] = got->offset + got->bytes;
    const int value = 1 + static_cast<int>(below(255));
    fill(*got, value);
    live_.push_back({*got, value});
  }
  void give_back(bool with_words) {
    if (live_.empty()) return;
    std::swap(live_[below(live_.size())], live_.back());
    Used used = live_.back();
    live_.pop_back();
    EXPECT_TRUE(holds_only(used.region, used.value));
    if (!with_words) {
      used_[used.region.segment].erase(used.region.offset);
      space_.give_back(used.region, {});
      return;
    }
    const std::size_t words = 1 + below(4);
    for (std::size_t i = 0; i < words; ++i) {
      SharedWord& word = word_of(used.region, i * (used.region.bytes / 64));
      word = 0;
      used.words.push_back(&word);
    }
    space_.give_back(used.region, used.words);
    aside_.push_back(std::move(used));
  }
  void close_some() {
    for (std::size_t count = below(20) + 1; count > 0 && !aside_.empty(); --count) {
      Used& used = aside_[below(aside_.size())];
      const_cast<SharedWord*>(used.words.back())->store(below(1000) + 1, std::memory_order_release);
      used.words.pop_back();
      if (!used.words.empty()) continue;
      used_[used.region.segment].erase(used.region.offset);
      std::swap(used, aside_.back());
      aside_.pop_back();
    }
  }

  std::mt19937 random_;
  SegmentSpace space_{kBudget};
  std::vector<Used> live_;
  std::vector<Used> aside_;
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> used_;  ///< end by offset, of each segment
  int refused_ = 0;
};

TEST(SegmentSpace, RandomUseIsThatOfAModel) {
  int refused = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomUse use(seed);
    for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) use.step();
    use.end();
    refused += use.refused();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(refused, 100) << "the budget should be too small now and then";
}

}  // namespace
}  // namespace rondo::internal::segment_space_test
