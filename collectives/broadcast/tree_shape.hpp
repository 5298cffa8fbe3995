/// @file
/// TreeShape: who sends to whom in a tree of radix k.
#ifndef RONDO_COLLECTIVES_BROADCAST_TREE_SHAPE_HPP
#define RONDO_COLLECTIVES_BROADCAST_TREE_SHAPE_HPP

#include <cstdint>

namespace rondo::internal::broadcast {

/// Numbers from 0 on, each in radix k of at least 2. In the level of a digit, the highest first, the number with a zero
/// there and in all below sends to those that have another value there.
struct TreeShape {
  int size;
  int radix;

  /// The power of the radix that stands for the first level; the next one's is a radix-th of it, and 0 comes last.
  [[nodiscard]] std::int64_t first_power() const noexcept {
    std::int64_t power = 1;
    while (power < size) power *= radix;
    return power / radix;
  }
  /// To how many others a number sends in a level: child c is the number + c times the power.
  [[nodiscard]] int children(std::int64_t power, int number) const noexcept {
    int found = 0;
    while (found + 1 < radix && number + (found + 1) * power < size) ++found;
    return found;
  }
};

}  // namespace rondo::internal::broadcast

#endif
