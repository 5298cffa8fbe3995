#include "runtime/engine/poll_pacer.hpp"

#include <algorithm>

namespace rondo::internal {

void PollPacer::started() noexcept {
  since_news_ = {};
  looks_ = 0;
}

PollPacer::Duration PollPacer::after_news(Duration waited) noexcept {
  const Duration came_within = since_news_ + waited;
  if (looks_ == 0) {
    gap_ = came_within - came_within / 32;  // the news may well have been there earlier
  } else {
    gap_ = (gap_ + came_within) / 2;
  }
  started();
  return first();
}

PollPacer::Duration PollPacer::after_nothing(Duration waited, StillInFlight in_flight) noexcept {
  since_news_ += waited;
  const bool too_early = since_news_ < expected();
  if (!too_early) {
    ++looks_;
    pause_ = looks_ == 1 ? expected() / 8 : pause_ + pause_ / 2;
    pause_ = std::clamp(pause_, kShortest, kLongest);
  }
  const Duration pause = too_early ? std::max(expected() - since_news_, kShortest) : pause_;
  // A message whose partner has not come for so long need not be polled all the time.
  const bool moves = in_flight == StillInFlight::long_messages && since_news_ < 8 * gap_ + kPatience;
  return moves ? std::min(pause, std::clamp(gap_ / 16, kShortestStep, kLongestStep)) : pause;
}

}  // namespace rondo::internal
