/// @file
/// ProcessMapping: which process gets which place of a grid, so that heavy neighbors are on one node (ICPP 2019,
/// section 2: weights and `reorder`).
#ifndef RONDO_COLLECTIVES_TOPOLOGY_PROCESS_MAPPING_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_PROCESS_MAPPING_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The sum of the weights of all neighbors, of all places of a grid, that are not on their process's node. `node_at`:
/// for each place, by rank in the grid, a number of the node that its process is on.
[[nodiscard]] std::uint64_t weighted_distance(const Grid& grid, const Neighborhood& neighborhood,
                                              std::span<const int> node_at);

struct ProcessMapping {
  std::vector<int> place_of;  ///< for each rank its place, by rank in the grid; empty: each stays where it is
  std::uint64_t before = 0;   ///< weighted distance when each stays where it is
  std::uint64_t after = 0;
  std::uint64_t busiest_before = 0;  ///< the part of it that is the busiest node's, sending and receiving
  std::uint64_t busiest_after = 0;
};

/// The best of these: each process stays where it is; each node takes a box, all of one shape, where nodes have equally
/// many processes: of the shapes that fill the grid the one with the least weighted distance; each node in turn takes a
/// free place and grows from it by the free place that is tied to it most (greedy). Nobody moves unless that shortens
/// the weighted distance. Among those that do, the best is the one whose busiest node has least to send to other nodes
/// and to receive from them, as an exchange takes as long as there: the last to grow may get what is left, in pieces.
/// Then the one whose busiest process has, then that with the least weighted distance, then the first. Deterministic.
/// Takes O(p t (d + log p)).
[[nodiscard]] ProcessMapping map_processes(const Grid& grid, const Neighborhood& neighborhood,
                                           std::span<const int> node_of_rank);

}  // namespace rondo::internal

#endif
