#include "collectives/reduction_digits.hpp"

#include "collectives/reduction_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>

namespace rondo {
namespace {

/// Offsets in one dimension as integers.
struct Line {
  std::vector<std::int64_t> offsets;  ///< in units
  std::int64_t unit;                  ///< their greatest common divisor
  bool ring;
  std::int64_t backwards;  ///< the largest offset backwards
  std::int64_t forwards;
};

/// On a ring, the offsets after the widest gap are taken backwards.
Line line_of(const Grid& grid, int k, std::span<const int> residues) {
  const int size = grid.sizes()[static_cast<std::size_t>(k)];
  Line line{{residues.begin(), residues.end()}, 0, grid.periodic(k), 0, 0};
  if (line.ring) {
    std::vector<int> sorted(residues.begin(), residues.end());
    sorted.insert(sorted.end(), {0, size});
    std::ranges::sort(sorted);
    std::size_t gap = 1;
    for (std::size_t i = 2; i < sorted.size(); ++i) {
      if (sorted[i] - sorted[i - 1] > sorted[gap] - sorted[gap - 1]) gap = i;
    }
    for (std::int64_t& offset : line.offsets) offset -= offset >= sorted[gap] ? size : 0;
  }
  for (const std::int64_t offset : line.offsets) line.unit = std::gcd(line.unit, offset);
  for (std::int64_t& offset : line.offsets) {
    offset /= line.unit;
    line.backwards = std::max(line.backwards, -offset);
    line.forwards = std::max(line.forwards, offset);
  }
  return line;
}

/// What an offset adds up to, digit by digit.
struct Base {
  std::vector<int> radices;  ///< lowest digit first
  std::int64_t zero;         ///< on a ring: what is added to offsets before they are written in digits
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

/// A stage for each digit: the steps of all neighbors.
std::vector<std::vector<std::int64_t>> steps_in(const Base& base, const Line& line) {
  std::vector<std::vector<std::int64_t>> stages;
  std::int64_t weight = 1;
  for (const int radix : base.radices) {
    const auto digit = [&](std::int64_t value) { return value / weight % radix; };
    std::vector<std::int64_t>& steps = stages.emplace_back();
    steps.reserve(line.offsets.size());
    for (const std::int64_t offset : line.offsets) {
      // For offsets of either sign, the digits of a quotient that is rounded towards zero have that sign.
      const std::int64_t digits = line.ring ? digit(offset + base.zero) - digit(base.zero) : digit(offset);
      steps.push_back(digits * weight * line.unit);
    }
    weight *= radix;
  }
  return stages;
}

/// `steps` of each neighbor along dimension k, folded onto the grid.
ExpansionStage stage_along(const Grid& grid, int k, std::span<const std::int64_t> steps) {
  std::vector<int> residues;
  residues.reserve(steps.size());
  for (const std::int64_t step : steps) residues.push_back(grid.residue(k, static_cast<int>(step)));
  std::vector<int> distinct = residues;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::erase(distinct, 0);
  const std::size_t d = grid.sizes().size();
  ExpansionStage stage{std::vector<int>(distinct.size() * d), {}};
  for (std::size_t step = 0; step < distinct.size(); ++step)
    stage.steps[step * d + static_cast<std::size_t>(k)] = distinct[step];
  stage.step_of.reserve(residues.size());
  for (const int residue : residues) {
    const auto place = std::ranges::lower_bound(distinct, residue);
    stage.step_of.push_back(residue == 0 ? kStays : static_cast<StepId>(place - distinct.begin()));
  }
  return stage;
}

std::vector<ExpansionStage> stages_in(const Base& base, const Line& line, const Grid& grid, int k) {
  std::vector<ExpansionStage> stages;
  for (const auto& steps : steps_in(base, line)) stages.push_back(stage_along(grid, k, steps));
  return stages;
}

}  // namespace

std::vector<ExpansionStage> stages_of_digits(const Grid& grid, int k, std::span<const int> residues) {
  const Line line = line_of(grid, k, residues);
  // The dimension by itself: each offset once.
  Line alone = line;
  std::ranges::sort(alone.offsets);
  alone.offsets.erase(std::unique(alone.offsets.begin(), alone.offsets.end()), alone.offsets.end());
  Base best;
  std::pair<std::int64_t, std::size_t> least{INT64_MAX, 0};
  for (Base& base : bases_for(line)) {
    const ReductionTree tree({"digits", grid.dimensions(), stages_in(base, alone, grid, k)}, ReductionKind::reduce);
    const std::pair cost{tree.volume(), tree.stages()};
    if (cost >= least) continue;
    least = cost;
    best = std::move(base);
  }
  return stages_in(best, line, grid, k);
}

}  // namespace rondo
