/// @file
/// PollPacer: decides when the background poller polls next.
#ifndef RONDO_RUNTIME_ENGINE_POLL_PACER_HPP
#define RONDO_RUNTIME_ENGINE_POLL_PACER_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rondo::internal {

/// The kind of messages that were still in flight after a poll that found nothing new.
enum class StillInFlight : std::uint8_t {
  short_messages,  ///< only short messages: each has come whole, or not yet
  long_messages    ///< MPI moves a part of them in each poll, though none completes
};

/// Chooses the pauses between polls. Each poll costs the application's core some microseconds, and each moment without
/// one delays the next round of a schedule. So the pacer learns how long news take to come after the last news, polls
/// first when they should be there, a few times soon afterwards, and then more and more rarely. While long messages
/// travel, its steps stay short compared with the time that the last messages took.
class PollPacer {
 public:
  using Duration = std::chrono::nanoseconds;
  /// A poll sooner than this would cost more than it gains.
  static constexpr Duration kShortest = std::chrono::microseconds(20);
  static constexpr Duration kLongest = std::chrono::microseconds(500);
  /// Limits of the step while long messages travel. A poll takes two or three microseconds.
  static constexpr Duration kShortestStep = std::chrono::microseconds(100);
  static constexpr Duration kLongestStep = std::chrono::microseconds(250);
  /// Minimum time for which long messages without news are assumed to be traveling.
  static constexpr Duration kPatience = std::chrono::milliseconds(50);

  /// Notes that an operation was started: news are expected from now on.
  void started() noexcept;
  /// Note a poll that came `waited` after the last one and found news, or found none. Return how long to wait until the
  /// next poll.
  [[nodiscard]] Duration after_news(Duration waited) noexcept;
  [[nodiscard]] Duration after_nothing(Duration waited, StillInFlight in_flight) noexcept;
  /// Returns how long to wait for the first poll. If the kind of the messages is not known, that poll finds it out.
  [[nodiscard]] Duration first() const noexcept { return std::min(expected(), kShortestStep); }
  [[nodiscard]] Duration first(StillInFlight in_flight) const noexcept {
    return in_flight == StillInFlight::long_messages ? first() : expected();
  }

 private:
  [[nodiscard]] Duration expected() const noexcept { return std::clamp(gap_, kShortest, kLongest); }

  Duration gap_ = std::chrono::microseconds(50);  ///< expected time from news to news
  Duration since_news_{};
  Duration pause_{};
  unsigned looks_ = 0;  ///< number of polls since the last news that were late enough to find some
};

}  // namespace rondo::internal

#endif
