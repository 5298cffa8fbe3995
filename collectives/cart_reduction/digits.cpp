#include "collectives/cart_reduction/digits.hpp"

#include "collectives/cart_reduction/tree.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace rondo::internal::reduction {
namespace {

/// The line along which offsets are multiples of one vector, and properties of these multiples.
struct Line {
  Line(const Grid& grid, const LinearEmbedding& embedding)
      : vector(embedding.vector), offsets(embedding.multiples), ring(true) {
    for (int k = 0; k < grid.dimensions(); ++k)
      ring = ring && (vector[static_cast<std::size_t>(k)] == 0 || grid.periodic(k));
    for (const std::int64_t offset : offsets) unit = std::gcd(unit, offset);
    for (std::int64_t& offset : offsets) {
      offset /= unit;
      backwards = std::max(backwards, -offset);
      forwards = std::max(forwards, offset);
    }
  }

  std::vector<int> vector;
  std::vector<std::int64_t> offsets;  ///< in units
  std::int64_t unit = 0;              ///< greatest common divisor of the multiples
  bool ring;                          ///< whether the line may be walked backwards and forwards
  std::int64_t backwards = 0;         ///< the largest offset backwards
  std::int64_t forwards = 0;
};

/// A mixed radix in which offsets are written.
struct Base {
  std::vector<int> radices;  ///< lowest digit first
  std::int64_t zero;         ///< on a ring: added to offsets before they are written in digits
};

std::vector<Base> bases_for(const Line& line) {
  const std::int64_t most = line.ring ? line.backwards + line.forwards : std::max(line.backwards, line.forwards);
  std::vector<Base> bases;
  std::vector<int> threes;
  for (std::int64_t product = 1;; product *= 3) {
    std::vector<int> twos;
    std::int64_t values = product;
    for (; values <= most; values *= 2) twos.push_back(2);
    for (const auto& [low, high] : {std::pair(&twos, &threes), {&threes, &twos}}) {
      std::vector<int> radices = *low;
      radices.insert(radices.end(), high->begin(), high->end());
      bases.push_back({radices, line.backwards});
      if (line.ring) bases.push_back({radices, values - 1 - line.forwards});
    }
    if (product > most) return bases;
    threes.push_back(3);
  }
}

/// Returns the stage in which neighbor i takes steps[i] steps along the line, each one unit long.
ExpansionStage stage_along(const Grid& grid, const Line& line, std::span<const std::int64_t> steps) {
  std::vector<std::int64_t> distinct(steps.begin(), steps.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::vector<int>> vectors;  // the vector of each distinct step
  for (const std::int64_t step : distinct) {
    std::vector<int>& vector = vectors.emplace_back();
    for (int k = 0; k < grid.dimensions(); ++k) {
      std::int64_t coordinate = step * line.unit * line.vector[static_cast<std::size_t>(k)];
      if (grid.periodic(k)) coordinate %= grid.sizes()[static_cast<std::size_t>(k)];
      vector.push_back(grid.residue(k, static_cast<int>(coordinate)));
    }
  }
  std::vector<std::vector<int>> sorted = vectors;
  sorted.emplace_back(line.vector.size());  // the zero vector is no step
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::erase(sorted, std::vector<int>(line.vector.size()));
  ExpansionStage stage;
  for (const auto& vector : sorted) stage.steps.insert(stage.steps.end(), vector.begin(), vector.end());
  std::vector<StepId> ids;  // the step id of each distinct step
  for (const auto& vector : vectors) {
    const auto found = std::ranges::find(sorted, vector);
    ids.push_back(found == sorted.end() ? kStays : static_cast<StepId>(found - sorted.begin()));
  }
  stage.step_of.reserve(steps.size());
  for (const std::int64_t step : steps)
    stage.step_of.push_back(ids[static_cast<std::size_t>(std::ranges::lower_bound(distinct, step) - distinct.begin())]);
  return stage;
}

std::vector<ExpansionStage> stages_in(const Base& base, const Line& line, const Grid& grid) {
  std::vector<ExpansionStage> stages;
  std::int64_t weight = 1;
  for (const int radix : base.radices) {
    const auto digit = [&](std::int64_t value) { return value / weight % radix; };
    std::vector<std::int64_t> steps;
    steps.reserve(line.offsets.size());
    for (const std::int64_t offset : line.offsets) {
      // Quotients are rounded towards zero, so that the digits of an offset have its sign.
      const std::int64_t digits = line.ring ? digit(offset + base.zero) - digit(base.zero) : digit(offset);
      steps.push_back(digits * weight);
    }
    stages.push_back(stage_along(grid, line, steps));
    weight *= radix;
  }
  return stages;
}

}  // namespace

LinearEmbedding along_dimension(const Grid& grid, int k, std::span<const int> residues) {
  LinearEmbedding line{std::vector<int>(grid.sizes().size()), {residues.begin(), residues.end()}};
  line.vector[static_cast<std::size_t>(k)] = 1;
  if (!grid.periodic(k)) return line;
  // Residues after the widest gap count as backwards.
  const int size = grid.sizes()[static_cast<std::size_t>(k)];
  std::vector<int> sorted(residues.begin(), residues.end());
  sorted.insert(sorted.end(), {0, size});
  std::ranges::sort(sorted);
  std::size_t gap = 1;
  for (std::size_t i = 2; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] > sorted[gap] - sorted[gap - 1]) gap = i;
  }
  for (std::int64_t& multiple : line.multiples) multiple -= multiple >= sorted[gap] ? size : 0;
  return line;
}

std::vector<ExpansionStage> stages_of_digits(const Grid& grid, const LinearEmbedding& embedding) {
  const Line line(grid, embedding);
  // The line alone, with each offset once.
  Line alone = line;
  std::ranges::sort(alone.offsets);
  alone.offsets.erase(std::unique(alone.offsets.begin(), alone.offsets.end()), alone.offsets.end());
  Base best;
  std::pair<std::int64_t, std::size_t> least{INT64_MAX, 0};
  for (Base& base : bases_for(line)) {
    const Tree tree({"digits", grid.dimensions(), stages_in(base, alone, grid)}, Kind::reduce);
    const std::pair cost{tree.volume(), tree.stages()};
    if (cost >= least) continue;
    least = cost;
    best = std::move(base);
  }
  return stages_in(best, line, grid);
}

}  // namespace rondo::internal::reduction
