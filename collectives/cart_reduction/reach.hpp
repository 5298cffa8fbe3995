/// @file
/// Reach: the values of a reduction that exist and are needed on each process of a mesh.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_REACH_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_REACH_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/grid.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// The values of a reduction that each process has and needs. On a mesh, some contributions do not exist, because they
/// would come from beyond the edge, and neither do some results. A process has a value if one of its contributions
/// exists, and needs it if one of the results that it is part of exists. Any process can derive that from another's
/// coordinates. On a torus a Reach is empty, as all exist. O(t * stages * d) memory. A value; all functions are local.
class Reach {
 public:
  Reach(const Tree& tree, const Grid& grid);

  /// Returns whether the process at `coordinates` has a value of a boundary. The d coordinates must be on the grid.
  /// O(contributions * d).
  [[nodiscard]] bool exists(std::size_t boundary, ValueId value, std::span<const int> coordinates) const {
    return open_.empty() || reaches(sources_[boundary], value, coordinates, -1);
  }
  /// Returns whether the process at `coordinates` needs a value, for a result on the grid. O(results * d).
  [[nodiscard]] bool is_needed(std::size_t boundary, ValueId value, std::span<const int> coordinates) const {
    return open_.empty() || reaches(results_[boundary], value, coordinates, 1);
  }

 private:
  /// Displacements for each value of a boundary, with only the coordinates along dimensions with edges.
  struct Displacements {
    std::vector<std::size_t> first;
    std::vector<int> steps;
  };
  class Collector;
  [[nodiscard]] bool reaches(const Displacements& all, ValueId value, std::span<const int> coordinates, int sign) const;

  std::vector<std::size_t> open_;  ///< the dimensions with edges
  std::vector<int> sizes_;         ///< sizes of the dimensions with edges
  std::vector<Displacements> sources_;
  std::vector<Displacements> results_;
};

}  // namespace rondo::internal::reduction

#endif
