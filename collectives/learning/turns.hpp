/// @file
/// Turns: which of several candidates each start of an operation, or each call, is for.
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

/// As many candidates take turns at most.
inline constexpr std::size_t kMostCandidates = 4;

/// Times of the candidates, in ns.
using Times = std::array<std::int64_t, kMostCandidates>;

/// One rank's part in learning which candidate is the fastest. In a look the candidates take turns, and each rank times
/// its starts; then all ranks add up their times, and the candidate with the least sum runs from then on. A first look
/// of one turn each leaves those out that are far from the best, a second one tells those that are left apart, and a
/// third one, many starts later, corrects it where two were close: other programs may have disturbed it. Which
/// candidate a start is for follows from its number and from the sums, which are the same on all ranks: so no rank is
/// ever in another candidate than its partners, however far apart they are.
///
/// After that a machine may change. So the one that was second when the winner was found is kept, and the two are
/// looked at again and again, with many starts in between, all of the winner. Where two looks in a row find the second
/// one clearly faster, it becomes the winner, and the winner the second.
class Turns {
 public:
  /// Starts in a row of one candidate. The first ones do not count: partners may still be in the one before, and caches
  /// are cold. The others count together, as ranks may be some starts apart: what one of them saves, a later one pays.
  static constexpr int kTurn = 6;
  static constexpr int kTurnOfThird = 24;  ///< in the third look, of those that are close
  static constexpr int kNotCounted = 2;
  static constexpr int kTurnsOfFirst = 1;  ///< of each candidate in the first look: those that lose there are slow
  static constexpr int kTurnsOfThird = 8;  ///< at least
  /// Starts between the last one of a look and the one for which its decision must be known: ranks are rarely so far
  /// apart, so nobody waits for the sums. After the third look a quarter of the period, as nothing depends on it soon.
  static constexpr int kLag = 4;
  /// The number of the start with which the third look begins, at least.
  static constexpr std::int64_t kThirdLook = 256;
  static constexpr int kTurnsOfLater = 2;  ///< of each of the two in a look after the third

  /// Of `candidates`, at least 2 and at most kMostCandidates, the first of which the model takes for the fastest. Each
  /// that stays has `starts` in the first two looks, rounded up to whole turns, of which there are two at least, and
  /// twice as many turns, at least kTurnsOfThird, in the third. `period`: starts from a look after the third to the
  /// next, of which kTurnsOfLater turns are for the second; k times as many where the second takes k times as long as
  /// the winner, so that it costs no greater share of the time, but no more than ten times as many. At least 100, or 0:
  /// there are no such looks.
  Turns(std::size_t candidates, int starts, int period = 0);

  /// What comes before the next start.
  enum class Due : std::uint8_t {
    nothing,
    sum,      ///< all ranks begin to add up their times()
    decision  ///< decide(): the next start depends on it
  };
  [[nodiscard]] Due due() const noexcept;
  /// What this rank has to tell at Due::sum: the median of each candidate that took part in the look. Nothing, zeros,
  /// where it does not know all of them.
  [[nodiscard]] Times times();
  /// Takes the sums of that over all ranks.
  void decide(const Times& sums);
  /// In place of that: the look was in vain, and is made once more.
  void look_again() noexcept { first_ = next_; }
  /// The candidate that the next start is for.
  [[nodiscard]] std::size_t next() const noexcept;
  /// The same, of a start that now is the last one that was begun.
  std::size_t start() noexcept;
  /// Where it belongs what a start took.
  struct Place {
    std::int64_t look = kNone;  ///< by the number of its first start
    std::size_t candidate = 0;
    std::size_t turn = 0;  ///< of the candidate's

    static constexpr std::int64_t kNone = -1;  ///< it does not count
    [[nodiscard]] bool counts() const noexcept { return look != kNone; }
  };
  /// Of the last start.
  [[nodiscard]] Place place() const noexcept { return place_; }
  /// What a start took, of the time of its user: the last one, or an earlier one, in whose look it is too late when its
  /// times() were taken.
  void took(std::int64_t nanoseconds) noexcept { took(std::exchange(place_, {}), nanoseconds); }
  void took(const Place& place, std::int64_t nanoseconds) noexcept;

  /// Whether the winner is found: it has all starts that come, but those of later looks.
  [[nodiscard]] bool over() const noexcept { return look_ == Look::later; }
  /// Those that are still compared, the best so far first; where nothing is any more, that one.
  [[nodiscard]] std::span<const std::size_t> contenders() const noexcept { return contenders_; }
  [[nodiscard]] std::int64_t starts() const noexcept { return next_; }
  /// How many starts come next that are for the best so far, and before which nothing is due; not said where that is
  /// so of all.
  [[nodiscard]] std::int64_t idle() const noexcept;
  /// As many of these, or fewer, were made.
  void skip(std::int64_t starts) noexcept { next_ += starts; }
  /// The number of the start with which the last look began, or the next one will.
  [[nodiscard]] std::int64_t look_begins() const noexcept { return first_; }
  /// Those that were decided, after the winner was found.
  [[nodiscard]] std::int64_t later_looks() const noexcept { return later_looks_; }
  /// How often they found another winner.
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
  int turns_;                            ///< of each candidate in the first two looks
  int period_;
  Look look_ = Look::first;
  bool second_was_faster_ = false;  ///< in the last later look
  std::int64_t later_looks_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t next_ = 0;   ///< number of the next start
  std::int64_t first_ = 0;  ///< of the look
  Place place_;             ///< of the last start
  struct Turn {
    std::int64_t took;    ///< all its starts that are over and count
    std::int64_t starts;  ///< as many
  };
  std::array<std::vector<Turn>, kMostCandidates> look_turns_;  ///< those of the look, with all memory for them
};

}  // namespace rondo::internal::learning

#endif
