/// @file
/// The median of measurements, and how far they spread.
#ifndef RONDO_EXAMPLES_STENCIL_QUARTILES_HPP
#define RONDO_EXAMPLES_STENCIL_QUARTILES_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stencil {

struct Quartiles {
  double lower;
  double median;
  double upper;
};

/// Of at least one value.
[[nodiscard]] inline Quartiles quartiles(std::vector<double> values) {
  std::ranges::sort(values);
  const auto quartile = [&](std::size_t k) { return values[(values.size() - 1) * k / 4]; };
  return {quartile(1), quartile(2), quartile(3)};
}

}  // namespace stencil

#endif
