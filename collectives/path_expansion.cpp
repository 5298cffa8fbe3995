#include "collectives/path_expansion.hpp"

#include "collectives/numbering.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>

namespace rondo {
namespace {

using Rows = std::vector<int>;  ///< a step for each folded vector: d residues each, zero for one that stays

bool is_zero(std::span<const int> vector) {
  return std::ranges::all_of(vector, [](int coordinate) { return coordinate == 0; });
}

ExpansionStage stage_of(const FoldedNeighborhood& neighborhood, const Rows& rows) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  const Numbering numbering = number_rows(rows, d);
  ExpansionStage stage;
  std::vector<StepId> step_of_number;
  for (const std::uint32_t v : numbering.first_of) {
    const auto step = std::span(rows).subspan(v * d, d);
    step_of_number.push_back(is_zero(step) ? kStays : static_cast<StepId>(stage.steps.size() / d));
    if (!is_zero(step)) stage.steps.insert(stage.steps.end(), step.begin(), step.end());
  }
  stage.step_of.reserve(neighborhood.vector_of().size());
  for (const std::uint32_t v : neighborhood.vector_of())
    stage.step_of.push_back(step_of_number[numbering.number_of[v]]);
  return stage;
}

ExpansionStage stage_along(const FoldedNeighborhood& neighborhood, std::span<const int> dimensions) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  Rows rows(neighborhood.vectors().size());
  for (const int dimension : dimensions) {
    for (auto at = static_cast<std::size_t>(dimension); at < rows.size(); at += d)
      rows[at] = neighborhood.vectors()[at];
  }
  return stage_of(neighborhood, rows);
}

/// One stage for each digit of the multiples, lowest first.
void append_digits(const Grid& grid, const FoldedNeighborhood& neighborhood, const PathPart& part,
                   std::vector<ExpansionStage>& stages) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  const LinearEmbedding& embedding = *part.embedding;
  std::int64_t greatest = 0;
  for (const std::int64_t multiple : embedding.multiples) greatest = std::max(greatest, std::abs(multiple));
  for (std::int64_t unit = 1; unit <= greatest; unit *= part.radix) {
    Rows rows(neighborhood.vectors().size());
    for (std::size_t v = 0; v < embedding.multiples.size(); ++v) {
      const std::int64_t steps = embedding.multiples[v] / unit % part.radix * unit;  // with the multiple's sign
      for (const int k : part.dimensions) {
        const auto at = static_cast<std::size_t>(k);
        std::int64_t step = steps * embedding.vector[at];
        const std::int64_t size = grid.sizes()[at];
        if (grid.periodic(k)) step = (step % size + size) % size;
        rows[v * d + at] = static_cast<int>(step);
      }
    }
    stages.push_back(stage_of(neighborhood, rows));
  }
}

/// The folded vectors with all but one dimension's residues set to 0.
Rows projected(const FoldedNeighborhood& neighborhood, int k) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  Rows rows(neighborhood.vectors().size());
  for (auto at = static_cast<std::size_t>(k); at < rows.size(); at += d) rows[at] = neighborhood.vectors()[at];
  return rows;
}

std::size_t count_steps(std::span<const ExpansionStage> stages) {
  std::size_t count = 0;
  for (const ExpansionStage& stage : stages) count += stage.steps.size();
  return count;
}

}  // namespace

PathExpansion expand_in_parts(const Grid& grid, const FoldedNeighborhood& neighborhood, std::span<const PathPart> parts,
                              std::string name) {
  std::vector<ExpansionStage> stages;
  for (const PathPart& part : parts) {
    if (part.radix == 0)
      stages.push_back(stage_along(neighborhood, part.dimensions));
    else
      append_digits(grid, neighborhood, part, stages);
  }
  return {std::move(name), grid.dimensions(), std::move(stages)};
}

PathExpansion expand_by_groups(const Grid& grid, const Neighborhood& neighborhood,
                               std::span<const std::vector<int>> groups, std::string name) {
  std::vector<PathPart> parts;
  for (const std::vector<int>& group : groups) parts.push_back({group, 0, std::nullopt});
  return expand_in_parts(grid, FoldedNeighborhood(grid, neighborhood), parts, std::move(name));
}

PathExpansion expand_by_dimension(const Grid& grid, const Neighborhood& neighborhood, std::span<const int> order) {
  std::vector<std::vector<int>> groups;
  for (const int k : order) groups.push_back({k});
  return expand_by_groups(grid, neighborhood, groups, "dimension-wise");
}

PathExpansion expand_directly(const Grid& grid, const Neighborhood& neighborhood) {
  std::vector<int> all(static_cast<std::size_t>(grid.dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return expand_by_groups(grid, neighborhood, {{all}}, "direct");
}

PathExpansion expand_logarithmically(const Grid& grid, const FoldedNeighborhood& neighborhood) {
  std::vector<ExpansionStage> stages;
  for (int k = 0; k < grid.dimensions(); ++k) {
    std::vector<ExpansionStage> fewest;
    for (LinearEmbedding& embedding : linear_embeddings(grid, projected(neighborhood, k))) {
      std::vector<ExpansionStage> digits;
      append_digits(grid, neighborhood, {{k}, 2, std::move(embedding)}, digits);
      if (fewest.empty() || count_steps(digits) < count_steps(fewest)) fewest = std::move(digits);
    }
    std::ranges::move(fewest, std::back_inserter(stages));
  }
  return {"logarithmic", grid.dimensions(), std::move(stages)};
}

PathExpansion expand_through_neighbors(const Grid& grid, const FoldedNeighborhood& neighborhood) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  const auto is_basis = [](std::span<const int> vector) {
    return std::ranges::count_if(vector, [](int coordinate) { return coordinate != 0; }) == 1;
  };
  std::vector<std::set<int>> basis(d);  // residues along each dimension that are neighbors by themselves
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    for (std::size_t k = 0; k < d && is_basis(neighborhood[v]); ++k) basis[k].insert(neighborhood[v][k]);
  }
  std::vector<Rows> rows(d, Rows(neighborhood.vectors().size()));
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    const auto vector = neighborhood[v];
    bool by_neighbors = true;
    for (std::size_t k = 0; k < d; ++k) by_neighbors = by_neighbors && (vector[k] == 0 || basis[k].contains(vector[k]));
    for (std::size_t k = 0; k < d; ++k) rows[by_neighbors ? k : 0][v * d + k] = vector[k];
  }
  std::vector<ExpansionStage> stages;
  for (const Rows& each : rows) stages.push_back(stage_of(neighborhood, each));
  return {"through neighbors", grid.dimensions(), std::move(stages)};
}

std::vector<int> order_by_distinct_residues(const Grid& grid, const Neighborhood& neighborhood) {
  const FoldedNeighborhood folded(grid, neighborhood);
  std::vector<std::pair<std::size_t, int>> keyed;
  for (int k = 0; k < grid.dimensions(); ++k) {
    const ExpansionStage stage = stage_along(folded, {{k}});
    keyed.emplace_back(stage.steps.size(), k);
  }
  std::ranges::sort(keyed);
  std::vector<int> order;
  for (const auto& [distinct, k] : keyed) order.push_back(k);
  return order;
}

}  // namespace rondo
