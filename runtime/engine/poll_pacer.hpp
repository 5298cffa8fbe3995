/// @file
/// PollPacer: when the background poller looks next.
#ifndef RONDO_RUNTIME_ENGINE_POLL_PACER_HPP
#define RONDO_RUNTIME_ENGINE_POLL_PACER_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rondo::internal {

/// What a look that found nothing new tells.
enum class StillInFlight : std::uint8_t {
  short_messages,  ///< and nothing else: they come, or have not come yet
  long_messages    ///< MPI moves a part of them in each look, though none completes
};

/// Each look costs the application's core some microseconds, and each moment without one delays the next round of a
/// schedule. So the pacer learns how long news take to come after the last ones, looks first when they should be
/// there, a few times soon afterwards, and ever more rarely then. While long messages travel its steps stay
/// small beside the time that the last ones took.
class PollPacer {
 public:
  using Duration = std::chrono::nanoseconds;
  /// A look sooner than this would cost more than it brings.
  static constexpr Duration kShortest = std::chrono::microseconds(20);
  static constexpr Duration kLongest = std::chrono::microseconds(500);
  /// The step while long messages travel: a look takes two or three microseconds.
  static constexpr Duration kShortestStep = std::chrono::microseconds(100);
  static constexpr Duration kLongestStep = std::chrono::microseconds(250);
  /// How long long messages without news are taken to travel, at least.
  static constexpr Duration kPatience = std::chrono::milliseconds(50);

  /// Something was started: news are expected from now on.
  void started() noexcept;
  /// A look `waited` after the last one found news, or none. Returns how long to wait until the next.
  [[nodiscard]] Duration after_news(Duration waited) noexcept;
  [[nodiscard]] Duration after_nothing(Duration waited, StillInFlight in_flight) noexcept;
  /// How long to wait for the first look; where it is not known of which kind the messages are, that look tells.
  [[nodiscard]] Duration first() const noexcept { return std::min(expected(), kShortestStep); }
  [[nodiscard]] Duration first(StillInFlight in_flight) const noexcept {
    return in_flight == StillInFlight::long_messages ? first() : expected();
  }

 private:
  [[nodiscard]] Duration expected() const noexcept { return std::clamp(gap_, kShortest, kLongest); }

  Duration gap_ = std::chrono::microseconds(50);  ///< from news to news
  Duration since_news_{};
  Duration pause_{};
  unsigned looks_ = 0;  ///< since the last news, of those that might have found some
};

}  // namespace rondo::internal

#endif
