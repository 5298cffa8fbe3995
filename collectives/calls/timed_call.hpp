/// @file
/// TimedCall: measures the time that a call takes from its caller, for learning.
#ifndef RONDO_COLLECTIVES_CALLS_TIMED_CALL_HPP
#define RONDO_COLLECTIVES_CALLS_TIMED_CALL_HPP

#include "collectives/learning/learning_calls.hpp"
#include "collectives/learning/start_time.hpp"
#include "runtime/operation/operation.hpp"
#include "runtime/operation/rotation.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::internal {

/// Times one call while the candidates of its problem are being tried, from its construction on. The call's operation
/// owns it, as a Rotation. A nonblocking call that starts before its plan is known also keeps one idle operation per
/// plan here, one of which begins in place of the call's own.
class TimedCall final : public Rotation {
 public:
  explicit TimedCall(std::shared_ptr<learning::LearningCalls> learning) : learning_(std::move(learning)) {
    time_.begin();
  }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;
  /// Destroy with the progress token free.
  ~TimedCall() override {
    for (Choice& choice : choices_) {
      if (!choice.operation->refuses_start()) choice.pool->give(std::move(choice.operation));
    }
  }

  /// Records that a call has begun by its plan, with that operation, which then owns `call`.
  static void begun(std::unique_ptr<TimedCall> call, Operation& operation) {
    call->place_ = call->learning_->begun();
    go_with(std::move(call), operation);
  }
  /// Records that a call has begun by MPI's own function; its caller calls is_finished(). `from_here`: time before is
  /// ignored.
  void begun_by_mpi(bool from_here) {
    place_ = learning_->begun();
    if (from_here) time_.begin();
  }
  /// Gives `call` to its operation, which has begun. For a late call, this is all, because its time does not count.
  static void go_with(std::unique_ptr<TimedCall> call, Operation& operation) noexcept {
    call->time_.is_begun();
    operation.set_rotation(std::move(call));
  }

  [[nodiscard]] std::uint32_t start(std::unique_ptr<Operation>& held) override {
    held->start();
    return kForGood;
  }
  void is_waited_for() noexcept override { time_.is_waited_for(); }
  void is_finished() noexcept override { learning_->took(place_, time_.took()); }

  /// Adds an idle operation from `pool`, ready to be started, for a late call. Call in the order of the plans.
  void add(std::unique_ptr<Operation> operation, std::shared_ptr<OperationPool> pool) {
    choices_.push_back({std::move(operation), std::move(pool)});
  }
  /// Returns the operation that begins in place of a late call; null if its plan is not known yet. Call in the late
  /// call's prologue. Throws Error.
  [[nodiscard]] Operation* operation_of(const learning::LateCall& call) {
    const std::optional<std::size_t> plan = learning_->plan_of(call);
    return plan ? choices_[*plan].operation.get() : nullptr;
  }

 private:
  struct Choice {
    std::unique_ptr<Operation> operation;
    std::shared_ptr<OperationPool> pool;  ///< the pool that the operation returns to
  };

  std::shared_ptr<learning::LearningCalls> learning_;
  learning::StartTime time_;
  learning::Turns::Place place_;
  std::vector<Choice> choices_;
};

}  // namespace rondo::internal

#endif
