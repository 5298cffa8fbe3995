#include "collectives/paths/path_expansion.hpp"

#include "collectives/paths/projections.hpp"

#include "collectives/topology/numbering.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace rondo::internal {
namespace {

using Rows = std::vector<int>;  ///< a step for each folded vector: d residues each, zero for one that stays

bool is_zero(std::span<const int> vector) {
  return std::ranges::all_of(vector, [](int coordinate) { return coordinate == 0; });
}

/// Returns the stage of the steps that the vectors take. `numbering`: the vectors numbered by their steps. `step(v,
/// at)` writes the d residues of the step of vector v to `at`.
template <typename Step>
ExpansionStage stage_of(const FoldedNeighborhood& neighborhood, const Numbering& numbering, Step step) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  ExpansionStage stage;
  std::vector<StepId> step_of_number;
  std::vector<int> taken(d);
  for (const std::uint32_t v : numbering.first_of) {
    step(v, std::span(taken));
    step_of_number.push_back(is_zero(taken) ? kStays : static_cast<StepId>(stage.steps.size() / d));
    if (!is_zero(taken)) stage.steps.insert(stage.steps.end(), taken.begin(), taken.end());
  }
  std::vector<StepId> step_of_vector(numbering.number_of.size());
  for (std::size_t v = 0; v < step_of_vector.size(); ++v) step_of_vector[v] = step_of_number[numbering.number_of[v]];
  stage.step_of.reserve(neighborhood.vector_of().size());
  for (const std::uint32_t v : neighborhood.vector_of()) stage.step_of.push_back(step_of_vector[v]);
  return stage;
}

ExpansionStage stage_of(const FoldedNeighborhood& neighborhood, const Rows& rows) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  return stage_of(neighborhood, number_rows(rows, d), [&](std::size_t v, std::span<int> step) {
    std::ranges::copy(std::span(rows).subspan(v * d, d), step.begin());
  });
}

ExpansionStage stage_along(const FoldedNeighborhood& neighborhood, std::span<const int> dimensions) {
  Rows rows;  // along these dimensions only
  rows.reserve(neighborhood.size() * dimensions.size());
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    for (const int k : dimensions) rows.push_back(neighborhood[v][static_cast<std::size_t>(k)]);
  }
  return stage_of(neighborhood, number_rows(rows, dimensions.size()), [&](std::size_t v, std::span<int> step) {
    for (const int k : dimensions) step[static_cast<std::size_t>(k)] = neighborhood[v][static_cast<std::size_t>(k)];
  });
}

}  // namespace

ExpansionStage stage_across(const FoldedNeighborhood& neighborhood, std::span<const int> dimensions,
                            std::span<const std::uint32_t> number_of, std::span<const std::uint32_t> first_of) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  ExpansionStage stage;
  stage.steps.resize((first_of.size() - 1) * d);
  for (std::size_t number = 1; number < first_of.size(); ++number) {
    const auto vector = neighborhood[first_of[number]];
    for (const int k : dimensions)
      stage.steps[(number - 1) * d + static_cast<std::size_t>(k)] = vector[static_cast<std::size_t>(k)];
  }
  stage.step_of.reserve(neighborhood.vector_of().size());
  for (const std::uint32_t v : neighborhood.vector_of())
    stage.step_of.push_back(number_of[v] == 0 ? kStays : number_of[v] - 1);
  return stage;
}

std::vector<ExpansionStage> stages_in_digits(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                             const PathPart& part) {
  std::vector<ExpansionStage> stages;
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
  return stages;
}

PathExpansion expand_in_parts(const Grid& grid, const FoldedNeighborhood& neighborhood, std::span<const PathPart> parts,
                              std::string name) {
  std::vector<ExpansionStage> stages;
  for (const PathPart& part : parts) {
    if (part.radix == 0)
      stages.push_back(stage_along(neighborhood, part.dimensions));
    else
      std::ranges::move(stages_in_digits(grid, neighborhood, part), std::back_inserter(stages));
  }
  return {std::move(name), grid.dimensions(), std::move(stages)};
}

PathExpansion expand_by_groups(const NeighborhoodFacts& facts, std::span<const std::vector<int>> groups,
                               std::string name) {
  std::vector<PathPart> parts;
  for (const std::vector<int>& group : groups) {
    parts.push_back({group, 0, std::nullopt});
    std::ranges::sort(parts.back().dimensions);  // so that steps are numbered in lexicographic order
  }
  return expand_in_parts(facts.grid(), facts.folded(), parts, std::move(name));
}

PathExpansion expand_by_dimension(const NeighborhoodFacts& facts, std::span<const int> order) {
  std::vector<std::vector<int>> groups;
  for (const int k : order) groups.push_back({k});
  return expand_by_groups(facts, groups, "dimension-wise");
}

PathExpansion expand_directly(const NeighborhoodFacts& facts) {
  std::vector<int> all(static_cast<std::size_t>(facts.grid().dimensions()));
  std::iota(all.begin(), all.end(), 0);
  return expand_by_groups(facts, {{all}}, "direct");
}

std::vector<bool> through_neighbors(const FoldedNeighborhood& neighborhood) {
  const auto d = static_cast<std::size_t>(neighborhood.dimensions());
  const auto is_zero_at = [](int coordinate) { return coordinate == 0; };
  std::vector<std::set<int>> basis(d);  // along each dimension, the residues that are neighbors by themselves
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    const auto vector = neighborhood[v];
    const auto coordinate = std::ranges::find_if_not(vector, is_zero_at);
    if (coordinate != vector.end() && std::all_of(coordinate + 1, vector.end(), is_zero_at))
      basis[static_cast<std::size_t>(coordinate - vector.begin())].insert(*coordinate);
  }
  std::vector<bool> through(neighborhood.size());
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    const auto vector = neighborhood[v];
    std::size_t k = 0;
    while (k < d && (vector[k] == 0 || basis[k].contains(vector[k]))) ++k;
    through[v] = k == d;
  }
  return through;
}

PathExpansion expand_through_neighbors(const Grid& grid, const FoldedNeighborhood& neighborhood) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  const std::vector<bool> through = through_neighbors(neighborhood);
  std::vector<Rows> rows(d, Rows(neighborhood.vectors().size()));
  for (std::size_t v = 0; v < neighborhood.size(); ++v) {
    for (std::size_t k = 0; k < d; ++k) rows[through[v] ? k : 0][v * d + k] = neighborhood[v][k];
  }
  std::vector<ExpansionStage> stages;
  for (const Rows& each : rows) stages.push_back(stage_of(neighborhood, each));
  return {"through neighbors", grid.dimensions(), std::move(stages)};
}

std::vector<int> order_by_distinct_residues(const NeighborhoodFacts& facts) {
  std::vector<std::pair<std::size_t, int>> keyed;
  for (const Projection& along : facts.get<Projections>().along())
    keyed.emplace_back(along.first_of.size(), static_cast<int>(keyed.size()));
  std::ranges::sort(keyed);
  std::vector<int> order;
  for (const auto& [distinct, k] : keyed) order.push_back(k);
  return order;
}

std::string describe(std::span<const PathPart> parts) {
  std::string text;
  for (const PathPart& part : parts) {
    text += text.empty() ? "dimensions " : ", ";
    for (std::size_t i = 0; i < part.dimensions.size(); ++i)
      text += (i == 0 ? "" : "+") + std::to_string(part.dimensions[i]);
    if (part.radix != 0) text += " in powers of " + std::to_string(part.radix);
  }
  return text;
}

}  // namespace rondo::internal
