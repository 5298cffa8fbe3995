/// @file
/// The traces that a call whose data are described by blocks leaves for later calls with equal arguments: its
/// schedule, and a note of the call itself.
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

/// Everything that a schedule depends on. Made without shapes, from what a call says of itself: equal calls have equal
/// keys.
struct CacheKey {
  std::vector<std::int64_t> words;
  std::size_t fingerprint;  ///< index of the word that stands for the settings

  /// Returns the key of the same call by other settings.
  [[nodiscard]] std::vector<std::int64_t> with(const Settings& settings) const {
    std::vector<std::int64_t> changed = words;
    changed[fingerprint] = static_cast<std::int64_t>(settings.fingerprint());
    return changed;
  }
};

[[nodiscard]] CacheKey key_of(const CollectiveFamily& family, const CheckedCall& checked, const Settings& settings);

/// Returns the schedule of a call, from the cache if the same call was made before. `shapes`: null if the call's sizes
/// were not checked. Local. Throws Error and std::bad_alloc, and nothing was taken then.
[[nodiscard]] CachedSchedule& cached_schedule(CollectiveFamily& family, const CheckedCall& checked,
                                              std::shared_ptr<const CallShapes> shapes, const Settings& settings,
                                              std::vector<std::int64_t> key);
/// Returns the schedule of a call, with the key of the call as the family knows it now.
[[nodiscard]] inline CachedSchedule& cached_schedule(CollectiveFamily& family, const CheckedCall& checked,
                                                     std::shared_ptr<const CallShapes> shapes,
                                                     const Settings& settings) {
  return cached_schedule(family, checked, std::move(shapes), settings, key_of(family, checked, settings).words);
}
/// Checks a call's buffers as check_buffers() does, by what is known of earlier calls.
void check_buffers_again(const CheckedCall& checked, CachedSchedule& entry);

[[nodiscard]] inline Buffers buffers_of(const Call& call) { return {call.send_buffer(), call.recv_buffer()}; }

/// Returns whether an equal call may do what this one did, without new checks: its communicator is made, it uses the
/// communicator's settings, none of which changes with each call, and no handle that may come to mean something else.
[[nodiscard]] bool may_be_remembered(CallState& calls, const Call& call, const Settings& settings);
/// Makes an equal call do what this one did. A call that cannot be remembered is looked up in the cache again.
void remember(CallState& calls, const CheckedCall& checked, RecentPools pools) noexcept;

}  // namespace rondo::internal

#endif
