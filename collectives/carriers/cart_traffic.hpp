/// @file
/// CartTraffic: the NodeTraffic of a collective over a neighborhood on a grid of processes.
#ifndef RONDO_COLLECTIVES_CARRIERS_CART_TRAFFIC_HPP
#define RONDO_COLLECTIVES_CARRIERS_CART_TRAFFIC_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <utility>

namespace rondo::internal {

/// The traffic of a collective in which each rank sends one block to each neighbor. A block has the neighbor's number.
/// `bytes_of(source, number)`: the size of a block, which all ranks know. Keeps references.
template <typename BytesOf>
class CartTraffic final : public NodeTraffic {
 public:
  CartTraffic(const NodeMembers& nodes, const Grid& grid, const Neighborhood& hood, BytesOf bytes_of)
      : NodeTraffic(nodes), grid_(grid), hood_(hood), bytes_of_(std::move(bytes_of)) {}

  void visit_sent(int rank, const Visit& visit) const override {
    visit_from(rank, 1, [&](int target, std::uint32_t number) {
      if (const std::int64_t bytes = bytes_of_(rank, number); bytes > 0) visit(target, number, bytes);
    });
  }
  void visit_received(int rank, const Visit& visit) const override {
    visit_from(rank, -1, [&](int source, std::uint32_t number) {
      if (const std::int64_t bytes = bytes_of_(source, number); bytes > 0) visit(source, number, bytes);
    });
  }

 private:
  template <typename VisitBlock>
  void visit_from(int rank, int sign, VisitBlock visit) const {
    const Grid grid = grid_.seen_from(rank);
    for (int i = 0; i < hood_.size(); ++i) {
      const int other = grid.relative_rank(hood_[i], sign);
      if (other != kNoRank) visit(other, static_cast<std::uint32_t>(i));
    }
  }

  const Grid& grid_;
  const Neighborhood& hood_;
  BytesOf bytes_of_;
};

}  // namespace rondo::internal

#endif
