#include "tests/support/cases/random/random_expansion.hpp"

namespace rondo::internal {

std::vector<PathPart> random_parts(std::mt19937_64& random, const Grid& grid, const FoldedNeighborhood& folded) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  std::vector<PathPart> parts(1 + random() % d);
  for (int k = 0; k < grid.dimensions(); ++k) parts[random() % parts.size()].dimensions.push_back(k);
  std::erase_if(parts, [](const PathPart& part) { return part.dimensions.empty(); });
  for (PathPart& part : parts) {
    if (folded.size() == 0) break;
    std::vector<std::uint32_t> all(folded.size());
    std::iota(all.begin(), all.end(), 0U);
    const auto embeddings = part.dimensions.size() == d ? linear_embeddings(grid, folded)
                                                        : linear_embeddings(grid, folded, part.dimensions, all);
    if (embeddings.empty() || random() % 3 == 0) continue;
    part.embedding = embeddings[random() % embeddings.size()];
    part.radix = std::array{2, 3, 4, 8}[random() % 4];
  }
  return parts;
}

PathExpansion random_expansion(std::mt19937_64& random, const Grid& grid, const FoldedNeighborhood& folded) {
  return expand_in_parts(grid, folded, random_parts(random, grid, folded), "random");
}

}  // namespace rondo::internal
