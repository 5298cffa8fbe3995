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

/// Those that learn apart from each other, as one of them leaves time for other things.
enum class FormOfCall : std::uint8_t { blocking, nonblocking };
inline constexpr std::size_t kFormsOfCalls = 2;

/// A nonblocking call that was made before its plan was known.
struct LateCall {
  std::optional<std::size_t> plan;  ///< LearningCalls says it
};
/// As they were made.
using LateCalls = std::list<std::shared_ptr<LateCall>>;

/// The calls of one form for one problem on a communicator, in which plans take Turns as the candidates of a persistent
/// operation do at its starts. All ranks make the same of these calls in the same order, and know the problem alike: so
/// a call's number says which plan it is for, whatever each rank has in its caches. Where its plan depends on sums that
/// are not there yet, a blocking call waits for them, as it may wait for others anyway; a nonblocking one is late, and
/// so are those after it, until its plan is known: in a pass of progress. What late ones take does not count. One
/// thread at a time may make calls; another one may make passes of progress, and all may tell what calls took.
class LearningCalls {
 public:
  /// Makes this rank's part in the sums, ready to be begun; null where it is not to be had, on all ranks alike. Throws
  /// std::bad_alloc, and Error.
  using MakeSums = std::function<std::shared_ptr<SummedTimes>()>;

  /// `calls`: what they are, for people. `contenders`: at least two, the best by prediction first. `starts`: see Turns.
  /// `rank` of `ranks`: of the communicator. `problem`: by which to keep what is learned, and to look
  /// for what is known, on rank 0; empty: not to.
  LearningCalls(std::string calls, std::vector<Contender> contenders, int starts, int rank, int ranks,
                std::string problem);

  /// Whether all further calls are for one plan.
  [[nodiscard]] bool over() const;
  /// The plan that the next call is for, after what comes before that call; nothing where it is not known yet. Says the
  /// same again until it has begun(). Makes no pass of progress: its caller may hold what callbacks want. Throws what
  /// `make_sums` does, and Error where the ranks cannot add up their times.
  [[nodiscard]] std::optional<std::size_t> next_plan(const MakeSums& make_sums);
  /// Until next_plan() may know more.
  void wait_for_sums() const;
  /// As many plans.
  [[nodiscard]] std::size_t plans() const noexcept { return contenders_.size(); }
  /// The next call is about so many bytes on this rank, of which the others may not know. Where calls differ by more
  /// than a quarter, what one takes says nothing of another: the ranks hear of it with the next sums, and learn no
  /// more.
  void is_about(std::int64_t bytes);
  /// By which choose() builds it, unless it is MPI's own function.
  [[nodiscard]] const std::string& name_of(std::size_t plan) const noexcept { return contenders_[plan].name; }
  [[nodiscard]] bool is_mpis_own(std::size_t plan) const noexcept { return contenders_[plan].name == kMpisOwn; }
  /// The next call has begun, by its plan. Returns where it belongs what it takes.
  Turns::Place begun();
  /// What it took of its caller's time.
  void took(const Turns::Place& place, std::int64_t nanoseconds);

  /// The next call has begun without a plan: `call`, the only one in its list.
  void begun_late(LateCalls& call);
  /// Its plan, in its Operation's prologue, by the progress token's holder; nothing where it is not known yet. Throws
  /// Error where the ranks cannot add up their times.
  [[nodiscard]] std::optional<std::size_t> plan_of(const LateCall& call);

  /// What was found out so far, for people.
  [[nodiscard]] std::string told() const;

 private:
  /// The number of the call before which the ranks begin to ask whether rank 0's file knows the fastest plan. Not the
  /// first: the communicator may be made only when that is complete.
  static constexpr std::int64_t kAsk = 1;
  /// The number of the call before which the answer must be there, and turns begin: the first calls touch memory that
  /// was never used, which later ones do not, whatever their plan.
  static constexpr std::int64_t kAnswer = 24;
  static constexpr int kMostInVain = 3;
  /// What comes before the next call.
  enum class Before : std::uint8_t {
    nothing,
    sums_begin,  ///< of here_
    sums_come    ///< its plan depends on them
  };
  enum class Sums : std::uint8_t { idle, beginning, under_way };
  // With the mutex locked, and where it says so with no engine at work, as that may run callbacks.
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
  // Without.
  void make_sums_ready(const MakeSums& make_sums);
  void begin_sums();

  std::string name_;
  std::vector<Contender> contenders_;
  int rank_;
  int ranks_;
  std::string problem_;
  mutable std::mutex mutex_;  ///< for all that follows; never held where the progress token is waited for
  Turns turns_;
  std::int64_t calls_ = 0;  ///< that have begun by their plan
  LateCalls late_;          ///< that have begun without one
  bool asked_ = false;
  std::optional<std::size_t> settled_;  ///< the plan of all further calls
  std::shared_ptr<SummedTimes> sums_;   ///< from when they are first needed
  int looks_in_vain_ = 0;               ///< in a row
  Sums state_ = Sums::idle;
  Times here_{};                   ///< this rank's part in them
  std::int64_t fewest_bytes_ = 0;  ///< see is_about(); 0: nothing was said
  std::int64_t most_bytes_ = 0;
  std::exception_ptr failure_;  ///< why they cannot be had
};

}  // namespace rondo::internal::learning

#endif
