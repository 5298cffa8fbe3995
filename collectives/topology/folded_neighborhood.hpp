/// @file
/// FoldedNeighborhood: a neighborhood's offsets as what they come down to on a grid.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_FOLDED_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_FOLDED_NEIGHBORHOOD_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The distinct vectors of residues of a neighborhood, in lexicographic order: one for each process that is a neighbor,
/// which may be many times on a small torus. O(t*d). A value.
class FoldedNeighborhood {
 public:
  FoldedNeighborhood(const Grid& grid, const Neighborhood& neighborhood);

  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  /// Number of distinct vectors.
  [[nodiscard]] std::size_t size() const noexcept { return vectors_.size() / static_cast<std::size_t>(dimensions_); }
  /// Residues of vector `v` in [0, size).
  [[nodiscard]] std::span<const int> operator[](std::size_t v) const {
    const auto d = static_cast<std::size_t>(dimensions_);
    return std::span(vectors_).subspan(v * d, d);
  }
  /// All of them, one after the other.
  [[nodiscard]] std::span<const int> vectors() const noexcept { return vectors_; }
  /// For each of the t neighbors, its vector.
  [[nodiscard]] std::span<const std::uint32_t> vector_of() const noexcept { return vector_of_; }
  /// A neighborhood of the vectors, each once.
  [[nodiscard]] FoldedNeighborhood distinct() const;

 private:
  int dimensions_;
  std::vector<int> vectors_;
  std::vector<std::uint32_t> vector_of_;
};

}  // namespace rondo::internal

#endif
