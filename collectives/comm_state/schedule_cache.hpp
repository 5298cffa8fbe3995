/// @file
/// ScheduleCache: schedules of earlier calls on a communicator, found again by the arguments.
#ifndef RONDO_COLLECTIVES_COMM_STATE_SCHEDULE_CACHE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_SCHEDULE_CACHE_HPP

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

/// The most recently used schedules of one communicator, a bounded number.
class ScheduleCache {
 public:
  static constexpr std::size_t kCapacity = 32;

  /// For at most `capacity` of them.
  explicit ScheduleCache(std::size_t capacity = kCapacity) : capacity_(capacity) {}
  /// The entry with this key, now the most recent; nullptr when there is none.
  [[nodiscard]] CachedSchedule* find(std::span<const std::int64_t> key);
  /// Adds an entry, in place of the one longest unused when there are too many.
  CachedSchedule& add(CachedSchedule entry);
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  std::size_t capacity_;
  std::list<CachedSchedule> entries_;
};

}  // namespace rondo::internal

#endif
