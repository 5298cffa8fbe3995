/// @file
/// DimensionOrderSearch: finds the order of dimensions in which an allgather's tree is smallest.
#ifndef RONDO_COLLECTIVES_PATHS_DIMENSION_ORDER_HPP
#define RONDO_COLLECTIVES_PATHS_DIMENSION_ORDER_HPP

#include "collectives/topology/displacement_keys.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Finds the order of dimensions with the fewest edges, for which ICPP 2019, section 3.4, asks; the paper shrinks from
/// trying all d! orders. The edges that a dimension adds depend only on the set of dimensions before it, not on their
/// order: the distinct projections of the offsets onto that set and the dimension itself in which its own residue is
/// not zero. So the best order is a shortest path through the 2^d sets. A fact; see NeighborhoodFacts.
class DimensionOrderSearch {
 public:
  /// Counts the distinct residues along each dimension. O(u*d) for u distinct neighbors.
  explicit DimensionOrderSearch(const NeighborhoodFacts& facts);

  /// Maximum number of dimensions along which something moves that best() accepts.
  static constexpr std::size_t kMostDimensions = 16;
  /// Returns about how long best() takes, in nanoseconds, from facts that are the same on all ranks; infinite if it
  /// cannot run.
  [[nodiscard]] double expected_nanoseconds() const;

  /// Returns the paper's order, of increasing C_k, with the dimensions along which nothing moves first.
  [[nodiscard]] std::span<const int> increasing() const { return order_; }

  /// Facts about a schedule that goes dimension by dimension, in any order: phases() returns the number of dimensions
  /// along which something moves, rounds() the paper's C.
  [[nodiscard]] std::size_t phases() const { return order_.size() - still_; }
  [[nodiscard]] std::size_t rounds() const { return rounds_; }

  struct Best {
    std::vector<int> order;  ///< all dimensions; those along which nothing moves come first
    std::uint32_t edges;     ///< edges of the tree, the fewest of any order
  };
  /// Returns the best order; among several, the one that is closest to the order of increasing C_k. O(2^a * n * a) time
  /// for n distinct processes and a dimensions along which something moves. Local, and the same on all ranks.
  [[nodiscard]] Best best() const;

 private:
  std::vector<int> order_;  ///< by increasing C_k
  std::size_t still_ = 0;   ///< number of dimensions in order_ along which nothing moves
  std::size_t rounds_ = 0;
  DisplacementKeys digits_;
  std::vector<std::int64_t> keys_;  ///< the distinct offsets that lead to a process
};

/// The result of DimensionOrderSearch::best(): a separate fact, because finding it takes long.
struct BestDimensionOrder : DimensionOrderSearch::Best {
  explicit BestDimensionOrder(const NeighborhoodFacts& facts) : Best(facts.get<DimensionOrderSearch>().best()) {}
};

}  // namespace rondo::internal

#endif
