/// @file
/// Projections: the vectors of a neighborhood along some dimensions only, and path expansions that follow from them.
#ifndef RONDO_COLLECTIVES_PATHS_PROJECTIONS_HPP
#define RONDO_COLLECTIVES_PATHS_PROJECTIONS_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A set of dimensions, as bits.
using DimensionSet = std::uint64_t;

/// The distinct vectors projected onto a set of dimensions.
struct Projection {
  DimensionSet dimensions;
  std::vector<std::uint32_t> number_of;  ///< number of each vector; 0 is the zero projection
  std::vector<std::uint32_t> first_of;   ///< a vector of each number
};

/// Returns the projection onto the dimensions of `one` and `other` together.
[[nodiscard]] Projection joined(const Projection& one, const Projection& other);

/// The projections of a neighborhood's vectors onto each dimension by itself: a fact; see NeighborhoodFacts. All
/// functions are local, and give the same on all ranks.
class Projections {
 public:
  /// Keeps references to the grid and the folded neighborhood. O(u*d) for u distinct vectors.
  explicit Projections(const NeighborhoodFacts& facts);

  /// Returns one projection for each dimension.
  [[nodiscard]] std::span<const Projection> along() const noexcept { return along_; }
  /// Calls visit(projection) with the projection onto some dimensions, which are ascending.
  template <typename Visit>
  void with_projection(std::span<const int> dimensions, Visit visit) const {
    const Projection& first = along_[static_cast<std::size_t>(dimensions.front())];
    if (dimensions.size() == 1) return visit(first);
    Projection projection = joined(first, along_[static_cast<std::size_t>(dimensions[1])]);
    for (const int k : dimensions.subspan(2)) projection = joined(projection, along_[static_cast<std::size_t>(k)]);
    visit(std::as_const(projection));
  }
  /// Returns the linear embeddings of the projections, by number.
  [[nodiscard]] std::vector<LinearEmbedding> embeddings_of(const Projection& projection) const;

  /// Returns one part for each dimension, crossed at once: the paper's expansion.
  [[nodiscard]] std::vector<PathPart> dimension_wise() const;
  /// Returns one part for each dimension, in powers of two.
  [[nodiscard]] std::vector<PathPart> logarithmic() const;
  /// Returns the same expansion as expand_in_parts(), but uses the known projections. O((t + u) * stages).
  [[nodiscard]] PathExpansion expand(std::span<const PathPart> parts) const;

 private:
  const Grid& grid_;
  const FoldedNeighborhood& neighborhood_;
  std::vector<Projection> along_;
};

/// Returns the part that crosses a projection's dimensions in digits, but without the list of its dimensions.
[[nodiscard]] PathPart part_in_digits(const Projection& projection, const LinearEmbedding& embedding, int radix);

}  // namespace rondo::internal

#endif
