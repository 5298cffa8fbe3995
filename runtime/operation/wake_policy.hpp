/// @file
/// WakePolicy: whether an operation is waited for as soon as it was started.
#ifndef RONDO_RUNTIME_OPERATION_WAKE_POLICY_HPP
#define RONDO_RUNTIME_OPERATION_WAKE_POLICY_HPP

#include <algorithm>
#include <chrono>

namespace rondo::internal {

/// Waking the poller costs some microseconds. That is nothing to an operation during which its application computes,
/// and much to a short one that it waits for at once; how long it took the last times tells which it is.
class WakePolicy {
 public:
  using Clock = std::chrono::steady_clock;

  void started() noexcept { started_ = Clock::now(); }
  /// The application has waited for it, or found it complete.
  void finished() noexcept {
    const Clock::duration lasted = Clock::now() - started_;
    // Forgets slowly: one short time among long ones is no habit.
    usual_ = usual_ == Clock::duration::max() ? lasted : std::max(lasted, usual_ - usual_ / 8);
  }
  /// True before it is known.
  [[nodiscard]] bool takes_its_time() const noexcept { return usual_ >= kWorthWaking; }

 private:
  static constexpr std::chrono::microseconds kWorthWaking{100};
  Clock::time_point started_;
  Clock::duration usual_ = Clock::duration::max();
};

}  // namespace rondo::internal

#endif
