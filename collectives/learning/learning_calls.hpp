/// @file
/// LearningCalls: blocking or nonblocking calls that find out which of several plans is the fastest.
#ifndef RONDO_COLLECTIVES_LEARNING_LEARNING_CALLS_HPP
#define RONDO_COLLECTIVES_LEARNING_LEARNING_CALLS_HPP

#include "collectives/learning/contenders.hpp"
#include "collectives/learning/summed_times.hpp"
#include "collectives/learning/turns.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rondo::internal::learning {

/// Forms of calls, which learn apart from each other because a nonblocking call leaves time for other things.
enum class FormOfCall : std::uint8_t { blocking, nonblocking };
inline constexpr std::size_t kFormsOfCalls = 2;

/// A nonblocking call that was made before its plan was known.
struct LateCall {
  std::optional<std::size_t> plan;  ///< set by LearningCalls
};
/// Late calls, in the order in which they were made.
using LateCalls = std::list<std::shared_ptr<LateCall>>;

/// The calls of one form for one problem on a communicator. They try plans by Turns, as the starts of a persistent
/// operation try its candidates. All ranks make these calls in the same order and know the problem alike, so a call's
/// number decides its plan, whatever each rank has in its caches. If its plan depends on sums that have not arrived, a
/// blocking call waits for them, as it may wait for other ranks anyway. A nonblocking call is late then, and so are
/// those after it, until a pass of progress finds its plan. Times of late calls do not count. One thread at a time may
/// make calls; another one may make passes of progress, and all may report times.
class LearningCalls {
 public:
  /// Makes this rank's part in the sums, ready to begin; null if there is none, on all ranks alike. Throws
  /// std::bad_alloc and Error.
  using MakeSums = std::function<std::shared_ptr<SummedTimes>()>;

  /// `calls`: a description for people. `contenders`: at least two, the best by prediction first. `starts`: see Turns.
  /// `rank` of `ranks`: those of the communicator. `problem`: the name under which the result is kept, and is looked up
  /// on rank 0; empty: neither.
  LearningCalls(std::string calls, std::vector<Contender> contenders, int starts, int rank, int ranks,
                std::string problem);

  /// Returns whether all further calls are for one plan.
  [[nodiscard]] bool over() const;
  /// Returns the plan of the next call, after the steps that are due before that call; nothing if the plan is not known
  /// yet. Returns the same until begun() is called. Makes no pass of progress, because the caller may hold what
  /// callbacks need. Throws what `make_sums` throws, and Error if the ranks cannot add up their times.
  [[nodiscard]] std::optional<std::size_t> next_plan(const MakeSums& make_sums);
  /// Waits until next_plan() may know more.
  void wait_for_sums() const;
  /// Returns the number of plans.
  [[nodiscard]] std::size_t plans() const noexcept { return contenders_.size(); }
  /// Reports that the next call is about `bytes` bytes on this rank, which the other ranks may not know. If calls
  /// differ by more than a quarter, their times cannot be compared: the ranks hear of it with the next sums, and stop
  /// learning.
  void is_about(std::int64_t bytes);
  /// Returns the name by which choose() builds a plan, unless the plan is MPI's own function.
  [[nodiscard]] const std::string& name_of(std::size_t plan) const noexcept { return contenders_[plan].name; }
  [[nodiscard]] bool is_mpis_own(std::size_t plan) const noexcept { return contenders_[plan].name == kMpisOwn; }
  /// Records that the next call has begun with its plan, and returns the turn to which its time belongs.
  Turns::Place begun();
  /// Records how much of its caller's time a call took.
  void took(const Turns::Place& place, std::int64_t nanoseconds);

  /// Records that the next call has begun without a plan. `call`: a list that holds only this call.
  void begun_late(LateCalls& call);
  /// Returns the plan of a late call, or nothing if it is not known yet. Call in the prologue of its Operation, with
  /// the progress token held. Throws Error if the ranks cannot add up their times.
  [[nodiscard]] std::optional<std::size_t> plan_of(const LateCall& call);

  /// Returns a report of the findings so far, for people.
  [[nodiscard]] std::string told() const;

 private:
  /// Number of the call before which the ranks begin to ask whether rank 0's file knows the fastest plan. Not the first
  /// call, because the communicator may be made only when that call is complete.
  static constexpr std::int64_t kAsk = 1;
  /// Number of the call before which the answer must have arrived and trials begin. The first calls touch memory that
  /// was never used, which later calls do not, whatever their plan.
  static constexpr std::int64_t kAnswer = 24;
  static constexpr int kMostInVain = 3;
  /// The step that is due before the next call.
  enum class Before : std::uint8_t {
    nothing,
    sums_begin,  ///< the sums of here_ must begin
    sums_come    ///< the sums must arrive, as the call's plan depends on them
  };
  enum class Sums : std::uint8_t { idle, beginning, under_way };
  // Call with the mutex locked. These functions must not drive the engine, which may run callbacks.
  [[nodiscard]] Before before_next();
  [[nodiscard]] bool sums_are_there() const noexcept { return state_ == Sums::under_way && sums_->is_over(); }
  [[nodiscard]] Times times();
  [[nodiscard]] const Times& take_sums_here();
  void take_answer();
  void decide();
  void settle(std::size_t plan, const char* why) noexcept;
  [[nodiscard]] std::size_t plan_of_next() const noexcept { return settled_ ? *settled_ : turns_.next(); }
  Turns::Place count() noexcept;
  [[nodiscard]] std::string told_with_lock() const;
  // Call without the mutex.
  void make_sums_ready(const MakeSums& make_sums);
  void begin_sums();

  std::string name_;
  std::vector<Contender> contenders_;
  int rank_;
  int ranks_;
  std::string problem_;
  mutable std::mutex mutex_;  ///< guards all members below; never held while waiting for the progress token
  Turns turns_;
  std::int64_t calls_ = 0;  ///< number of calls that have begun with a plan
  LateCalls late_;          ///< calls that have begun without a plan
  bool asked_ = false;
  std::optional<std::size_t> settled_;  ///< the plan of all further calls
  std::shared_ptr<SummedTimes> sums_;   ///< null until the first sums are needed
  int looks_in_vain_ = 0;               ///< consecutive trials without a result
  Sums state_ = Sums::idle;
  Times here_{};                   ///< this rank's part in the sums
  std::int64_t fewest_bytes_ = 0;  ///< see is_about(); 0: no size was reported
  std::int64_t most_bytes_ = 0;
  std::exception_ptr failure_;  ///< why the sums cannot be had
};

}  // namespace rondo::internal::learning

#endif
