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
  std::vector<int> vector;  ///< v: d coordinates
  std::vector<std::int64_t>
      multiples;  ///< m of each of the vectors, of either sign; their greatest common divisor is 1

  friend bool operator==(const LinearEmbedding&, const LinearEmbedding&) = default;
};

/// Ways to write some vectors of a neighborhood (`which`), projected onto some dimensions, as multiples of one vector,
/// best first; none where there is none. Residues along a periodic dimension stand for the nearest offset, or for
/// themselves. Empty where all projections are zero. O(d) for each vector.
[[nodiscard]] std::vector<LinearEmbedding> linear_embeddings(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                                             std::span<const int> dimensions,
                                                             std::span<const std::uint32_t> which);

/// As above for all of a neighborhood, and also by walking around the torus along one of its vectors: embeddings in
/// which m * v wraps around. O(t*d), so that not every one is found that exists.
[[nodiscard]] std::vector<LinearEmbedding> linear_embeddings(const Grid& grid, const FoldedNeighborhood& neighborhood);

/// These, best first: a fact.
struct LinearEmbeddings {
  explicit LinearEmbeddings(const NeighborhoodFacts& facts) : found(linear_embeddings(facts.grid(), facts.folded())) {}
  std::vector<LinearEmbedding> found;
};

}  // namespace rondo::internal

#endif
