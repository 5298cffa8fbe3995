#include "collectives/comm_state/schedule_cache.hpp"

#include "runtime/base/mix.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

std::uint64_t hash_of(std::span<const std::int64_t> key) {
  std::uint64_t hash = key.size();
  for (const std::int64_t word : key) hash = mix(hash, static_cast<std::uint64_t>(word));
  return hash;
}

}  // namespace

CachedSchedule* ScheduleCache::find(std::span<const std::int64_t> key) {
  const std::uint64_t hash = hash_of(key);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->hash != hash || !std::ranges::equal(entry->key, key)) continue;
    if (entry != entries_.begin()) entries_.splice(entries_.begin(), entries_, entry);
    return &entries_.front();
  }
  return nullptr;
}

CachedSchedule& ScheduleCache::add(CachedSchedule entry) {
  entry.hash = hash_of(entry.key);
  if (entries_.size() == capacity_) entries_.pop_back();
  return entries_.emplace_front(std::move(entry));
}

}  // namespace rondo::internal
