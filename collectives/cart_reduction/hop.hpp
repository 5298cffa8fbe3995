/// @file
/// Hop: consecutive stages of a reduction that messages cross at once.
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

/// The computation of the values of one boundary of a tree from those of an earlier boundary. A process sends its
/// values straight to the processes that need them. These processes combine them just as the tree says, including
/// values that others could have combined on the way. Hops of one stage are the message-combining algorithm, a hop of
/// all the direct one.
///
/// A node is a vector that a process has during a hop: one of its own values or an arriving one (the leaves), or one
/// that it combines. Each node comes after its operands. All processes have the same nodes; on a mesh, some lack a few.
class Hop {
 public:
  using NodeId = std::uint32_t;

  /// A round is all values of boundary `from` that arrive from the process at minus `step`, as the leaves [begin, end).
  /// They are one message unless it would be too long.
  struct Round {
    std::span<const int> step;  ///< d residues
    NodeId begin;
    NodeId end;
  };
  struct Operand {
    NodeId node;
    std::uint32_t times;
    StepId step;  ///< step of the stage; operands are in order of steps
  };

  /// Makes a hop, for 0 <= from < to <= S. O(its size), which is at most that of the subtrees of all values at `to`.
  Hop(const Tree& tree, const Grid& grid, std::size_t from, std::size_t to);

  [[nodiscard]] std::size_t from() const noexcept { return from_; }
  [[nodiscard]] std::size_t to() const noexcept { return to_; }

  [[nodiscard]] NodeId nodes() const noexcept { return leaves() + static_cast<NodeId>(first_operand_.size() - 1); }
  /// Returns the number of leaves: nodes [0, leaves()). The first own() of them are the process's own values.
  [[nodiscard]] NodeId leaves() const noexcept { return static_cast<NodeId>(value_of_.size()); }
  [[nodiscard]] NodeId own() const noexcept { return own_; }
  /// Returns the value of boundary `from` that a leaf is.
  [[nodiscard]] ValueId value_of(NodeId leaf) const { return value_of_[leaf]; }
  [[nodiscard]] std::size_t rounds() const noexcept { return first_of_round_.size() - 1; }
  [[nodiscard]] Round round(std::size_t index) const {
    return {std::span(steps_).subspan(index * dimensions_, dimensions_), first_of_round_[index],
            first_of_round_[index + 1]};
  }
  /// Returns the operands of a node, in the order in which they are combined. The node must not be a leaf.
  [[nodiscard]] std::span<const Operand> operands(NodeId node) const {
    const std::size_t index = node - leaves();
    return std::span(operands_).subspan(first_operand_[index], first_operand_[index + 1] - first_operand_[index]);
  }
  /// Returns the number of levels. A level is the nodes [begin, end) of one stage without the leaves; their operands
  /// are nodes of the stage before or leaves.
  [[nodiscard]] std::size_t levels() const noexcept { return first_of_level_.size() - 1; }
  [[nodiscard]] std::pair<NodeId, NodeId> level(std::size_t index) const {
    return {first_of_level_[index], first_of_level_[index + 1]};
  }
  /// Returns the node that is this value of boundary `to`.
  [[nodiscard]] NodeId result(ValueId value) const { return nodes() - results_ + value; }
  /// Returns the values of boundary `to` that a leaf is part of. Call this only on a mesh.
  [[nodiscard]] std::span<const ValueId> part_of(NodeId leaf) const {
    return std::span(part_of_).subspan(first_part_of_[leaf], first_part_of_[leaf + 1] - first_part_of_[leaf]);
  }

  /// Returns the number of values that a process sends, each counted once for each step.
  [[nodiscard]] NodeId volume() const noexcept { return leaves() - own_; }
  /// Returns the number of times that a process combines two vectors.
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
