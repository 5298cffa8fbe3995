/// @file
/// Arrivals: what a collective of blocks must do by its definition, whatever algorithm does it.
#ifndef RONDO_COLLECTIVES_PROOF_ARRIVALS_HPP
#define RONDO_COLLECTIVES_PROOF_ARRIVALS_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/blocks/call.hpp"
#include "collectives/edges/lists.hpp"
#include "collectives/topology/grid.hpp"
#include "runtime/check/schedule_checker.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal {

/// A transfer of one block: the `sent`-th block of rank `source` becomes the `received`-th of rank `target`, or is
/// combined into it.
struct Arrival {
  int source;
  std::size_t sent;
  int target;
  std::size_t received;
  std::size_t number;  ///< the block's number in messages
};

// Functions that return all arrivals of a collective, with those at one block in a row.

/// Returns the arrivals in a Cartesian neighborhood (ICPP 2019, section 2; EuroMPI 2015, section 4): block i comes from
/// the process at minus offset i. If there is none, beyond the edge of a mesh, nothing comes and nothing is touched.
[[nodiscard]] std::vector<Arrival> cartesian_arrivals(const Grid& grid, const Neighborhood& neighborhood,
                                                      const Call& call);

/// Returns the arrivals without a neighborhood, of p ranks. Alltoall: block i of rank j's receive buffer is block j of
/// rank i's send buffer (zero-copy Bruck paper, section 2). Allreduce: the vectors of all ranks are combined into the
/// only block of each rank. Reduce-scatter: their parts j are combined into the block of rank j (MPI 3.1, sections
/// 5.9.6 and 5.10). In place, a block that stays as it is has no arrival.
[[nodiscard]] std::vector<Arrival> dense_arrivals(int p, const Call& call);

/// Returns the arrivals along the edges of a topology (MPI 3.1, section 7.6). `lists`: those of all ranks.
[[nodiscard]] std::vector<Arrival> edge_arrivals(std::span<const edges::Lists> lists, Collective collective);

/// The places of the blocks that one rank sends and receives.
struct BlocksOfRank {
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
};

/// The definition of a collective: its arrivals byte by byte, for the schedule checker. If only one block arrives at a
/// place, it is not combined.
struct Definition {
  std::vector<Placement> placements;
  std::vector<Combination> combinations = {};
};

/// Returns the definition for these arrivals. `blocks`: those of all ranks. Goes through blocks piece by piece rather
/// than by a copy program, which is part of what is checked. Throws Error (MPI_ERR_TRUNCATE), naming the block and the
/// ranks, if a block is not as long as what arrives.
[[nodiscard]] Definition definition_of(std::span<const Arrival> arrivals, std::span<const BlocksOfRank> blocks);

}  // namespace rondo::internal

#endif
