/// @file
/// Turns: which of several candidates each start of a persistent operation is for.
#ifndef RONDO_COLLECTIVES_LEARNING_TURNS_HPP
#define RONDO_COLLECTIVES_LEARNING_TURNS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::learning {

/// As many candidates take turns at most.
inline constexpr std::size_t kMostCandidates = 4;

/// Times of the candidates, in ns.
using Times = std::array<std::int64_t, kMostCandidates>;

/// One rank's part in learning which candidate is the fastest. In a look the candidates take turns, and each rank times
/// its starts; then all ranks add up their times, and the candidate with the least sum runs from then on. A second look
/// at those that were close, many starts later, corrects a first one that was disturbed. Which candidate a start is for
/// follows from its number and from the sums, which are the same on all ranks: so no rank is ever in another candidate
/// than its partners, however far apart they are.
class Turns {
 public:
  /// Starts in a row of one candidate. The first of them does not count: partners may still be in the one before, and
  /// caches are cold.
  static constexpr int kTurn = 4;
  /// Starts between the last one of a look and the one for which its decision must be known: ranks are rarely so far
  /// apart, so nobody waits for the sums.
  static constexpr int kLag = 4;
  /// The number of the start from which on those that were close are looked at again, at least.
  static constexpr std::int64_t kSecondLook = 256;

  /// Of `candidates`, at least 2 and at most kMostCandidates, the first of which the model takes for the fastest. Each
  /// has `starts` in a look, rounded up to whole turns.
  Turns(std::size_t candidates, int starts);

  /// What comes before the next start.
  enum class Due : std::uint8_t {
    nothing,
    sum,      ///< all ranks begin to add up their times()
    decision  ///< decide(): the next start depends on it
  };
  [[nodiscard]] Due due() const noexcept;
  /// What this rank has to tell at Due::sum: the median of each candidate that took part in the look.
  [[nodiscard]] Times times();
  /// Takes the sums of that over all ranks.
  void decide(const Times& sums);
  /// The candidate that the next start is for, which now is the last one that was begun.
  [[nodiscard]] std::size_t start() noexcept;
  /// What the last start took, of the time of its user.
  void took(std::int64_t nanoseconds) noexcept;

  /// Whether nothing is left to be found out: the last start's candidate has all that come.
  [[nodiscard]] bool over() const noexcept { return contenders_.size() == 1; }
  /// Those that are still compared.
  [[nodiscard]] std::span<const std::size_t> contenders() const noexcept { return contenders_; }
  [[nodiscard]] std::int64_t starts() const noexcept { return next_; }

 private:
  [[nodiscard]] std::int64_t length() const noexcept;

  std::vector<std::size_t> contenders_;  ///< the best so far first
  int rounds_;
  std::int64_t next_ = 0;   ///< number of the next start
  std::int64_t first_ = 0;  ///< of the look
  bool second_ = false;     ///< it is the second
  bool counts_ = false;     ///< the last start does
  std::size_t last_ = 0;
  std::array<std::vector<std::int64_t>, kMostCandidates> samples_;  ///< of the look, with all memory for it
};

}  // namespace rondo::internal::learning

#endif
