#include "collectives/topology/folded_neighborhood.hpp"

#include "collectives/topology/numbering.hpp"

#include <numeric>

namespace rondo::internal {

FoldedNeighborhood::FoldedNeighborhood(const Grid& grid, const Neighborhood& neighborhood)
    : dimensions_(grid.dimensions()) {
  const auto d = static_cast<std::size_t>(dimensions_);
  const std::span<const int> offsets = neighborhood.flattened();
  std::vector<int> residues(offsets.begin(), offsets.end());
  for (int k = 0; k < dimensions_; ++k) {
    if (!grid.periodic(k)) continue;
    const int size = grid.sizes()[static_cast<std::size_t>(k)];
    for (std::size_t i = static_cast<std::size_t>(k); i < residues.size(); i += d) {
      if (residues[i] < 0 || residues[i] >= size) residues[i] = grid.residue(k, residues[i]);
    }
  }
  Numbering numbering = number_rows(residues, d);
  vectors_.reserve(numbering.size() * d);
  for (const std::uint32_t i : numbering.first_of) {
    const auto row = std::span(residues).subspan(i * d, d);
    vectors_.insert(vectors_.end(), row.begin(), row.end());
  }
  vector_of_ = std::move(numbering.number_of);
}

FoldedNeighborhood FoldedNeighborhood::distinct() const {
  FoldedNeighborhood copy = *this;
  copy.vector_of_.resize(size());
  std::iota(copy.vector_of_.begin(), copy.vector_of_.end(), 0U);
  return copy;
}

}  // namespace rondo::internal
