/// @file
/// What calls of blocks leave for equal ones that come later.
#ifndef RONDO_COLLECTIVES_CALLS_CACHED_CALLS_HPP
#define RONDO_COLLECTIVES_CALLS_CACHED_CALLS_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/earlier_calls/recent_calls.hpp"
#include "collectives/earlier_calls/schedule_cache.hpp"
#include "collectives/settings/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::internal {

/// What a schedule depends on. Without shapes, what a call says of itself: the same key for the same call.
struct CacheKey {
  std::vector<std::int64_t> words;
  std::size_t fingerprint;  ///< which of them stands for the settings

  /// Of the same call by other settings.
  [[nodiscard]] std::vector<std::int64_t> with(const Settings& settings) const {
    std::vector<std::int64_t> changed = words;
    changed[fingerprint] = static_cast<std::int64_t>(settings.fingerprint());
    return changed;
  }
};

[[nodiscard]] CacheKey key_of(const CollectiveFamily& family, const CheckedCall& checked, const Settings& settings);

/// The schedule of a call, from the cache when the same call was made before. `shapes`: null where the call's sizes
/// were not looked at. Local; throws Error and std::bad_alloc, and nothing was taken then.
[[nodiscard]] CachedSchedule& cached_schedule(CollectiveFamily& family, const CheckedCall& checked,
                                              std::shared_ptr<const CallShapes> shapes, const Settings& settings,
                                              std::vector<std::int64_t> key);
/// The same with the key of the call as the family knows it now.
[[nodiscard]] inline CachedSchedule& cached_schedule(CollectiveFamily& family, const CheckedCall& checked,
                                                     std::shared_ptr<const CallShapes> shapes,
                                                     const Settings& settings) {
  return cached_schedule(family, checked, std::move(shapes), settings, key_of(family, checked, settings).words);
}
/// What check_buffers() does, from what is known of earlier calls.
void check_buffers_again(const CheckedCall& checked, CachedSchedule& entry);

[[nodiscard]] inline Buffers buffers_of(const Call& call) { return {call.send_buffer(), call.recv_buffer()}; }

/// Whether an equal call may do what this one did, without another look: with the communicator's own settings, none of
/// which is another one for each call, and with nothing that may have become another thing under the same handle.
[[nodiscard]] bool may_be_remembered(CallState& calls, const Call& call, const Settings& settings);
/// Has an equal call do what this one did. What cannot be remembered is looked up again.
void remember(CallState& calls, const CheckedCall& checked, RecentPools pools) noexcept;

}  // namespace rondo::internal

#endif
