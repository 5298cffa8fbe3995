#include "runtime/functions/function_time.hpp"

namespace rondo::internal {

/// How long a tick is: exactly enough when a millisecond has gone by.
void FunctionTime::measure() noexcept {
  constexpr std::int64_t kEnough = 1'000'000;
  const TraceClock::Reading now = clock_.read();
  const std::int64_t nanoseconds = now.nanoseconds - made_.nanoseconds;
  if (nanoseconds < kEnough) return;
  const double ticks = static_cast<double>(now.ticks - made_.ticks) / static_cast<double>(nanoseconds);
  longest_ = static_cast<std::uint64_t>(ticks * static_cast<double>(kLongest));
  measured_ = true;
}

}  // namespace rondo::internal
