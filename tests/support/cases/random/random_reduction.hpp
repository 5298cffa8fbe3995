/// @file
/// Small random grids and neighborhoods for reductions.
#ifndef RONDO_TESTS_RANDOM_REDUCTION_HPP
#define RONDO_TESTS_RANDOM_REDUCTION_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace rondo::internal {

/// A torus or mesh of up to three dimensions, and up to ten offsets, some of which lead beyond it or occur again.
class RandomReduction {
 public:
  explicit RandomReduction(std::uint64_t seed) : random(seed), grid(draw_grid()), neighborhood(grid.dimensions()) {
    for (int i = draw(0, 10); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < grid.dimensions(); ++k) offset.push_back(draw(-4, 4));
      for (int copies = draw(0, 9) == 0 ? 3 : 1; copies > 0; --copies) neighborhood.add(offset);
    }
  }
  [[nodiscard]] int draw(int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  Grid draw_grid() {
    std::vector<int> sizes;
    std::vector<int> periods;
    for (int k = draw(1, 3); k > 0; --k) {
      sizes.push_back(draw(1, 5));
      periods.push_back(draw(0, 1));
    }
    return {sizes, periods, 0};
  }

 public:
  std::mt19937_64 random;
  Grid grid;
  Neighborhood neighborhood;
};

}  // namespace rondo::internal

#endif
