/// @file
/// Problem: the input of a dense reduction's lowering.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_PROBLEM_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_PROBLEM_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/schedule/reduction.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace rondo::internal {
struct OfferedPlans;
}

namespace rondo::internal::dense_reduction {

/// The collective that a problem describes.
enum class Kind : std::uint8_t {
  allreduce,      ///< every rank gets all of the result
  reduce_scatter  ///< rank j gets part j of it
};

/// The operation that combines elements, and their datatype.
struct Operator {
  MPI_Op op;
  MPI_Datatype type;
  const Layout* element;  ///< layout of the type
  bool commutative;

  /// Returns the reduction for vectors of `count` elements. Throws Error.
  [[nodiscard]] std::shared_ptr<const Reduction> of(std::int64_t count) const {
    return std::make_shared<const Reduction>(op, type, count, *element);
  }
};

/// An allreduce or reduce-scatter as one rank of p sees it (MPI 3.1, sections 5.9.6 and 5.10): the vectors of
/// all ranks are combined, V_0 OP V_1 OP ... OP V_(p-1).
struct Problem {
  int rank;
  int size;  ///< number of ranks, p
  Kind kind;
  /// Blocks sent: one vector in an allreduce, p parts in a reduce-scatter. In place they lie in the receive buffer.
  /// `counts`: their elements, the same on all ranks.
  std::span<const BlockShape> send;
  std::span<const std::int64_t> counts;
  BlockShape recv;  ///< the result, or this rank's part of it
  Operator op;
  const CostModel& costs;
  bool in_place = false;
  int ports = 0;  ///< exchanges that the direct algorithm has in flight at once; 0: all
  /// Minimum number of other ranks that a rank has on its node. So many messages are near, as on the slowest rank.
  int fewest_near = 0;
  double ranks_per_core = 1;              ///< on the node where the most ranks share a core
  const NodeMembers* nodes = nullptr;     ///< null unless there are several nodes, one of them with several ranks
  bool uniform = true;                    ///< for choose(): all ranks make the same predictions
  const OfferedPlans* offered = nullptr;  ///< algorithms that the user offers

  /// Returns the size of the combined vector: elements() in elements, bytes() in bytes.
  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum;
  }
  [[nodiscard]] std::int64_t bytes() const noexcept { return elements() * op.element->size(); }
  /// Returns the number of elements of the result on this rank.
  [[nodiscard]] std::int64_t own_count() const noexcept {
    return counts[kind == Kind::allreduce ? 0 : static_cast<std::size_t>(rank)];
  }
  /// Returns whether this rank has nothing to do, because the result has no bytes or is in its place already.
  [[nodiscard]] bool is_done() const noexcept { return bytes() == 0 || (size == 1 && in_place); }
  /// Returns the rank `steps` after this one on the ring of all ranks; before this one if `steps` is negative.
  [[nodiscard]] int rank_at(int steps) const noexcept {
    const int at = (rank + steps % size) % size;
    return at < 0 ? at + size : at;
  }
};

}  // namespace rondo::internal::dense_reduction

#endif
