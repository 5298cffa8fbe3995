/// @file
/// Layouts drawn by chance, nested as those of datatypes are.
#ifndef RONDO_TESTS_RANDOM_LAYOUT_HPP
#define RONDO_TESTS_RANDOM_LAYOUT_HPP

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace rondo::internal {

class RandomLayouts {
 public:
  explicit RandomLayouts(std::uint64_t seed) : random_(seed) {}

  /// A number from `low` to `high`.
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  /// Up to some thousands of bytes; pieces may overlap, strides may be negative.
  Layout make(int depth) {
    Layout layout;
    const std::int64_t parts = draw(1, 3);
    std::int64_t place = draw(-100, 100);
    for (std::int64_t i = 0; i < parts; ++i) {
      if (depth == 0) {
        const std::int64_t length = draw(0, 3) == 0 ? draw(1, 40) : std::int64_t{1} << draw(0, 4);
        const std::int64_t growth = draw(0, 2) == 0 ? draw(-3, 5) : 0;
        layout.append({place, length, draw(0, 9), draw(0, 5) == 0 ? -draw(0, 50) : length + draw(0, 50), growth});
      } else {
        layout.append_elements(std::make_shared<const Layout>(make(depth - 1)), draw(0, 4), place);
      }
      place = layout.true_end() + draw(0, 20);
    }
    layout.set_extent(draw(0, 2) == 0 ? draw(-300, 300) : layout.true_end() - layout.true_begin() + draw(0, 9));
    return layout;
  }

 private:
  std::mt19937_64 random_;
};

/// The place of each byte of a layout, in its order.
[[nodiscard]] inline std::vector<std::int64_t> bytes_of(const Layout& layout, std::int64_t displacement = 0) {
  std::vector<std::int64_t> bytes;
  layout.for_each_piece(
      [&](std::int64_t offset, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) bytes.push_back(offset + i);
      },
      displacement);
  return bytes;
}

}  // namespace rondo::internal

#endif
