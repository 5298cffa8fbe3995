/// @file
/// What a lowering of a dense reduction is given.
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

enum class Kind : std::uint8_t {
  allreduce,      ///< every rank gets all of the result
  reduce_scatter  ///< rank j gets part j of it
};

/// What elements are combined by.
struct Operator {
  MPI_Op op;
  MPI_Datatype type;
  const Layout* element;  ///< of the type
  bool commutative;

  /// For vectors of `count` elements. Throws Error.
  [[nodiscard]] std::shared_ptr<const Reduction> of(std::int64_t count) const {
    return std::make_shared<const Reduction>(op, type, count, *element);
  }
};

/// A reduction on one rank of p (MPI 3.1, sections 5.9.6 and 5.10): what all ranks send is combined, V_0 OP V_1 OP ...
/// OP V_(p-1).
struct Problem {
  int rank;
  int size;  ///< p
  Kind kind;
  /// A vector in an allreduce, its p parts in a reduce-scatter: where each lies, which in place is in the receive
  /// buffer, and its elements, which are the same on all ranks.
  std::span<const BlockShape> send;
  std::span<const std::int64_t> counts;
  BlockShape recv;  ///< the result, or this rank's part of it
  Operator op;
  const CostModel& costs;
  bool in_place = false;
  int ports = 0;  ///< exchanges that the direct algorithm has in flight at once; 0: all
  /// How many others each rank at least finds on its node: so many messages are near, as on the slowest rank.
  int fewest_near = 0;
  double ranks_per_core = 1;              ///< where most share one
  const NodeMembers* nodes = nullptr;     ///< where there are several, and one of several ranks; otherwise null
  bool uniform = true;                    ///< for choose(): all ranks make the same predictions
  const OfferedPlans* offered = nullptr;  ///< algorithms of the user\'s own

  /// Of the vector that is combined: elements, and bytes.
  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum;
  }
  [[nodiscard]] std::int64_t bytes() const noexcept { return elements() * op.element->size(); }
  /// Elements of the result on this rank.
  [[nodiscard]] std::int64_t own_count() const noexcept {
    return counts[kind == Kind::allreduce ? 0 : static_cast<std::size_t>(rank)];
  }
  /// Whether the result is there already.
  [[nodiscard]] bool is_done() const noexcept { return bytes() == 0 || (size == 1 && in_place); }
  /// The rank `steps` after this one on the ring of all ranks; negative: before.
  [[nodiscard]] int rank_at(int steps) const noexcept {
    const int at = (rank + steps % size) % size;
    return at < 0 ? at + size : at;
  }
};

}  // namespace rondo::internal::dense_reduction

#endif
