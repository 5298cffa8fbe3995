/// @file
/// Tree: how the contributions to one process's result are combined on their way.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_TREE_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_TREE_HPP

#include "collectives/paths/path_expansion.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// The two reductions of EuroMPI 2015, section 4.
enum class Kind : std::uint8_t {
  reduce,         ///< each process contributes the same vector to all of its targets
  scatter_reduce  ///< each process contributes a vector of its own to each target
};

/// Number of a value among those of its boundary.
using ValueId = std::uint32_t;

/// A term of a value: what the process at minus `step` has as `value` of the boundary before, `times` times.
struct Term {
  StepId step;  ///< of the stage between the two boundaries; kStays: the process itself
  ValueId value;
  std::uint32_t times;
  friend auto operator<=>(const Term&, const Term&) = default;
};

/// The allgather tree of ICPP 2019, section 3.2, run backwards over a path expansion and rooted at the receiver.
/// Contributions walk along their paths, stage by stage; at the boundary between two stages, those that are at one
/// process and have the same steps before them go to the same result, and are one partial result from there on.
/// A partial result is a value of its boundary (0: before the first stage, S: after the last), which each process has
/// for itself: combined of terms that other processes have at the boundary before.
///
/// In a scatter-reduce each node of the tree is a value of its own. In a reduce all contributions of a process are one
/// vector, so that a partial result does not depend on where it goes: nodes that are combined of the same terms are one
/// value (and one that is k times another is that one, k times), which a process computes once and sends once along
/// each step on which somebody needs it. In a neighborhood that is a box, every boundary has a single value.
///
/// The terms of a value are combined in their order, each as often as it occurs: ((a + b) + b) + c. All algorithms that
/// associate as one tree says give the same result to the last bit, whichever processes do the combining. On a mesh,
/// terms without any contribution that exists are left out.
///
/// The order of the neighborhood's list does not matter but for the contributions to one target in a scatter-reduce.
/// The same on all processes. A value; all functions are local.
class Tree {
 public:
  /// `index`: for each neighbor of the expansion, the number it has in members(); empty: its own. O(t * stages).
  Tree(PathExpansion expansion, Kind kind, std::span<const int> index = {});

  [[nodiscard]] const PathExpansion& expansion() const noexcept { return expansion_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// S, the number of stages.
  [[nodiscard]] std::size_t stages() const noexcept { return expansion_.stages().size(); }
  /// Number of values at a boundary in [0, S]. There is one at boundary S, the result, unless t = 0.
  [[nodiscard]] ValueId values(std::size_t boundary) const {
    return static_cast<ValueId>(boundaries_[boundary].first_term.size() - 1);
  }
  /// The terms of a value at a boundary in [1, S], at least one: in order of steps, what stays last.
  [[nodiscard]] std::span<const Term> terms(std::size_t boundary, ValueId value) const {
    const Boundary& at = boundaries_[boundary];
    return std::span(at.terms).subspan(at.first_term[value], at.first_term[value + 1] - at.first_term[value]);
  }
  /// Scatter-reduce: the send blocks that are combined, in this order, to a value at boundary 0. In a reduce, the only
  /// value there is the send block.
  [[nodiscard]] std::span<const int> members(ValueId value) const {
    return std::span(members_).subspan(first_member_[value], first_member_[value + 1] - first_member_[value]);
  }

  /// V: the values that each process sends if it does in every stage, each counted once for each step it takes.
  [[nodiscard]] std::int64_t volume() const noexcept { return volume_; }

 private:
  struct Boundary {
    std::vector<std::size_t> first_term{0};
    std::vector<Term> terms;
  };
  class Nodes;
  class ValueIndex;

  PathExpansion expansion_;
  Kind kind_;
  std::vector<Boundary> boundaries_;  ///< S + 1; the first one's values have no terms
  std::vector<std::size_t> first_member_{0};
  std::vector<int> members_;
  std::int64_t volume_ = 0;
};

}  // namespace rondo::internal::reduction

#endif
