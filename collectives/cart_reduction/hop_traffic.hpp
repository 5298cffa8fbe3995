/// @file
/// HopTraffic: the NodeTraffic of the values that processes send each other in a hop.
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

/// Returns the coordinates `from` plus `sign` times `step`. Coordinates along rings are not folded.
[[nodiscard]] std::vector<int> coordinates_at(std::span<const int> from, std::span<const int> step, int sign);

/// Returns whether the value of a leaf that arrives in a round goes from the process at `from` to the process at `to`:
/// whether the first has it and the second needs a value that it is part of. Both must be on the grid.
[[nodiscard]] bool is_sent(const Hop& hop, const Reach& reach, const Grid& grid, NodeId leaf, std::span<const int> from,
                           std::span<const int> to);

/// The values that processes send in a hop. Blocks are numbered as the hop's leaves, at both ends. Keeps references.
class HopTraffic final : public NodeTraffic {
 public:
  /// `bytes`: size of a value.
  HopTraffic(const NodeMembers& nodes, const Grid& grid, const Hop& hop, const Reach& reach, std::int64_t bytes)
      : NodeTraffic(nodes), grid_(grid), hop_(hop), reach_(reach), bytes_(bytes) {}

  void visit_sent(int rank, const Visit& visit) const override { visit_rounds(rank, 1, visit); }
  void visit_received(int rank, const Visit& visit) const override { visit_rounds(rank, -1, visit); }
  /// Returns the number of the value that a leaf is, because a process may send one value along several steps.
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
