#include "collectives/cart_reduction/tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace rondo::internal::reduction {

/// The nodes of a tree at one boundary after the other, from the root backwards.
class Tree::Nodes {
 public:
  /// The nodes of one boundary. Nodes with the same parent are adjacent, in order of steps.
  struct Level {
    std::vector<std::uint32_t> parent;  ///< at the next boundary
    std::vector<StepId> step;           ///< to the parent
  };

  explicit Nodes(std::size_t t) : order_(t), node_of_(t), sorted_(t) { std::iota(order_.begin(), order_.end(), 0); }

  /// Moves on to the boundary before a stage and returns its nodes, derived from the nodes after the stage.
  [[nodiscard]] Level before(const ExpansionStage& stage, StepId steps) {
    const auto step = [&](int i) { return std::min(stage.step_of[static_cast<std::size_t>(i)], steps); };
    const auto node = [&](int i) { return node_of_[static_cast<std::size_t>(i)]; };
    bucket_sort(steps + 1, step);
    bucket_sort(nodes_, node);
    Level level;
    int before = -1;
    for (const int i : order_) {
      if (before < 0 || node(i) != level.parent.back() || step(i) != step(before)) {
        level.parent.push_back(node(i));
        level.step.push_back(step(i) == steps ? kStays : step(i));
      }
      before = i;
      node_of_[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(level.parent.size() - 1);
    }
    nodes_ = static_cast<std::uint32_t>(level.parent.size());
    return level;
  }

  /// Calls visit(i, node) for each neighbor, node by node, and in list order within a node.
  template <typename Visit>
  void for_each_member(Visit visit) const {
    for (const int i : order_) visit(i, node_of_[static_cast<std::size_t>(i)]);
  }

 private:
  /// Sorts order_ by a key, as the paper's BUCKETSORT does: stable, O(t + buckets).
  template <typename Key>
  void bucket_sort(std::uint32_t buckets, Key key) {
    begins_.assign(std::size_t{buckets} + 1, 0);
    for (const int i : order_) ++begins_[std::size_t{key(i)} + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    for (const int i : order_) sorted_[begins_[key(i)]++] = i;
    order_.swap(sorted_);
  }

  std::uint32_t nodes_ = 1;
  std::vector<int> order_;              ///< neighbors, by nodes
  std::vector<std::uint32_t> node_of_;  ///< the node of each neighbor
  std::vector<int> sorted_;             ///< scratch
  std::vector<std::size_t> begins_;     ///< scratch
};

/// The values of a boundary, indexed by their terms.
class Tree::ValueIndex {
 public:
  ValueIndex(Boundary& boundary, std::size_t most) : boundary_(boundary), slots_(std::bit_ceil(2 * most + 1), kFree) {}

  /// Returns the value whose terms are those added after the last value's. If no value has these terms yet, they become
  /// a new value, otherwise they are removed.
  ValueId number_last() {
    const auto value = static_cast<ValueId>(boundary_.first_term.size() - 1);
    const std::size_t begin = boundary_.first_term.back();
    const std::span added = std::span(boundary_.terms).subspan(begin);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t place = hash(added) & mask;; place = (place + 1) & mask) {
      if (slots_[place] == kFree) {
        slots_[place] = value;
        boundary_.first_term.push_back(boundary_.terms.size());
        return value;
      }
      const std::size_t known = boundary_.first_term[slots_[place]];
      const std::size_t end = boundary_.first_term[slots_[place] + 1];
      if (std::ranges::equal(std::span(boundary_.terms).subspan(known, end - known), added)) {
        boundary_.terms.resize(begin);
        return slots_[place];
      }
    }
  }

 private:
  static constexpr ValueId kFree = std::numeric_limits<ValueId>::max();

  [[nodiscard]] static std::size_t hash(std::span<const Term> terms) {
    std::uint64_t hash = 0;
    for (const Term& term : terms) {
      for (const std::uint32_t part : {term.step, term.value, term.times})
        hash = (std::rotl(hash, 5) ^ part) * 0x9E3779B97F4A7C15U;
    }
    return static_cast<std::size_t>(hash >> 32U);
  }

  Boundary& boundary_;
  std::vector<ValueId> slots_;
};

Tree::Tree(PathExpansion expansion, Kind kind, std::span<const int> index)
    : expansion_(std::move(expansion)), kind_(kind), boundaries_(expansion_.stages().size() + 1) {
  const auto stages = expansion_.stages();
  const std::size_t t = stages.empty() ? 0 : stages.front().step_of.size();
  if (t == 0) return;
  Nodes nodes(t);
  std::vector<Nodes::Level> levels(stages.size());
  for (std::size_t s = stages.size(); s-- > 0;) levels[s] = nodes.before(stages[s], expansion_.steps(stages[s]));

  // The value of each node of a boundary, and how many times it counts.
  std::vector<std::pair<ValueId, std::uint32_t>> known(levels.front().parent.size());
  if (kind_ == Kind::reduce) {
    nodes.for_each_member([&](int, std::uint32_t node) { ++known[node].second; });
  } else {
    first_member_.resize(known.size() + 1);
    nodes.for_each_member([&](int i, std::uint32_t node) {
      members_.push_back(index.empty() ? i : index[static_cast<std::size_t>(i)]);
      known[node] = {node, 1};
      first_member_[node + 1] = members_.size();
    });
  }
  boundaries_.front().first_term.resize(kind_ == Kind::reduce ? 2 : known.size() + 1);

  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Nodes::Level& level = levels[s];
    const std::size_t parents = s + 1 < stages.size() ? levels[s + 1].parent.size() : 1;
    Boundary& after = boundaries_[s + 1];
    ValueIndex index_of_values(after, parents);
    std::vector<std::pair<ValueId, std::uint32_t>> next(parents);
    for (std::size_t begin = 0, end = 0; begin < level.parent.size(); begin = end) {
      const std::size_t parent = level.parent[begin];
      std::uint32_t times = 0;
      for (; end < level.parent.size() && level.parent[end] == parent; ++end)
        times = std::gcd(times, known[end].second);
      if (s + 1 == stages.size()) times = 1;  // the result is not multiplied
      for (std::size_t child = begin; child < end; ++child)
        after.terms.push_back({level.step[child], known[child].first, known[child].second / times});
      next[parent] = {index_of_values.number_last(), times};
    }
    known.swap(next);

    std::vector<std::pair<StepId, ValueId>> sent;
    for (const Term& term : after.terms) {
      if (term.step != kStays) sent.emplace_back(term.step, term.value);
    }
    std::ranges::sort(sent);
    volume_ += std::unique(sent.begin(), sent.end()) - sent.begin();
  }
}

}  // namespace rondo::internal::reduction
