#include "collectives/earlier_calls/schedule_cache.hpp"

#include "runtime/base/mix.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace rondo::internal {
namespace {

std::uint64_t hash_of(std::span<const std::int64_t> key) {
  std::uint64_t hash = key.size();
  for (const std::int64_t word : key) hash = mix(hash, static_cast<std::uint64_t>(word));
  return hash;
}

/// Returns about how many bytes of memory an entry of the cache keeps, with one idle operation.
std::int64_t bytes_kept_by(const CachedSchedule& entry) noexcept {
  constexpr std::int64_t kOfOperation = 4096;
  const Schedule& schedule = *entry.chosen->schedule;
  constexpr std::size_t kOfTask = 2 * sizeof(Task);
  const std::size_t lists = schedule.tasks().size() * kOfTask + schedule.runs().size() * sizeof(CopyRun);
  return kOfOperation + static_cast<std::int64_t>(lists) + schedule.scratch_bytes();
}

}  // namespace

CachedSchedule* ScheduleCache::find(std::span<const std::int64_t> key) {
  const auto [first, last] = by_hash_.equal_range(hash_of(key));
  for (auto found = first; found != last; ++found) {
    const Place entry = found->second;
    if (!std::ranges::equal(entry->key, key)) continue;
    if (entry != entries_.begin()) entries_.splice(entries_.begin(), entries_, entry);
    return &entries_.front();
  }
  return nullptr;
}

CachedSchedule& ScheduleCache::add(CachedSchedule entry) {
  entry.hash = hash_of(entry.key);
  const std::int64_t bytes = bytes_kept_by(entry);
  while (entries_.size() >= kFewest && bytes_ + bytes > kMostBytes) forget_oldest();
  const Place added = entries_.insert(entries_.begin(), std::move(entry));
  try {
    by_hash_.emplace(added->hash, added);
  } catch (...) {
    entries_.erase(added);
    throw;
  }
  bytes_ += bytes;
  return *added;
}

void ScheduleCache::forget_oldest() {
  const Place oldest = std::prev(entries_.end());
  const auto [first, last] = by_hash_.equal_range(oldest->hash);
  by_hash_.erase(std::find_if(first, last, [&](const auto& found) { return found.second == oldest; }));
  bytes_ -= bytes_kept_by(*oldest);
  entries_.erase(oldest);
}

}  // namespace rondo::internal
