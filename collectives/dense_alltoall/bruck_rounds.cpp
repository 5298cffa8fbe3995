#include "collectives/dense_alltoall/bruck_rounds.hpp"

namespace rondo::internal::dense {
namespace {

/// Returns the smallest radix in which p - 1 has at most that many digits.
int smallest_radix(int p, int digits) {
  const auto reaches = [&](std::int64_t radix) {
    std::int64_t power = 1;
    for (int d = 0; d < digits && power < p; ++d) power *= radix;
    return power >= p;
  };
  int low = 2;
  int high = std::max(2, p);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (reaches(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

BruckRounds::BruckRounds(int p, int radix) {
  int digit = 0;
  for (std::int64_t width = 1; width < p; width *= radix, ++digit) {
    const std::int64_t cycle = width * radix;
    for (int value = 1; value < radix && value * width < p; ++value) {
      const std::int64_t steps = value * width;
      const std::int64_t last_run = std::clamp<std::int64_t>(p % cycle - steps, 0, width);
      rounds_.push_back({digit, value, steps, width, cycle, static_cast<int>(p / cycle * width + last_run),
                         static_cast<int>(std::min(p - steps, width))});
    }
  }
}

std::int64_t BruckRounds::volume() const noexcept {
  std::int64_t blocks = 0;
  for (const BruckRound& round : rounds_) blocks += round.blocks;
  return blocks;
}

std::vector<int> bruck_radices(int p) {
  std::vector<int> radices;
  for (int digits = BruckRounds(p, 2).digits(); digits >= 2; --digits) {
    const int radix = smallest_radix(p, digits);
    if (radices.empty() || radices.back() != radix) radices.push_back(radix);
  }
  return radices;
}

}  // namespace rondo::internal::dense
