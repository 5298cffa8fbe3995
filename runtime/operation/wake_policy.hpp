/// @file
/// WakePolicy: estimates whether the application waits for an operation as soon as it has started it.
#ifndef RONDO_RUNTIME_OPERATION_WAKE_POLICY_HPP
#define RONDO_RUNTIME_OPERATION_WAKE_POLICY_HPP

#include <algorithm>
#include <chrono>

namespace rondo::internal {

/// A WakePolicy tells whether to wake the poller for an operation. Waking the poller costs some microseconds. That is
/// nothing for an operation during which its application computes, and much for a short one for which the application
/// waits at once. The last durations of the operation tell which case it is.
class WakePolicy {
 public:
  using Clock = std::chrono::steady_clock;

  void started() noexcept { started_ = Clock::now(); }
  /// Records that the application has waited for the operation, or found it complete.
  void finished() noexcept {
    const Clock::duration lasted = Clock::now() - started_;
    // Forgets slowly: one short duration among long ones is no habit.
    usual_ = usual_ == Clock::duration::max() ? lasted : std::max(lasted, usual_ - usual_ / 8);
  }
  /// Returns whether the operation usually lasts long enough to wake the poller. True before any duration is known.
  [[nodiscard]] bool takes_its_time() const noexcept { return usual_ >= kWorthWaking; }

 private:
  static constexpr std::chrono::microseconds kWorthWaking{100};
  Clock::time_point started_;
  Clock::duration usual_ = Clock::duration::max();
};

}  // namespace rondo::internal

#endif
