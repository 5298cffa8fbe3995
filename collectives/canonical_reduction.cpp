#include "collectives/canonical_reduction.hpp"

#include "collectives/reduction_digits.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

namespace rondo {
namespace {

/// Most neighbors that the search for the best order may look at, each once for every set of dimensions: some
/// milliseconds.
constexpr std::int64_t kLongestSearch = std::int64_t{1} << 17U;
/// A dimension with fewer distinct steps has nothing to gain from digits.
constexpr StepId kFewSteps = 3;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9U;
  value = (value ^ value >> 27U) * 0x94D049BB133111EBU;
  return value ^ value >> 31U;
}

/// The distinct offsets of a neighborhood as residues, and how often each occurs.
struct DistinctOffsets {
  DistinctOffsets(const Grid& grid, const Neighborhood& neighborhood) : width(grid.sizes().size()) {
    const PathExpansion direct = expand_directly(grid, neighborhood);
    const ExpansionStage& stage = direct.stages().front();
    residues = stage.steps;
    times.resize(direct.steps(stage));
    std::uint32_t zeros = 0;
    for (const StepId step : stage.step_of) ++(step == kStays ? zeros : times[step]);
    if (zeros == 0) return;
    times.push_back(zeros);
    residues.resize(times.size() * width);
  }
  [[nodiscard]] int residue(std::size_t i, std::size_t k) const { return residues[i * width + k]; }

  std::size_t width;
  std::vector<int> residues;
  std::vector<std::uint32_t> times;
};

/// What the stage of each dimension sends when the stages of a given set of dimensions come before it.
class VolumeOfStages {
 public:
  VolumeOfStages(const DistinctOffsets& offsets, ReductionKind kind)
      : offsets_(offsets), kind_(kind), nodes_(offsets.times.size()) {
    hashes_.reserve(offsets.residues.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (std::size_t k = 0; k < offsets.width; ++k) {
        const auto residue = static_cast<std::uint32_t>(offsets.residue(i, k));
        hashes_.push_back(mix(std::uint64_t{k + 1} << 32U | residue));
      }
    }
  }

  /// `before`: bit k is set for each dimension k of the set.
  void set_stages_before(std::uint32_t before) {
    const std::size_t t = offsets_.times.size();
    nodes_.resize(t);
    for (std::size_t i = 0; i < t; ++i) {
      Node& node = nodes_[i] = {0, 0, offsets_.times[i], i};
      for (std::size_t k = 0; k < offsets_.width; ++k)
        ((before >> k & 1U) != 0 ? node.value : node.path) += hashes_[i * offsets_.width + k];
      node.value = mix(node.value);
    }
    // One node for all that have the same path before them: a hash of what it is combined of.
    std::ranges::sort(nodes_, {}, &Node::path);
    std::size_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < t; begin = end) {
      Node node{nodes_[begin].path, 0, 0, nodes_[begin].member};
      for (end = begin; end < t && nodes_[end].path == node.path; ++end)
        node.times = std::gcd(node.times, nodes_[end].times);
      for (std::size_t i = begin; i < end; ++i) node.value += nodes_[i].value * (nodes_[i].times / node.times);
      if (kind_ == ReductionKind::scatter_reduce) node.value = node.path;  // all differ
      nodes_[count++] = node;
    }
    nodes_.resize(count);
  }

  /// Of dimension `k`, which is not in the set.
  [[nodiscard]] std::int64_t operator()(std::size_t k) {
    sent_.clear();
    for (const Node& node : nodes_) {
      if (offsets_.residue(node.member, k) != 0) sent_.emplace_back(offsets_.residue(node.member, k), node.value);
    }
    std::ranges::sort(sent_);
    return std::unique(sent_.begin(), sent_.end()) - sent_.begin();
  }

 private:
  struct Node {
    std::uint64_t path;
    std::uint64_t value;
    std::uint32_t times;
    std::size_t member;
  };
  const DistinctOffsets& offsets_;
  ReductionKind kind_;
  std::vector<std::uint64_t> hashes_;  ///< of each residue
  std::vector<Node> nodes_;
  std::vector<std::pair<int, std::uint64_t>> sent_;
};

}  // namespace

