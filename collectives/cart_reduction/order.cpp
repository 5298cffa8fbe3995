#include "collectives/cart_reduction/order.hpp"

#include "collectives/paths/projections.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace rondo::internal::reduction {
namespace {

/// Maximum number of neighbors that a search examines, each counted once for every set of dimensions. That many take
/// some milliseconds.
constexpr std::int64_t kLongestSearch = std::int64_t{1} << 16U;
constexpr std::size_t kMostDimensions = 16;

std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9U;
  value = (value ^ value >> 27U) * 0x94D049BB133111EBU;
  return value ^ value >> 31U;
}

/// The distinct offsets of a neighborhood as residues along some dimensions, and how often each occurs.
struct DistinctOffsets {
  DistinctOffsets(const NeighborhoodFacts& facts, std::span<const int> dimensions) : width(dimensions.size()) {
    const PathExpansion direct = expand_directly(facts);
    const ExpansionStage& stage = direct.stages().front();
    times.resize(direct.steps(stage));
    others = times.size();
    std::uint32_t zeros = 0;
    for (const StepId step : stage.step_of) ++(step == kStays ? zeros : times[step]);
    for (StepId step = 0; step < times.size(); ++step) {
      for (const int k : dimensions) residues.push_back(direct.step(stage, step)[static_cast<std::size_t>(k)]);
    }
    if (zeros == 0) return;
    times.push_back(zeros);
    residues.resize(times.size() * width);
  }
  [[nodiscard]] int residue(std::size_t i, std::size_t k) const { return residues[i * width + k]; }

  std::size_t width;
  std::size_t others;  ///< number of offsets other than the zero vector
  std::vector<int> residues;
  std::vector<std::uint32_t> times;
};

using DimensionSet = std::uint32_t;
constexpr DimensionSet only(std::size_t k) { return DimensionSet{1} << k; }

/// The volumes of stages: the number of values that the stage of a dimension sends if the stages of a given set of
/// dimensions come before it.
class VolumeOfStages {
 public:
  VolumeOfStages(const DistinctOffsets& offsets, Kind kind) : offsets_(offsets), kind_(kind) {
    hashes_.reserve(offsets.residues.size());
    for (std::size_t i = 0; i < offsets.times.size(); ++i) {
      for (std::size_t k = 0; k < offsets.width; ++k) {
        const auto residue = static_cast<std::uint32_t>(offsets.residue(i, k));
        hashes_.push_back(scramble(std::uint64_t{k + 1} << 32U | residue));
      }
    }
  }

  void set_stages_before(DimensionSet before) {
    const std::size_t t = offsets_.times.size();
    nodes_.resize(t);
    for (std::size_t i = 0; i < t; ++i) {
      Node& node = nodes_[i] = {0, 0, offsets_.times[i], i};
      for (std::size_t k = 0; k < offsets_.width; ++k)
        ((before & only(k)) != 0 ? node.value : node.path) += hashes_[i * offsets_.width + k];
      node.value = scramble(node.value);
    }
    // Merge all nodes that have the same path before them into one. Its value is a hash of its operands.
    std::ranges::sort(nodes_, {}, &Node::path);
    std::size_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < t; begin = end) {
      Node node{nodes_[begin].path, 0, 0, nodes_[begin].member};
      for (end = begin; end < t && nodes_[end].path == node.path; ++end)
        node.times = std::gcd(node.times, nodes_[end].times);
      for (std::size_t i = begin; i < end; ++i) node.value += nodes_[i].value * (nodes_[i].times / node.times);
      if (kind_ == Kind::scatter_reduce) node.value = node.path;  // all values differ
      nodes_[count++] = node;
    }
    nodes_.resize(count);
  }

  /// Returns the volume of the stage of dimension `k`, which must not be in the set.
  [[nodiscard]] std::int64_t operator()(std::size_t k) {
    sent_.clear();
    for (const Node& node : nodes_) {
      if (offsets_.residue(node.member, k) != 0) sent_.emplace_back(offsets_.residue(node.member, k), node.value);
    }
    std::ranges::sort(sent_);
    return std::unique(sent_.begin(), sent_.end()) - sent_.begin();
  }

  /// Returns a lower bound of the volume of all orders: in a reduce, some value takes each step; in a scatter-reduce,
  /// each other process that contributes sends a value.
  [[nodiscard]] std::int64_t least() {
    if (kind_ == Kind::scatter_reduce) return static_cast<std::int64_t>(offsets_.others);
    std::int64_t steps = 0;
    for (std::size_t k = 0; k < offsets_.width; ++k) {
      std::vector<int> residues{0};
      for (std::size_t i = 0; i < offsets_.times.size(); ++i) residues.push_back(offsets_.residue(i, k));
      std::ranges::sort(residues);
      steps += std::unique(residues.begin(), residues.end()) - residues.begin() - 1;
    }
    return steps;
  }

 private:
  struct Node {
    std::uint64_t path;
    std::uint64_t value;
    std::uint32_t times;
    std::size_t member;
  };
  const DistinctOffsets& offsets_;
  Kind kind_;
  std::vector<std::uint64_t> hashes_;  ///< one for each residue
  std::vector<Node> nodes_;
  std::vector<std::pair<int, std::uint64_t>> sent_;
};

}  // namespace

std::vector<int> combining_order(const NeighborhoodFacts& facts, Kind kind) {
  std::vector<int> order = order_by_distinct_residues(facts);
  std::ranges::reverse(order);
  const auto moves = [&](int k) {
    return facts.get<Projections>().along()[static_cast<std::size_t>(k)].first_of.size() > 1;
  };
  const auto still = std::ranges::find_if_not(order, moves);  // dimensions without movement have the fewest steps
  const std::vector<int> moving(order.begin(), still);
  if (moving.size() < 2) return order;

  if (moving.size() > kMostDimensions || (std::int64_t{facts.neighborhood().size()} << moving.size()) > kLongestSearch)
    return order;

  const DistinctOffsets offsets(facts, moving);
  VolumeOfStages volume(offsets, kind);
  DimensionSet before = 0;
  std::int64_t papers = 0;
  for (std::size_t k = 0; k < moving.size(); ++k) {
    volume.set_stages_before(before);
    papers += volume(k);
    before |= only(k);
  }
  if (papers == volume.least()) return order;

  // For each set of dimensions, from the whole set down: the least volume that is still to come after it.
  const DimensionSet all = before;
  std::vector<std::int64_t> to_come(std::size_t{all} + 1, 0);
  std::vector<std::size_t> next(std::size_t{all} + 1, 0);
  for (DimensionSet set = all; set-- > 0;) {
    volume.set_stages_before(set);
    to_come[set] = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < moving.size(); ++k) {
      if ((set & only(k)) != 0) continue;
      const std::int64_t with = volume(k) + to_come[set | only(k)];
      if (with >= to_come[set]) continue;
      to_come[set] = with;
      next[set] = k;
    }
  }
  auto place = order.begin();
  for (DimensionSet set = 0; set != all; set |= only(next[set])) *place++ = moving[next[set]];
  return order;
}

}  // namespace rondo::internal::reduction
