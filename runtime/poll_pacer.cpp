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
    expected_ = came_within - came_within / 32;  // they may well have been there before
  } else {
    expected_ = (expected_ + came_within) / 2;
  }
  expected_ = std::clamp(expected_, kShortest, kLongest);
  started();
  return first();
}

PollPacer::Duration PollPacer::after_nothing(Duration waited) noexcept {
  since_news_ += waited;
  ++looks_;
  pause_ = looks_ == 1 ? expected_ / 8 : pause_ + pause_ / 2;
  pause_ = std::clamp(pause_, kShortest, kLongest);
  return pause_;
}

}  // namespace rondo
