/// @file
/// LearningCalls: blocking calls that find out which of several plans is the fastest.
#ifndef RONDO_COLLECTIVES_LEARNING_LEARNING_CALLS_HPP
#define RONDO_COLLECTIVES_LEARNING_LEARNING_CALLS_HPP

#include "collectives/learning/contenders.hpp"
#include "collectives/learning/summed_times.hpp"
#include "collectives/learning/turns.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::internal::learning {

/// The blocking calls for one problem on a communicator, in which plans take Turns as the candidates of a persistent
/// operation do at its starts. All ranks make the same of these calls in the same order, and know the problem alike: so
/// a call's number says which plan it is for, whatever each rank has in its caches. As such a call may wait for others
/// anyway, it waits for the sums where its plan depends on them. For one thread at a time.
class LearningCalls {
 public:
  /// Makes this rank's part in the sums, ready to be begun; null where it is not to be had, on all ranks alike. Throws
  /// std::bad_alloc, and Error.
  using MakeSums = std::function<std::unique_ptr<SummedTimes>()>;

  /// `calls`: what they are, for people. `contenders`: at least two, the best by prediction first. `starts`: see Turns.
  /// `rank` of `ranks`: of the communicator. `problem`: by which to keep what is learned, and to look
  /// for what is known, on rank 0; empty: not to.
  LearningCalls(std::string calls, std::vector<Contender> contenders, int starts, int rank, int ranks,
                std::string problem);

  /// Whether all further calls are for one plan.
  [[nodiscard]] bool over() const noexcept { return settled_.has_value(); }
  /// The plan that the next call is for, after what comes before that call. Says the same again until it has begun().
  /// Throws what `make_sums` does, and Error where the ranks cannot add up their times.
  [[nodiscard]] std::size_t next_plan(const MakeSums& make_sums);
  /// By which choose() builds it.
  [[nodiscard]] const std::string& name_of(std::size_t plan) const noexcept { return contenders_[plan].name; }
  /// The next call has begun.
  void begun() noexcept;
  /// What it took of its caller's time.
  void took(std::int64_t nanoseconds) noexcept { turns_.took(nanoseconds); }

  /// What was found out so far, for people.
  [[nodiscard]] std::string told() const;

 private:
  /// The number of the call before which the ranks begin to ask whether rank 0's file knows the fastest plan. Not the
  /// first: the communicator may be made only when that is complete.
  static constexpr std::int64_t kAsk = 1;
  /// The number of the call before which the answer must be there, and turns begin: the first calls touch memory that
  /// was never used, which later ones do not, whatever their plan.
  static constexpr std::int64_t kAnswer = 24;
  void ask(const MakeSums& make_sums);
  void take_turns(const MakeSums& make_sums);
  [[nodiscard]] bool has_sums(const MakeSums& make_sums);
  void begin_sums(const Times& here);
  [[nodiscard]] const Times& wait_for_sums();
  void decide();
  void settle(std::size_t plan, const char* why) noexcept;

  std::string name_;
  std::vector<Contender> contenders_;
  Turns turns_;
  int rank_;
  int ranks_;
  std::string problem_;
  std::int64_t calls_ = 0;  ///< that have begun
  bool asked_ = false;
  std::optional<std::size_t> settled_;  ///< the plan of all further calls
  std::unique_ptr<SummedTimes> sums_;   ///< from when they are first needed
  bool adding_up_ = false;              ///< they are under way
};

}  // namespace rondo::internal::learning

#endif
