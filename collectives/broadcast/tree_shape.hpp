/// @file
/// TreeShape: a tree of radix k, which says who sends to whom.
#ifndef RONDO_COLLECTIVES_BROADCAST_TREE_SHAPE_HPP
#define RONDO_COLLECTIVES_BROADCAST_TREE_SHAPE_HPP

#include <cstdint>

namespace rondo::internal::broadcast {

/// A tree of the numbers from 0 to size - 1, written in a radix of at least 2. Each digit is a level, the highest
/// first: the number with a zero in that digit and in all below sends to the numbers that have another value there.
struct TreeShape {
  int size;
  int radix;

  /// Returns the power of the radix that stands for the first level. The power of each next level is a radix-th of the
  /// one before; after the last level it is 0.
  [[nodiscard]] std::int64_t first_power() const noexcept {
    std::int64_t power = 1;
    while (power < size) power *= radix;
    return power / radix;
  }
  /// Returns how many children `number` has in the level of `power`, if it sends there. Child c is number + c * power.
  [[nodiscard]] int children(std::int64_t power, int number) const noexcept {
    int found = 0;
    while (found + 1 < radix && number + (found + 1) * power < size) ++found;
    return found;
  }
};

}  // namespace rondo::internal::broadcast

#endif
