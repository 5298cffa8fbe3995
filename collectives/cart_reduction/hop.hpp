/// @file
/// Hop: some stages of a reduction that messages cross at once.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_HOP_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_HOP_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/grid.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal::reduction {

/// The values of one boundary of a tree, computed from those of an earlier one: a process sends its values straight to
/// the processes that need them, and these combine just as the tree says, also what other processes could have
/// combined on the way. One stage at a time is the message-combining algorithm; all stages at once the direct one.
///
/// What a process has during a hop are nodes: its own values and those that arrive (the leaves), and what it combines
/// of them, in an order in which each comes after its operands. The same on all processes: on a mesh, some have less.
class Hop {
 public:
  using NodeId = std::uint32_t;

  /// All values of boundary `from` that arrive from the process at minus `step`, as the leaves [begin, end): a message,
  /// unless it would be too long.
  struct Round {
    std::span<const int> step;  ///< d residues
    NodeId begin;
    NodeId end;
  };
  struct Operand {
    NodeId node;
    std::uint32_t times;
    StepId step;  ///< of the stage, which orders them
  };

  /// Boundaries 0 <= from < to <= S. O(size), which is at most that of the subtrees of all values at `to`.
  Hop(const Tree& tree, const Grid& grid, std::size_t from, std::size_t to);

  [[nodiscard]] std::size_t from() const noexcept { return from_; }
  [[nodiscard]] std::size_t to() const noexcept { return to_; }

  [[nodiscard]] NodeId nodes() const noexcept { return leaves() + static_cast<NodeId>(first_operand_.size() - 1); }
  /// Nodes [0, leaves()) are leaves, the first of them, up to own(), the values of the process itself.
  [[nodiscard]] NodeId leaves() const noexcept { return static_cast<NodeId>(value_of_.size()); }
  [[nodiscard]] NodeId own() const noexcept { return own_; }
  /// Which value of boundary `from` a leaf is.
  [[nodiscard]] ValueId value_of(NodeId leaf) const { return value_of_[leaf]; }
  [[nodiscard]] std::size_t rounds() const noexcept { return first_of_round_.size() - 1; }
  [[nodiscard]] Round round(std::size_t index) const {
    return {std::span(steps_).subspan(index * dimensions_, dimensions_), first_of_round_[index],
            first_of_round_[index + 1]};
  }
  /// What a node that is no leaf is combined of, in this order.
  [[nodiscard]] std::span<const Operand> operands(NodeId node) const {
    const std::size_t index = node - leaves();
    return std::span(operands_).subspan(first_operand_[index], first_operand_[index + 1] - first_operand_[index]);
  }
  /// The other nodes of each stage, all of whose operands are nodes of the stage before or leaves: [begin, end).
  [[nodiscard]] std::size_t levels() const noexcept { return first_of_level_.size() - 1; }
  [[nodiscard]] std::pair<NodeId, NodeId> level(std::size_t index) const {
    return {first_of_level_[index], first_of_level_[index + 1]};
  }
  /// The node that is a value of boundary `to`.
  [[nodiscard]] NodeId result(ValueId value) const { return nodes() - results_ + value; }
  /// On a mesh: the values of boundary `to` that a leaf is part of. (On a torus nobody asks.)
  [[nodiscard]] std::span<const ValueId> part_of(NodeId leaf) const {
    return std::span(part_of_).subspan(first_part_of_[leaf], first_part_of_[leaf + 1] - first_part_of_[leaf]);
  }

  /// Values sent, each counted once for each step.
  [[nodiscard]] NodeId volume() const noexcept { return leaves() - own_; }
  /// Operations on two vectors.
  [[nodiscard]] std::int64_t reductions() const noexcept { return reductions_; }

 private:
  class Expansion;
  void note_parts();

  std::size_t dimensions_;
  std::size_t from_;
  std::size_t to_;
  NodeId own_ = 0;
  ValueId results_;
  std::vector<ValueId> value_of_;
  std::vector<NodeId> first_of_round_{0};
  std::vector<int> steps_;
  std::vector<NodeId> first_of_level_;
  std::vector<std::size_t> first_operand_{0};
  std::vector<Operand> operands_;
  std::vector<std::size_t> first_part_of_;
  std::vector<ValueId> part_of_;
  std::int64_t reductions_ = 0;
};

using NodeId = Hop::NodeId;

}  // namespace rondo::internal::reduction

#endif
