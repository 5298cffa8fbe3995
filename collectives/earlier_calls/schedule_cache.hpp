/// @file
/// ScheduleCache: schedules of earlier calls on a communicator, found again by the arguments.
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

struct CachedSchedule {
  std::uint64_t hash = 0;
  std::vector<std::int64_t> key;
  SideLayouts send_layouts;  ///< held so that the addresses in the key stay unique
  SideLayouts recv_layouts;
  std::shared_ptr<const Chosen> chosen;
  UserBlocks blocks;
  ByteRange send_range{};
  ByteRange recv_range{};
  bool is_told = false;                      ///< `chosen` says why the plan was chosen, if another size decided
  std::optional<std::intptr_t> disjoint_at;  ///< distance between buffers that was found free of aliases
  std::shared_ptr<OperationPool> pool = std::make_shared<OperationPool>();
  /// What blocking and nonblocking calls for it learn: null where they do not. Nothing before the first one.
  std::array<std::optional<std::shared_ptr<learning::LearningCalls>>, learning::kFormsOfCalls> learning{};
  /// Tags of each nonblocking call that takes turns, whatever its plan: ranks know at different calls that all but one
  /// are out. Nothing before the first one.
  std::optional<std::uint32_t> tags_of_turns{};
};

/// Calls check(), which throws where a byte is both sent and received, unless the buffers lie so that none can be, or
/// are as far from each other as when it was called last.
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

/// The most recently used schedules of one communicator, as many as some memory has room for.
class ScheduleCache {
 public:
  /// So many are kept however long they are; of more, those that keep no more bytes than that, about.
  static constexpr std::size_t kFewest = 32;
  static constexpr std::int64_t kMostBytes = std::int64_t{16} << 20U;

  /// The entry with this key, now the most recent; nullptr when there is none.
  [[nodiscard]] CachedSchedule* find(std::span<const std::int64_t> key);
  /// Adds an entry, in place of those longest unused when there are too many.
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