std::vector<int> reduction_order(const Grid& grid, const Neighborhood& neighborhood, ReductionKind kind) {
  std::vector<int> backwards = order_by_distinct_residues(grid, neighborhood);
  std::ranges::reverse(backwards);
  const std::size_t d = backwards.size();
  if (d < 2 || d > 20 || (std::int64_t{neighborhood.size()} << d) > kLongestSearch) return backwards;

  // From the whole set down: the least volume that is still to come after each set of dimensions.
  const DistinctOffsets offsets(grid, neighborhood);
  VolumeOfStages volume(offsets, kind);
  const std::uint32_t all = (std::uint32_t{1} << d) - 1;
  std::vector<std::int64_t> least(std::size_t{all} + 1, 0);
  std::vector<int> next(std::size_t{all} + 1, 0);
  for (std::uint32_t before = all; before-- > 0;) {
    volume.set_stages_before(before);
    least[before] = std::numeric_limits<std::int64_t>::max();
    for (const int k : backwards) {
      const std::uint32_t with = before | std::uint32_t{1} << static_cast<unsigned>(k);
      if (with == before) continue;
      const std::int64_t to_come = volume(static_cast<std::size_t>(k)) + least[with];
      if (to_come >= least[before]) continue;
      least[before] = to_come;
      next[before] = k;
    }
  }
  std::vector<int> order;
  for (std::uint32_t before = 0; before != all; before |= std::uint32_t{1} << static_cast<unsigned>(order.back()))
    order.push_back(next[before]);
  return order;
}

CanonicalReduction canonical_reduction(const Grid& grid, const Neighborhood& neighborhood, ReductionKind kind) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  Neighborhood existing(grid.dimensions());
  std::vector<int> index;
  for (int i = 0; i < neighborhood.size(); ++i) {
    const auto offset = neighborhood[i];
    bool exists = true;
    for (std::size_t k = 0; k < d; ++k) {
      const bool within = std::abs(std::int64_t{offset[k]}) < grid.sizes()[k];
      exists = exists && (grid.periodic(static_cast<int>(k)) || within);
    }
    if (!exists) continue;
    existing.add(offset);
    index.push_back(i);
  }

  const std::vector<int> order = reduction_order(grid, existing, kind);
  std::vector<std::vector<ExpansionStage>> stages;  // of each dimension
  const PathExpansion by_dimension = expand_by_dimension(grid, existing, order);
  for (const ExpansionStage& stage : by_dimension.stages()) stages.push_back({stage});
  const auto tree_of = [&](const std::vector<std::vector<ExpansionStage>>& chosen) {
    std::vector<ExpansionStage> joined;
    for (const auto& of_dimension : chosen) joined.insert(joined.end(), of_dimension.begin(), of_dimension.end());
    return ReductionTree({"canonical", grid.dimensions(), std::move(joined)}, kind, index);
  };
  ReductionTree tree = tree_of(stages);
  for (std::size_t place = 0; kind == ReductionKind::reduce && place < d; ++place) {
    if (by_dimension.steps(stages[place].front()) < kFewSteps) continue;
    const auto k = static_cast<std::size_t>(order[place]);
    std::vector<int> residues;
    for (int i = 0; i < existing.size(); ++i) residues.push_back(grid.residue(order[place], existing[i][k]));
    auto with_digits = stages;
    with_digits[place] = stages_of_digits(grid, order[place], residues);
    ReductionTree other = tree_of(with_digits);
    if (other.volume() >= tree.volume()) continue;
    tree = std::move(other);
    stages = std::move(with_digits);
  }

  std::vector<std::size_t> ends;
  for (const auto& of_dimension : stages) ends.push_back((ends.empty() ? 0 : ends.back()) + of_dimension.size());
  ReductionReach reach(tree, grid);
  return {std::move(tree), std::move(reach), std::move(ends)};
}

}  // namespace rondo
