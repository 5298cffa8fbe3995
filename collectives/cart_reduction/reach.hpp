/// @file
/// Reach: which values of a reduction exist, and are needed, where on a mesh.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_REACH_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_REACH_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/grid.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// On a mesh, some contributions do not exist, as they would come from beyond the edge, and some results. A process
/// has a value if one of its contributions exists, and needs it if one of the results does that it is part of. Any
/// process can tell that of any other from its coordinates. On a torus, where everything exists, this is empty.
/// O(t * stages * d) memory. A value; all functions are local.
class Reach {
 public:
  Reach(const Tree& tree, const Grid& grid);

  /// Whether the process at d coordinates, which must be on the grid, has the value at a boundary. O(contributions *
  /// d).
  [[nodiscard]] bool exists(std::size_t boundary, ValueId value, std::span<const int> coordinates) const {
    return open_.empty() || reaches(sources_[boundary], value, coordinates, -1);
  }
  /// Whether a result on the grid is made of it. O(results * d).
  [[nodiscard]] bool is_needed(std::size_t boundary, ValueId value, std::span<const int> coordinates) const {
    return open_.empty() || reaches(results_[boundary], value, coordinates, 1);
  }

 private:
  /// Displacements for each value of a boundary: of each, only the coordinates along dimensions with edges.
  struct Displacements {
    std::vector<std::size_t> first;
    std::vector<int> steps;
  };
  class Collector;
  [[nodiscard]] bool reaches(const Displacements& all, ValueId value, std::span<const int> coordinates, int sign) const;

  std::vector<std::size_t> open_;  ///< the dimensions with edges
  std::vector<int> sizes_;         ///< of those
  std::vector<Displacements> sources_;
  std::vector<Displacements> results_;
};

}  // namespace rondo::internal::reduction

#endif
