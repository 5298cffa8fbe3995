/// @file
/// FoldedNeighborhood: a neighborhood's offsets as residues on a grid.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_FOLDED_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_FOLDED_NEIGHBORHOOD_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The distinct vectors of residues of a neighborhood, in lexicographic order: one for each process that is a neighbor.
/// On a small torus many offsets may lead to one process. O(t*d). A value.
class FoldedNeighborhood {
 public:
  FoldedNeighborhood(const Grid& grid, const Neighborhood& neighborhood);

  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  /// Returns the number of distinct vectors.
  [[nodiscard]] std::size_t size() const noexcept { return vectors_.size() / static_cast<std::size_t>(dimensions_); }
  /// Returns the residues of vector `v`, in [0, size).
  [[nodiscard]] std::span<const int> operator[](std::size_t v) const {
    const auto d = static_cast<std::size_t>(dimensions_);
    return std::span(vectors_).subspan(v * d, d);
  }
  /// Returns all vectors, one after the other.
  [[nodiscard]] std::span<const int> vectors() const noexcept { return vectors_; }
  /// Returns the vector of each of the t neighbors.
  [[nodiscard]] std::span<const std::uint32_t> vector_of() const noexcept { return vector_of_; }
  /// Returns a neighborhood of the vectors, each once.
  [[nodiscard]] FoldedNeighborhood distinct() const;

 private:
  int dimensions_;
  std::vector<int> vectors_;
  std::vector<std::uint32_t> vector_of_;
};

}  // namespace rondo::internal

#endif
