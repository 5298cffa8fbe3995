#include "collectives/learning/turns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rondo::internal::learning {
namespace {

/// Share by which another candidate must be faster than the best so far, as all times are noisy.
constexpr double kMargin = 0.02;
/// Those slower than the best by no more than this share are looked at again.
constexpr double kClose = 0.15;

}  // namespace

Turns::Turns(std::size_t candidates, int starts) : contenders_(candidates), rounds_((starts + kTurn - 1) / kTurn) {
  std::iota(contenders_.begin(), contenders_.end(), std::size_t{0});
  // The second look has at most half as many candidates, and twice as many rounds.
  for (auto& of_one : samples_) of_one.reserve(static_cast<std::size_t>(2 * rounds_ * (kTurn - 1)));
}

std::int64_t Turns::length() const noexcept {
  return static_cast<std::int64_t>(contenders_.size()) * rounds_ * (second_ ? 2 : 1) * kTurn;
}

Turns::Due Turns::due() const noexcept {
  if (over()) return Due::nothing;
  const std::int64_t after_look = next_ - first_ - length();
  if (after_look == 0) return Due::sum;
  return after_look == kLag ? Due::decision : Due::nothing;
}

Times Turns::times() {
  Times medians{};
  for (const std::size_t candidate : contenders_) {
    std::vector<std::int64_t>& all = samples_[candidate];
    if (all.empty()) continue;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    medians[candidate] = *middle;
    all.clear();
  }
  return medians;
}

void Turns::decide(const Times& sums) {
  const std::size_t best = contenders_.front();
  // Ties are broken alike on all ranks.
  const auto order = [&](std::size_t candidate) {
    const auto time = static_cast<double>(sums[candidate]);
    return candidate == best ? std::pair((1 - kMargin) * time, std::size_t{0}) : std::pair(time, candidate + 1);
  };
  std::ranges::sort(contenders_, {}, order);
  const double close = (1 + kClose) * static_cast<double>(sums[contenders_.front()]);
  std::size_t left = 1;
  if (!second_ && contenders_.size() > 1 && static_cast<double>(sums[contenders_[1]]) <= close) left = 2;
  contenders_.resize(left);
  second_ = true;
  // A power of two, of the number of the start: so far that the price of the look is small beside what came before.
  first_ = kSecondLook;
  while (first_ < next_) first_ *= 2;
}

std::size_t Turns::start() noexcept {
  const std::int64_t in_look = next_ - first_;
  ++next_;
  counts_ = !over() && in_look >= 0 && in_look < length();
  last_ = counts_ ? contenders_[static_cast<std::size_t>(in_look / kTurn) % contenders_.size()] : contenders_.front();
  counts_ = counts_ && in_look % kTurn != 0;
  return last_;
}

void Turns::took(std::int64_t nanoseconds) noexcept {
  if (counts_) samples_[last_].push_back(nanoseconds);
  counts_ = false;
}

}  // namespace rondo::internal::learning
