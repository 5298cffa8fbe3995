#include "runtime/poll_pacer.hpp"

#include <algorithm>

namespace rondo {

void PollPacer::started() noexcept {
  since_news_ = {};
  looks_ = 0;
}

PollPacer::Duration PollPacer::after_news(Duration waited) noexcept {
  const Duration came_within = since_news_ + waited;
  if (looks_ == 0) {
    gap_ = came_within - came_within / 32;  // they may well have been there before
  } else {
    gap_ = (gap_ + came_within) / 2;
  }
  started();
  return first();
}

PollPacer::Duration PollPacer::after_nothing(Duration waited, StillInFlight in_flight) noexcept {
  since_news_ += waited;
  if (in_flight == StillInFlight::long_messages) {
    ++looks_;
    return std::clamp(gap_ / 16, kShortestStep, kLongestStep);
  }
  if (since_news_ < expected()) return std::max(expected() - since_news_, kShortest);
  ++looks_;
  pause_ = looks_ == 1 ? expected() / 8 : pause_ + pause_ / 2;
  pause_ = std::clamp(pause_, kShortest, kLongest);
  return pause_;
}

}  // namespace rondo
