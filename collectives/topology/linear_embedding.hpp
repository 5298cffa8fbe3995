/// @file
/// LinearEmbedding: offsets that are all multiples of one vector (EuroMPI 2015, section 5.3).
#ifndef RONDO_COLLECTIVES_TOPOLOGY_LINEAR_EMBEDDING_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_LINEAR_EMBEDDING_HPP

#include "collectives/topology/folded_neighborhood.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Vectors as multiples m of one vector v: on a torus, m * v and the vector lead to the same process.
struct LinearEmbedding {
  std::vector<int> vector;              ///< v: d coordinates
  std::vector<std::int64_t> multiples;  ///< m of each vector, of either sign; their greatest common divisor is 1

  friend bool operator==(const LinearEmbedding&, const LinearEmbedding&) = default;
};

/// Returns the ways to write some vectors of a neighborhood (`which`), projected onto some dimensions, as multiples of
/// one vector, best first; empty if there is no way, and if all projections are zero. Residues along a periodic
/// dimension stand for the nearest offset, or for themselves. O(d) for each vector.
[[nodiscard]] std::vector<LinearEmbedding> linear_embeddings(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                                             std::span<const int> dimensions,
                                                             std::span<const std::uint32_t> which);

/// Returns the embeddings of all vectors of a neighborhood, including some in which m * v wraps around the torus, which
/// are found by walking around it along one of its vectors. O(t*d), so that not every embedding is found.
[[nodiscard]] std::vector<LinearEmbedding> linear_embeddings(const Grid& grid, const FoldedNeighborhood& neighborhood);

/// The embeddings of a neighborhood, best first: a fact; see NeighborhoodFacts.
struct LinearEmbeddings {
  explicit LinearEmbeddings(const NeighborhoodFacts& facts) : found(linear_embeddings(facts.grid(), facts.folded())) {}
  std::vector<LinearEmbedding> found;
};

}  // namespace rondo::internal

#endif
