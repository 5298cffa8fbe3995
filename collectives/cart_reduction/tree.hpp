/// @file
/// Tree: the tree by which the contributions to one process's result are combined on their way.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_TREE_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_TREE_HPP

#include "collectives/paths/path_expansion.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// The two kinds of neighborhood reductions of EuroMPI 2015, section 4.
enum class Kind : std::uint8_t {
  reduce,         ///< each process contributes the same vector to all of its targets
  scatter_reduce  ///< each process contributes a vector of its own to each target
};

/// The number of a value among the values of its boundary.
using ValueId = std::uint32_t;

/// A term of a value: `times` times the `value` that the process at minus `step` has at the boundary before.
struct Term {
  StepId step;  ///< step in the stage between the two boundaries; kStays: the process itself
  ValueId value;
  std::uint32_t times;
  friend auto operator<=>(const Term&, const Term&) = default;
};

/// The reduction tree: the allgather tree of ICPP 2019, section 3.2, run backwards over a path expansion and rooted at
/// the receiver. Contributions walk along their paths, stage by stage. At the boundary between two stages,
/// contributions that are at one process and have the same steps ahead go to the same result, and are one partial
/// result from then on. A partial result is a value of its boundary (0: before the first stage, S: after the last).
/// Each process has its own, combined from terms that other processes have at the boundary before.
///
/// In a scatter-reduce, each node of the tree is a separate value. In a reduce, all contributions of a process are one
/// vector, so that a partial result does not depend on where it goes: nodes that are combined from the same terms are
/// one value, and a node that is k times another is the other's value, k times. A process computes a value once and
/// sends it once along each step on which a process needs it. In a neighborhood that is a box, every boundary has a
/// single value.
///
/// The terms of a value are combined in their order, each as often as it occurs: ((a + b) + b) + c. All algorithms that
/// associate as one tree says give the same result to the last bit, whichever processes do the combining. On a mesh,
/// terms without any contribution that exists are left out.
///
/// The order of the neighborhood's list matters only for the contributions to one target in a scatter-reduce. A tree is
/// the same on all processes. A value; all functions are local.
class Tree {
 public:
  /// Builds the tree. `index`: for each neighbor of the expansion, its number in members(); empty: its own number. O(t
  /// * stages).
  Tree(PathExpansion expansion, Kind kind, std::span<const int> index = {});

  [[nodiscard]] const PathExpansion& expansion() const noexcept { return expansion_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// Returns S, the number of stages.
  [[nodiscard]] std::size_t stages() const noexcept { return expansion_.stages().size(); }
  /// Returns the number of values at a boundary in [0, S]. There is one at boundary S, the result, unless t = 0.
  [[nodiscard]] ValueId values(std::size_t boundary) const {
    return static_cast<ValueId>(boundaries_[boundary].first_term.size() - 1);
  }
  /// Returns the terms of a value at a boundary in [1, S], at least one: in order of steps, the term that stays last.
  [[nodiscard]] std::span<const Term> terms(std::size_t boundary, ValueId value) const {
    const Boundary& at = boundaries_[boundary];
    return std::span(at.terms).subspan(at.first_term[value], at.first_term[value + 1] - at.first_term[value]);
  }
  /// Returns the numbers of the send blocks that a scatter-reduce combines, in this order, to a value at boundary
  /// 0. Must not be called for a reduce, in which the only value at boundary 0 is the send block.
  [[nodiscard]] std::span<const int> members(ValueId value) const {
    return std::span(members_).subspan(first_member_[value], first_member_[value + 1] - first_member_[value]);
  }

  /// Returns V: the number of values that each process sends if it sends in every stage, each counted once for each
  /// step that it takes.
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
