#include "collectives/learning/turns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rondo::internal::learning {
namespace {

/// Share by which another candidate must be faster than the best so far, because all times are noisy.
constexpr double kMargin = 0.02;
/// Maximum share by which a candidate may be slower than the best and stay: after the first trial, and after the
/// second.
constexpr double kNotFar = 0.75;
constexpr double kClose = 0.15;
/// Maximum number of candidates in the third trial.
constexpr std::size_t kMostClose = 3;
/// Share by which the second candidate must be faster than the winner in later trials, which are short.
constexpr double kMarginOfLater = 0.1;
/// Maximum factor by which a period grows, because a disturbed trial may wrongly find the second candidate slow.
constexpr std::int64_t kLongest = 10;

}  // namespace

Turns::Turns(std::size_t candidates, int starts, int period)
    : contenders_(candidates), turns_(std::max(kTurnsOfFirst + 1, (starts + kTurn - 1) / kTurn)), period_(period) {
  std::iota(contenders_.begin(), contenders_.end(), std::size_t{0});
  for (auto& of_one : look_turns_) of_one.reserve(static_cast<std::size_t>(turns_of_third()));
}

int Turns::rounds() const noexcept {
  switch (look_) {
    case Look::first:
      return kTurnsOfFirst;
    case Look::second:
      return turns_ - kTurnsOfFirst;
    case Look::later:
      return kTurnsOfLater;
    case Look::third:
      break;
  }
  return turns_of_third();
}

std::int64_t Turns::length() const noexcept {
  return static_cast<std::int64_t>(contenders_.size()) * rounds() * turn();
}

Turns::Due Turns::due() const noexcept {
  if (contenders_.size() == 1) return Due::nothing;
  const std::int64_t after_look = next_ - first_ - length();
  if (after_look == 0) return Due::sum;
  return after_look == lag() ? Due::decision : Due::nothing;
}

std::int64_t Turns::idle() const noexcept {
  if (contenders_.size() == 1) return 0;
  if (next_ < first_) return first_ - next_;
  const std::int64_t after_look = next_ - first_ - length();
  return after_look > 0 ? lag() - after_look : 0;
}

Times Turns::times() {
  const auto mean = [](const Turn& turn) { return turn.took / turn.starts; };
  Times medians{};
  bool knows_all = true;
  for (const std::size_t candidate : contenders_) {
    std::vector<Turn>& all = look_turns_[candidate];
    std::erase_if(all, [](const Turn& turn) { return turn.starts == 0; });
    knows_all = knows_all && !all.empty();
    if (all.empty()) continue;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
    std::ranges::nth_element(all, middle, {}, mean);
    medians[candidate] = mean(*middle);
    all.clear();
  }
  return knows_all ? medians : Times{};
}

void Turns::decide(const Times& sums) {
  if (over()) {
    decide_later(sums);
    return;
  }
  const std::size_t best = contenders_.front();
  // Ties are broken alike on all ranks.
  const auto order = [&](std::size_t candidate) {
    const auto time = static_cast<double>(sums[candidate]);
    return candidate == best ? std::pair((1 - kMargin) * time, std::size_t{0}) : std::pair(time, candidate + 1);
  };
  std::ranges::sort(contenders_, {}, order);
  const std::size_t second = contenders_[1];
  const double share = look_ == Look::first ? kNotFar : kClose;
  const double limit = (1 + share) * static_cast<double>(sums[contenders_.front()]);
  const auto is_beyond = [&](std::size_t candidate) { return static_cast<double>(sums[candidate]) > limit; };
  std::erase_if(contenders_, is_beyond);
  if (look_ == Look::third) {
    contenders_.resize(1);
  } else if (look_ == Look::second) {
    contenders_.resize(std::min(contenders_.size(), kMostClose));
    look_ = Look::third;
    // The trial begins at a start whose number is a power of two, so that its price is small beside the starts before
    // it.
    first_ = kThirdLook;
    while (first_ < next_) first_ *= 2;
  } else {
    look_ = Look::second;
    first_ = next_;
  }
  if (contenders_.size() > 1) return;
  look_ = Look::later;
  if (period_ == 0) return;
  contenders_.push_back(second);
  first_ = next_ + starts_to_next(sums);
}

std::int64_t Turns::starts_to_next(const Times& sums) const noexcept {
  const std::int64_t winner = std::max(std::int64_t{1}, sums[contenders_[0]]);
  const std::int64_t second = sums[contenders_[1]];
  return period_ * std::clamp(second / winner, std::int64_t{1}, kLongest);
}

void Turns::decide_later(const Times& sums) noexcept {
  ++later_looks_;
  const auto time = [&](std::size_t place) { return static_cast<double>(sums[contenders_[place]]); };
  const bool faster = time(1) < (1 - kMarginOfLater) * time(0);
  if (faster && second_was_faster_) {
    std::swap(contenders_[0], contenders_[1]);
    second_was_faster_ = false;
    ++changes_;
  } else {
    second_was_faster_ = faster;
  }
  first_ += starts_to_next(sums);
}

bool Turns::next_is_in_look() const noexcept {
  return contenders_.size() > 1 && next_ >= first_ && next_ < first_ + length();
}

std::size_t Turns::next() const noexcept {
  if (!next_is_in_look()) return contenders_.front();
  return contenders_[static_cast<std::size_t>((next_ - first_) / turn()) % contenders_.size()];
}

std::size_t Turns::start() noexcept {
  const std::size_t candidate = next();
  place_ = {};
  if (next_is_in_look()) {
    const std::int64_t in_turn = (next_ - first_) % turn();
    std::vector<Turn>& turns = look_turns_[candidate];
    if (in_turn == kNotCounted) turns.push_back({0, 0});
    if (in_turn >= kNotCounted) place_ = {first_, candidate, turns.size() - 1};
  }
  ++next_;
  return candidate;
}

void Turns::took(const Place& place, std::int64_t nanoseconds) noexcept {
  if (place.look != first_ || place.turn >= look_turns_[place.candidate].size()) return;
  Turn& turn = look_turns_[place.candidate][place.turn];
  turn.took += nanoseconds;
  ++turn.starts;
}

}  // namespace rondo::internal::learning
