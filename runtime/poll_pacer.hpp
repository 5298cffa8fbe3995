/// @file
/// PollPacer: when the background poller looks next.
#ifndef RONDO_RUNTIME_POLL_PACER_HPP
#define RONDO_RUNTIME_POLL_PACER_HPP

#include <chrono>

namespace rondo {

/// Each look costs the application's core some microseconds, and each moment without one delays the next round of a
/// schedule. So the pacer learns how long news take to come after the last ones, looks first when they should be
/// there, a few times soon afterwards, and ever more rarely then.
class PollPacer {
 public:
  using Duration = std::chrono::nanoseconds;
  /// A look sooner than this would cost more than it brings.
  static constexpr Duration kShortest = std::chrono::microseconds(20);
  /// Long transfers need looks though nothing completes: MPI moves their parts then.
  static constexpr Duration kLongest = std::chrono::microseconds(500);

  /// Something was started: news are expected from now on.
  void started() noexcept;
  /// A look `waited` after the last one found news, or none. Returns how long to wait until the next.
  [[nodiscard]] Duration after_news(Duration waited) noexcept;
  [[nodiscard]] Duration after_nothing(Duration waited) noexcept;
  /// How long to wait for the first look.
  [[nodiscard]] Duration first() const noexcept { return expected_; }

 private:
  Duration expected_ = std::chrono::microseconds(50);  ///< from news to news
  Duration since_news_{};
  Duration pause_{};
  unsigned looks_ = 0;  ///< since the last news
};

}  // namespace rondo

#endif
