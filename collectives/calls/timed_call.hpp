/// @file
/// TimedCall: tells those who learn what a call took of its caller's time.
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

/// Of a call that takes turns, from its construction on. Goes with its operation, as a rotation of that one; a late
/// call's operation has another one begin in its place, which is in here.
class TimedCall final : public Rotation {
 public:
  explicit TimedCall(std::shared_ptr<learning::LearningCalls> learning) : learning_(std::move(learning)) {
    time_.begin();
  }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;
  /// With the token free.
  ~TimedCall() override {
    for (Choice& choice : choices_) {
      if (!choice.operation->refuses_start()) choice.pool->give(std::move(choice.operation));
    }
  }

  /// A call has begun by its plan, with that operation.
  static void begun(std::unique_ptr<TimedCall> call, Operation& operation) {
    call->place_ = call->learning_->begun();
    go_with(std::move(call), operation);
  }
  /// The same of one for MPI's own function, whose caller says when it is_finished(). `from_here`: what was looked up
  /// before does not count.
  void begun_by_mpi(bool from_here) {
    place_ = learning_->begun();
    if (from_here) time_.begin();
  }
  /// The same of a late one, of which what it takes does not count.
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

  /// For a late call, in the order of the plans: an idle operation from `pool`, ready to be started.
  void add(std::unique_ptr<Operation> operation, std::shared_ptr<OperationPool> pool) {
    choices_.push_back({std::move(operation), std::move(pool)});
  }
  /// In the call's prologue: the one that begins; null where its plan is not known yet. Throws Error.
  [[nodiscard]] Operation* operation_of(const learning::LateCall& call) {
    const std::optional<std::size_t> plan = learning_->plan_of(call);
    return plan ? choices_[*plan].operation.get() : nullptr;
  }

 private:
  struct Choice {
    std::unique_ptr<Operation> operation;
    std::shared_ptr<OperationPool> pool;  ///< that it returns to
  };

  std::shared_ptr<learning::LearningCalls> learning_;
  learning::StartTime time_;
  learning::Turns::Place place_;
  std::vector<Choice> choices_;
};

}  // namespace rondo::internal

#endif
