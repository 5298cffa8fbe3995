#include "collectives/paths/projections.hpp"

#include "collectives/topology/numbering.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace rondo::internal {
namespace {

/// Makes the number 0 stand for key 0, whether that occurs or not.
void keep_zero_free(Numbering& numbering, std::span<const std::uint64_t> keys) {
  if (!numbering.first_of.empty() && keys[numbering.first_of.front()] == 0) return;
  for (std::uint32_t& number : numbering.number_of) ++number;
  numbering.first_of.insert(numbering.first_of.begin(), 0);
}

/// Returns the projection onto dimension k.
Projection project(const FoldedNeighborhood& neighborhood, std::size_t k) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  // Keys begin with zero; all other residues follow in any order.
  const std::span<const int> vectors = neighborhood.vectors();
  int low = 0;
  int high = 0;
  for (std::size_t at = k; at < vectors.size(); at += d) {
    low = std::min(low, vectors[at]);
    high = std::max(high, vectors[at]);
  }
  const auto range = static_cast<std::uint64_t>(std::int64_t{high} - low + 1);
  std::vector<std::uint64_t> keys;
  keys.reserve(neighborhood.size());
  for (std::size_t at = k; at < vectors.size(); at += d) {
    const std::int64_t residue = vectors[at];
    keys.push_back(residue >= 0 ? static_cast<std::uint64_t>(residue) : range + static_cast<std::uint64_t>(residue));
  }
  Numbering numbering = number_keys(keys, range);
  keep_zero_free(numbering, keys);
  return {DimensionSet{1} << k, std::move(numbering.number_of), std::move(numbering.first_of)};
}

}  // namespace

Projection joined(const Projection& one, const Projection& other) {
  std::vector<std::uint64_t> keys(one.number_of.size());
  const std::uint64_t others = other.first_of.size();
  for (std::size_t v = 0; v < keys.size(); ++v) keys[v] = one.number_of[v] * others + other.number_of[v];
  Numbering numbering = number_keys(keys, one.first_of.size() * others);
  keep_zero_free(numbering, keys);
  return {one.dimensions | other.dimensions, std::move(numbering.number_of), std::move(numbering.first_of)};
}

Projections::Projections(const NeighborhoodFacts& facts) : grid_(facts.grid()), neighborhood_(facts.folded()) {
  for (int k = 0; k < grid_.dimensions(); ++k) along_.push_back(project(neighborhood_, static_cast<std::size_t>(k)));
}

std::vector<LinearEmbedding> Projections::embeddings_of(const Projection& projection) const {
  std::vector<int> dimensions;
  for (std::size_t k = 0; k < along_.size(); ++k) {
    if ((projection.dimensions >> k & 1U) != 0) dimensions.push_back(static_cast<int>(k));
  }
  std::vector<LinearEmbedding> embeddings =
      linear_embeddings(grid_, neighborhood_, dimensions, std::span(projection.first_of).subspan(1));
  for (LinearEmbedding& embedding : embeddings) embedding.multiples.insert(embedding.multiples.begin(), 0);
  return embeddings;
}

std::vector<PathPart> Projections::dimension_wise() const {
  std::vector<PathPart> parts(along_.size());
  for (std::size_t k = 0; k < along_.size(); ++k) parts[k].dimensions.push_back(static_cast<int>(k));
  return parts;
}

std::vector<PathPart> Projections::logarithmic() const {
  std::vector<PathPart> parts = dimension_wise();
  for (std::size_t k = 0; k < along_.size(); ++k) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const LinearEmbedding& embedding : embeddings_of(along_[k])) {
      std::uint64_t forwards = 0;  // bits that occur, each of which is a step
      std::uint64_t backwards = 0;
      for (const std::int64_t multiple : embedding.multiples)
        (multiple < 0 ? backwards : forwards) |= static_cast<std::uint64_t>(std::abs(multiple));
      const auto steps = static_cast<std::size_t>(std::popcount(forwards) + std::popcount(backwards));
      if (steps >= fewest) continue;
      fewest = steps;
      parts[k] = part_in_digits(along_[k], embedding, 2);
      parts[k].dimensions.push_back(static_cast<int>(k));
    }
  }
  return parts;
}

PathExpansion Projections::expand(std::span<const PathPart> parts) const {
  std::vector<ExpansionStage> stages;
  for (const PathPart& part : parts) {
    if (part.radix != 0) {
      std::ranges::move(stages_in_digits(grid_, neighborhood_, part), std::back_inserter(stages));
      continue;
    }
    with_projection(part.dimensions, [&](const Projection& projection) {
      stages.push_back(stage_across(neighborhood_, part.dimensions, projection.number_of, projection.first_of));
    });
  }
  return {describe(parts), static_cast<int>(along_.size()), std::move(stages)};
}

PathPart part_in_digits(const Projection& projection, const LinearEmbedding& embedding, int radix) {
  PathPart part{{}, radix, LinearEmbedding{embedding.vector, {}}};
  for (const std::uint32_t number : projection.number_of)
    part.embedding->multiples.push_back(embedding.multiples[number]);
  return part;
}

}  // namespace rondo::internal
