/// @file
/// A halo exchange on a simulated machine: the problems of all ranks.
#ifndef RONDO_BENCH_SIMULATED_HALO_EXCHANGE_HPP
#define RONDO_BENCH_SIMULATED_HALO_EXCHANGE_HPP

#include <rondo/halo.hpp>

#include "collectives/halo/algorithms.hpp"
#include "exchanges.hpp"
#include "runtime/machine/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::simulated {

/// What each rank has: a square matrix of bytes with a halo on all sides.
struct Matrix {
  std::int64_t order;
  int depth;
  rondo::Stencil stencil;
};

/// It carries no data: what halo exchanges bring is tested elsewhere.
class HaloExchange {
 public:
  using Problem = halo::Problem;

  HaloExchange(const machine::Machine& machine, std::span<const int> sizes, const Matrix& matrix, int ports = 0);

  [[nodiscard]] static const Registry<Problem>& registry() { return halo::registry(); }
  [[nodiscard]] static std::size_t sent_bytes() { return 0; }
  [[nodiscard]] std::size_t received_bytes() const { return bytes_; }
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    const Grid grid = torus_.grid.seen_from(rank);
    return visit(Problem{.grid = grid,
                         .arrays = matrix_,
                         .typical = matrix_,
                         .costs = torus_.nodes.costs,
                         .ports = ports_,
                         .near = &torus_.near,
                         .nodes = torus_.nodes.members_if_any(),
                         .inside = &inside_});
  }

 private:
  Torus torus_;
  std::size_t bytes_;
  halo::Bundle matrix_;
  halo::InsideOfAll inside_;
  int ports_;
};

}  // namespace rondo::internal::simulated

#endif
