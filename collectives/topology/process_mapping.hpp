/// @file
/// ProcessMapping: assigns processes to places of a grid, so that heavy neighbors are on one node (ICPP 2019, section
/// 2: weights and `reorder`).
#ifndef RONDO_COLLECTIVES_TOPOLOGY_PROCESS_MAPPING_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_PROCESS_MAPPING_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Returns the sum of the weights of all neighbors, of all places of a grid, that are not on their process's node.
/// `node_at`: for each place, by rank in the grid, a number of the node that its process is on.
[[nodiscard]] std::uint64_t weighted_distance(const Grid& grid, const Neighborhood& neighborhood,
                                              std::span<const int> node_at);

struct ProcessMapping {
  std::vector<int> place_of;  ///< for each rank its place, by rank in the grid; empty: none moves
  std::uint64_t before = 0;   ///< weighted distance if none moves
  std::uint64_t after = 0;
  std::uint64_t busiest_before = 0;  ///< part of `before` that the busiest node sends and receives
  std::uint64_t busiest_after = 0;
};

/// Returns the best of three mappings. In the first, each process stays where it is. In the second, each node takes a
/// box, all of one shape, if nodes have equally many processes: of the shapes that fill the grid the one with the least
/// weighted distance. In the third (greedy), one node after another takes a free place, and grows from it by the free
/// place that is tied to it most. No process moves unless that shortens the weighted distance. Of mappings that do, the
/// best is the one whose busiest node sends to and receives from other nodes least, because an exchange takes as long
/// as there: the last node to grow may get the rest in pieces. Then comes the one whose busiest process does so least,
/// then the least weighted distance, then the first. Deterministic. Takes O(p t (d + log p)).
[[nodiscard]] ProcessMapping map_processes(const Grid& grid, const Neighborhood& neighborhood,
                                           std::span<const int> node_of_rank);

}  // namespace rondo::internal

#endif
