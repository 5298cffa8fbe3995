/// @file
/// FunctionTime: limits how long functions may run until progress must be made on messages again.
#ifndef RONDO_RUNTIME_FUNCTIONS_FUNCTION_TIME_HPP
#define RONDO_RUNTIME_FUNCTIONS_FUNCTION_TIME_HPP

#include "runtime/trace/trace_clock.hpp"

#include <cstdint>

namespace rondo::internal {

/// A measurement of the time that functions take. Reading the clock costs as much as a short function. So the clock is
/// read after each function while functions are long, and after every kMostUnread-th while they are short. If long
/// functions follow short ones, up to kMostUnread of them run before that is known.
class FunctionTime {
 public:
  static constexpr std::int64_t kLongest = 5000;  ///< limit in nanoseconds; a pass over messages takes a tenth of that
  static constexpr unsigned kMostUnread = 8;

  /// Begins a new time span, after progress was made on messages.
  void begin() noexcept {
    began_ = clock_.ticks();
    read_ = began_;
  }
  /// Returns whether kLongest is over since begin(), as far as the clock was read. Call this after each function.
  [[nodiscard]] bool is_over() noexcept {
    if (--unread_ > 0) return false;
    const std::uint64_t now = clock_.ticks();
    unread_ = (now - read_) * kMostUnread > longest_ ? 1 : kMostUnread;
    read_ = now;
    return now - began_ > longest_;
  }

 private:
  TraceClock clock_;
  std::uint64_t began_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t longest_ = static_cast<std::uint64_t>(kLongest / nanoseconds_of_tick());  ///< ticks
  unsigned unread_ = 1;  ///< functions that run until the clock is read
};

}  // namespace rondo::internal

#endif
