/// @file
/// Turns: the choice of one of several candidates for each start of an operation, or for each call.
#ifndef RONDO_COLLECTIVES_LEARNING_TURNS_HPP
#define RONDO_COLLECTIVES_LEARNING_TURNS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal::learning {

/// Maximum number of candidates that are tried.
inline constexpr std::size_t kMostCandidates = 4;

/// Times of the candidates, in ns.
using Times = std::array<std::int64_t, kMostCandidates>;

/// One rank's part in learning which candidate is the fastest. A trial (a "look" in names) gives the candidates turns
/// of several starts, and each rank times its starts. Then all ranks add up their times, and the candidate with the
/// least sum runs from then on. A first trial of one turn each drops candidates that are far from the best. A second
/// one decides among the others. A third one, many starts later, corrects the decision if two candidates were close,
/// because other programs may have disturbed it. The candidate of a start follows from the start's number and from the
/// sums, which are the same on all ranks, so no rank ever runs another candidate than its partners, however far apart
/// they are.
///
/// The machine may change later. So the candidate that was second when the winner was found is kept, and the two are
/// compared again and again, with many starts of the winner in between. If the second one is clearly faster in two
/// trials in a row, the two change roles.
class Turns {
 public:
  /// Consecutive starts of one candidate. The first ones do not count, because partners may still be in the previous
  /// candidate and caches are cold. The others count together, because ranks may be some starts apart: a later start
  /// pays for the time that an earlier one saves.
  static constexpr int kTurn = 6;
  static constexpr int kTurnOfThird = 24;  ///< starts of a turn in the third trial, whose candidates are close
  static constexpr int kNotCounted = 2;
  static constexpr int kTurnsOfFirst = 1;  ///< of each candidate in the first trial, whose losers are slow
  static constexpr int kTurnsOfThird = 8;  ///< turns of each candidate in the third trial, at least
  /// Starts between the last one of a trial and the one for which its decision must be known. Ranks are rarely so far
  /// apart, so nobody waits for the sums. After the third trial a quarter of the period, because nothing depends on the
  /// sums soon.
  static constexpr int kLag = 4;
  /// Minimum number of the start with which the third trial begins.
  static constexpr std::int64_t kThirdLook = 256;
  static constexpr int kTurnsOfLater = 2;  ///< turns of each of the two candidates in a trial after the third

  /// Compares `candidates` candidates, at least 2 and at most kMostCandidates, the first of which the model predicts to
  /// be the fastest. Each that stays has `starts` starts in the first two trials, rounded up to whole turns, at least
  /// two turns. In the third it has twice as many turns, at least kTurnsOfThird. `period`: starts from one trial after
  /// the third to the next, of which kTurnsOfLater turns are for the second candidate. If that takes k times as long as
  /// the winner, the period is k times as long, at most ten times, so that the trial costs no greater share of the
  /// time. At least 100, or 0: there are no such trials.
  Turns(std::size_t candidates, int starts, int period = 0);

  /// The step that is due before the next start.
  enum class Due : std::uint8_t {
    nothing,
    sum,      ///< all ranks begin to add up their times()
    decision  ///< decide(): the next start depends on it
  };
  [[nodiscard]] Due due() const noexcept;
  /// Returns this rank's times at Due::sum: the median of each candidate in the trial, or only zeros if this rank does
  /// not know all of them.
  [[nodiscard]] Times times();
  /// Decides by the sums of times() over all ranks.
  void decide(const Times& sums);
  /// Repeats the trial, which gave no result, in place of decide().
  void look_again() noexcept { first_ = next_; }
  /// Returns the candidate of the next start.
  [[nodiscard]] std::size_t next() const noexcept;
  /// Records that a start has begun and returns its candidate.
  std::size_t start() noexcept;
  /// Identifies the turn to which a measured start belongs.
  struct Place {
    std::int64_t look = kNone;  ///< number of the trial's first start
    std::size_t candidate = 0;
    std::size_t turn = 0;  ///< among the candidate's turns

    static constexpr std::int64_t kNone = -1;  ///< the start does not count
    [[nodiscard]] bool counts() const noexcept { return look != kNone; }
  };
  /// Returns the place of the last start.
  [[nodiscard]] Place place() const noexcept { return place_; }
  /// Records how much of its user's time a start took: the last one, or the one at `place`. Ignores a start whose trial
  /// has ended: its times() were taken.
  void took(std::int64_t nanoseconds) noexcept { took(std::exchange(place_, {}), nanoseconds); }
  void took(const Place& place, std::int64_t nanoseconds) noexcept;

  /// Returns whether the winner is found. All further starts run it, except those of later trials.
  [[nodiscard]] bool over() const noexcept { return look_ == Look::later; }
  /// Returns the candidates that are still compared, the best so far first; the winner if none are compared any more.
  [[nodiscard]] std::span<const std::size_t> contenders() const noexcept { return contenders_; }
  [[nodiscard]] std::int64_t starts() const noexcept { return next_; }
  /// Returns how many of the next starts run the best candidate so far with no step due before them; 0 if all further
  /// starts do.
  [[nodiscard]] std::int64_t idle() const noexcept;
  /// Advances the count by starts that needed no decision, at most idle().
  void skip(std::int64_t starts) noexcept { next_ += starts; }
  /// Returns the number of the start with which the last trial began, or the next one will.
  [[nodiscard]] std::int64_t look_begins() const noexcept { return first_; }
  /// Returns the number of trials that were decided after the winner was found.
  [[nodiscard]] std::int64_t later_looks() const noexcept { return later_looks_; }
  /// Returns how often later trials found another winner.
  [[nodiscard]] std::int64_t changes() const noexcept { return changes_; }

 private:
  enum class Look : std::uint8_t { first, second, third, later };
  [[nodiscard]] int rounds() const noexcept;
  [[nodiscard]] int turns_of_third() const noexcept { return std::max(kTurnsOfThird, 2 * turns_); }
  [[nodiscard]] int turn() const noexcept { return look_ == Look::third ? kTurnOfThird : kTurn; }
  [[nodiscard]] int lag() const noexcept { return look_ == Look::later ? period_ / 4 : kLag; }
  [[nodiscard]] std::int64_t length() const noexcept;
  [[nodiscard]] bool next_is_in_look() const noexcept;
  [[nodiscard]] std::int64_t starts_to_next(const Times& sums) const noexcept;
  void decide_later(const Times& sums) noexcept;

  std::vector<std::size_t> contenders_;  ///< the best so far first
  int turns_;                            ///< turns of each candidate in the first two trials together
  int period_;
  Look look_ = Look::first;
  bool second_was_faster_ = false;  ///< in the last trial after the winner was found
  std::int64_t later_looks_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t next_ = 0;   ///< number of the next start
  std::int64_t first_ = 0;  ///< number of the trial's first start
  Place place_;             ///< of the last start
  struct Turn {
    std::int64_t took;    ///< ns, of all its starts that are over and count
    std::int64_t starts;  ///< number of these starts
  };
  std::array<std::vector<Turn>, kMostCandidates> look_turns_;  ///< turns of the trial, with all memory for them
};

}  // namespace rondo::internal::learning

#endif
