/// @file
/// A reduction over a neighborhood on a simulated machine: the problems of all ranks.
#ifndef RONDO_BENCH_SIMULATED_REDUCE_EXCHANGE_HPP
#define RONDO_BENCH_SIMULATED_REDUCE_EXCHANGE_HPP

#include "block_row.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "exchanges.hpp"
#include "runtime/machine/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace rondo::internal::simulated {

/// Vectors of doubles. It carries no data: what reductions compute is tested elsewhere.
class ReduceExchange {
 public:
  using Problem = reduction::Problem;

  ReduceExchange(const machine::Machine& machine, std::span<const int> sizes, const rondo::Neighborhood& neighborhood,
                 int doubles, int ports = 0);

  [[nodiscard]] static const Registry<Problem>& registry() { return reduction::registry(); }
  [[nodiscard]] std::size_t sent_bytes() const { return vector_.bytes(); }
  [[nodiscard]] std::size_t received_bytes() const { return vector_.bytes(); }
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    const Grid grid = torus_.grid.seen_from(rank);
    return visit(Problem{.grid = grid,
                         .canonical = canonical_,
                         .kind = reduction::Kind::reduce,
                         .send = vector_.shapes(),
                         .recv = vector_.shapes().front(),
                         .reduction = reduction_,
                         .costs = torus_.nodes.costs,
                         .ports = ports_,
                         .near = &torus_.near,
                         .near_contributions = near_contributions_,
                         .nodes = torus_.nodes.members_if_any()});
  }

 private:
  Torus torus_;
  reduction::Canonical canonical_;
  std::int64_t near_contributions_;
  BlockRow vector_;
  std::shared_ptr<const Reduction> reduction_;
  int ports_;
};

}  // namespace rondo::internal::simulated

#endif
