/// @file
/// Projections: the vectors of a neighborhood along some dimensions only, and the ways that follow from them.
#ifndef RONDO_COLLECTIVES_PATHS_PROJECTIONS_HPP
#define RONDO_COLLECTIVES_PATHS_PROJECTIONS_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal {

using DimensionSet = std::uint64_t;

/// The distinct vectors projected onto a set of dimensions.
struct Projection {
  DimensionSet dimensions;
  std::vector<std::uint32_t> number_of;  ///< of each vector; 0 is the projection that is zero
  std::vector<std::uint32_t> first_of;   ///< a vector of each number
};

/// Onto the dimensions of both.
[[nodiscard]] Projection joined(const Projection& one, const Projection& other);

/// Onto each dimension by itself: a fact. All functions are local, and give the same on all ranks.
class Projections {
 public:
  /// Keeps references. O(u*d) for u distinct vectors.
  explicit Projections(const NeighborhoodFacts& facts);

  /// One for each dimension.
  [[nodiscard]] std::span<const Projection> along() const noexcept { return along_; }
  /// Calls visit(projection) with that onto some dimensions, ascending.
  template <typename Visit>
  void with_projection(std::span<const int> dimensions, Visit visit) const {
    const Projection& first = along_[static_cast<std::size_t>(dimensions.front())];
    if (dimensions.size() == 1) return visit(first);
    Projection projection = joined(first, along_[static_cast<std::size_t>(dimensions[1])]);
    for (const int k : dimensions.subspan(2)) projection = joined(projection, along_[static_cast<std::size_t>(k)]);
    visit(std::as_const(projection));
  }
  /// Of the projections, by number.
  [[nodiscard]] std::vector<LinearEmbedding> embeddings_of(const Projection& projection) const;

  /// One part for each dimension, at once: the paper's expansion.
  [[nodiscard]] std::vector<PathPart> dimension_wise() const;
  /// One part for each dimension, in powers of two.
  [[nodiscard]] std::vector<PathPart> logarithmic() const;
  /// The same as expand_in_parts(), from what is known already. O((t + u) * stages).
  [[nodiscard]] PathExpansion expand(std::span<const PathPart> parts) const;

 private:
  const Grid& grid_;
  const FoldedNeighborhood& neighborhood_;
  std::vector<Projection> along_;
};

/// The part of a projection's dimensions in digits, but for the list of these.
[[nodiscard]] PathPart part_in_digits(const Projection& projection, const LinearEmbedding& embedding, int radix);

}  // namespace rondo::internal

#endif
