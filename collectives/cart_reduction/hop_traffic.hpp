/// @file
/// HopTraffic: the values that processes send each other in a hop.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_HOP_TRAFFIC_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_HOP_TRAFFIC_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/cart_reduction/hop.hpp"
#include "collectives/cart_reduction/reach.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// Coordinates of a process at `sign` times a step from others; those along rings are not folded.
[[nodiscard]] std::vector<int> coordinates_at(std::span<const int> from, std::span<const int> step, int sign);

/// Whether the value that a leaf of a round is goes from one process to another: the one has it, and the other needs
/// something that it is part of. Both are on the grid, at these coordinates.
[[nodiscard]] bool is_sent(const Hop& hop, const Reach& reach, const Grid& grid, NodeId leaf, std::span<const int> from,
                           std::span<const int> to);

/// Blocks are numbered as the hop's leaves, at both ends. Keeps references.
class HopTraffic final : public NodeTraffic {
 public:
  /// `bytes`: of a value.
  HopTraffic(const NodeMembers& nodes, const Grid& grid, const Hop& hop, const Reach& reach, std::int64_t bytes)
      : NodeTraffic(nodes), grid_(grid), hop_(hop), reach_(reach), bytes_(bytes) {}

  void visit_sent(int rank, const Visit& visit) const override { visit_rounds(rank, 1, visit); }
  void visit_received(int rank, const Visit& visit) const override { visit_rounds(rank, -1, visit); }
  /// A process may send a value along several steps.
  [[nodiscard]] std::uint32_t shared_number(std::uint32_t number) const override { return hop_.value_of(number); }

 private:
  void visit_rounds(int rank, int sign, const Visit& visit) const;

  const Grid& grid_;
  const Hop& hop_;
  const Reach& reach_;
  std::int64_t bytes_;
};

}  // namespace rondo::internal::reduction

#endif
