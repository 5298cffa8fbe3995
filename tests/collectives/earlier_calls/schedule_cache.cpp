#include "collectives/earlier_calls/schedule_cache.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace rondo::internal::schedule_cache_test {
namespace {

/// With so much scratch memory.
CachedSchedule entry(std::int64_t key, std::int64_t scratch_bytes) {
  ScheduleBuilder builder;
  const BlockId kept = builder.transit(scratch_bytes);
  builder.receive(1, 0, {&kept, 1});
  builder.reserve_tags(1);
  Chosen chosen;
  chosen.schedule = std::make_shared<const Schedule>(std::move(builder).build());
  CachedSchedule made;
  made.key = {key};
  made.chosen = std::make_shared<const Chosen>(std::move(chosen));
  return made;
}

bool has(ScheduleCache& cache, std::int64_t key) {
  const CachedSchedule* const found = cache.find({&key, 1});
  EXPECT_TRUE(found == nullptr || found->key.front() == key);
  return found != nullptr;
}

TEST(ScheduleCache, KeepsThousandsOfSmallOnes) {
  ScheduleCache cache;
  for (std::int64_t key = 0; key < 2000; ++key) cache.add(entry(key, 8));
  for (std::int64_t key = 0; key < 2000; ++key) EXPECT_TRUE(has(cache, key)) << key;
  EXPECT_FALSE(has(cache, 2000));
}

TEST(ScheduleCache, ForgetsThoseThatWereLongestUnused) {
  ScheduleCache cache;
  constexpr std::int64_t kMany = 100;
  for (std::int64_t key = 0; key < kMany; ++key) {
    cache.add(entry(key, ScheduleCache::kMostBytes / 50));
    EXPECT_TRUE(has(cache, 0));
  }
  EXPECT_GT(cache.size(), ScheduleCache::kFewest);
  EXPECT_LE(cache.size(), 50U);
  EXPECT_FALSE(has(cache, 1));
  EXPECT_TRUE(has(cache, kMany - 1));
}

TEST(ScheduleCache, KeepsAFewHoweverLong) {
  ScheduleCache cache;
  for (std::int64_t key = 0; key < 40; ++key) cache.add(entry(key, ScheduleCache::kMostBytes));
  EXPECT_EQ(cache.size(), ScheduleCache::kFewest);
}

}  // namespace
}  // namespace rondo::internal::schedule_cache_test
