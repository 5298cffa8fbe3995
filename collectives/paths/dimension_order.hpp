/// @file
/// The order of dimensions in which an allgather's tree is smallest.
#ifndef RONDO_COLLECTIVES_PATHS_DIMENSION_ORDER_HPP
#define RONDO_COLLECTIVES_PATHS_DIMENSION_ORDER_HPP

#include "collectives/topology/displacement_keys.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// ICPP 2019, section 3.4, asks for the order with the fewest edges and shrinks from trying all d! orders. The edges
/// that a dimension adds depend only on the set of dimensions before it, not on their order: the distinct projections
/// of the offsets onto that set and itself in which its own residue is not zero. So the best order is a shortest path
/// through the 2^d sets. A fact.
class DimensionOrderSearch {
 public:
  /// O(u*d) for u distinct neighbors.
  explicit DimensionOrderSearch(const NeighborhoodFacts& facts);

  /// Most dimensions along which something moves that best() takes.
  static constexpr std::size_t kMostDimensions = 16;
  /// About how long best() takes, in nanoseconds, from what is the same on all ranks; infinite where it cannot.
  [[nodiscard]] double expected_nanoseconds() const;

  /// The paper's order, of increasing C_k, with the dimensions along which nothing moves first.
  [[nodiscard]] std::span<const int> increasing() const { return order_; }

  /// Of a schedule that goes dimension by dimension, in whatever order: the dimensions along which something moves, and
  /// the paper's C.
  [[nodiscard]] std::size_t phases() const { return order_.size() - still_; }
  [[nodiscard]] std::size_t rounds() const { return rounds_; }

  struct Best {
    std::vector<int> order;  ///< of all dimensions; those along which nothing moves come first
    std::uint32_t edges;     ///< of the tree: the least that any order has
  };
  /// O(2^a * n * a) time for n distinct processes and a dimensions along which something moves. Of several best orders
  /// the one that is closest to that of increasing C_k. Local, and the same on all ranks.
  [[nodiscard]] Best best() const;

 private:
  std::vector<int> order_;  ///< by increasing C_k
  std::size_t still_ = 0;   ///< of these, dimensions along which nothing moves
  std::size_t rounds_ = 0;
  DisplacementKeys digits_;
  std::vector<std::int64_t> keys_;  ///< of the distinct offsets that lead anywhere
};

/// What best() finds: a fact by itself, as it takes long.
struct BestDimensionOrder : DimensionOrderSearch::Best {
  explicit BestDimensionOrder(const NeighborhoodFacts& facts) : Best(facts.get<DimensionOrderSearch>().best()) {}
};

}  // namespace rondo::internal

#endif
