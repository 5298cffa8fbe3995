/// @file
/// ScheduleCache: the schedules of earlier calls on a communicator, found by the arguments of a call.
#ifndef RONDO_COLLECTIVES_EARLIER_CALLS_SCHEDULE_CACHE_HPP
#define RONDO_COLLECTIVES_EARLIER_CALLS_SCHEDULE_CACHE_HPP

#include "collectives/blocks/call_side.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "collectives/selection/selection.hpp"
#include "runtime/operation/operation.hpp"

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::internal {

/// An entry of ScheduleCache: a schedule, with the results of checks and the operations that run it.
struct CachedSchedule {
  std::uint64_t hash = 0;
  std::vector<std::int64_t> key;
  SideLayouts send_layouts;  ///< held so that the addresses in the key stay unique
  SideLayouts recv_layouts;
  std::shared_ptr<const Chosen> chosen;
  UserBlocks blocks;
  ByteRange send_range{};
  ByteRange recv_range{};
  bool is_told = false;                      ///< whether `chosen` explains a choice made for another size
  std::optional<std::intptr_t> disjoint_at;  ///< bytes from send to recv buffer when last found disjoint
  std::shared_ptr<OperationPool> pool = std::make_shared<OperationPool>();
  /// Learning states of blocking and nonblocking calls: null if such calls do not learn, no value before the first one.
  std::array<std::optional<std::shared_ptr<learning::LearningCalls>>, learning::kFormsOfCalls> learning{};
  /// Number of tags of each nonblocking call that tries candidates, whichever candidate it runs, because ranks learn at
  /// different calls that only one is left. No value before the first such call.
  std::optional<std::uint32_t> tags_of_turns{};
};

/// Calls check(), which throws if a byte is both sent and received, unless the buffers lie so that this is impossible,
/// or have the same distance as in the last check.
template <typename Check>
void check_disjoint(CachedSchedule& entry, const void* send_buffer, const void* recv_buffer, Check check) {
  const auto send = reinterpret_cast<std::intptr_t>(send_buffer);
  const auto recv = reinterpret_cast<std::intptr_t>(recv_buffer);
  // Whether blocks share bytes depends on the distance between the buffers only.
  if (entry.disjoint_at == recv - send) return;
  if (send + entry.send_range.begin < recv + entry.recv_range.end &&
      recv + entry.recv_range.begin < send + entry.send_range.end)
    check();
  entry.disjoint_at = recv - send;
}

/// The most recently used schedules of one communicator, within a bound on their memory.
class ScheduleCache {
 public:
  /// Minimum number of schedules that are kept, however much memory they take. More are kept only within about
  /// kMostBytes bytes.
  static constexpr std::size_t kFewest = 32;
  static constexpr std::int64_t kMostBytes = std::int64_t{16} << 20U;

  /// Returns the entry with this key, which becomes the most recently used, or null if there is none.
  [[nodiscard]] CachedSchedule* find(std::span<const std::int64_t> key);
  /// Adds an entry and returns it. Removes those longest unused if there are too many.
  CachedSchedule& add(CachedSchedule entry);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  using Place = std::list<CachedSchedule>::iterator;
  void forget_oldest();

  std::list<CachedSchedule> entries_;  ///< the most recent first
  std::unordered_multimap<std::uint64_t, Place> by_hash_;
  std::int64_t bytes_ = 0;
};

}  // namespace rondo::internal

#endif
