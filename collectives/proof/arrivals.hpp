/// @file
/// Arrivals: what a collective of blocks is to do, as its definition says, whatever algorithm does it.
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

/// A block on its way: the `sent`-th of rank `source` becomes the `received`-th of rank `target`, or is combined into
/// it.
struct Arrival {
  int source;
  std::size_t sent;
  int target;
  std::size_t received;
  std::size_t number;  ///< what messages call it
};

// All arrivals of a collective, those at one block in a row.

/// ICPP 2019, section 2, and EuroMPI 2015, section 4: block i comes from the process at minus offset i. Where there is
/// none, beyond the edge of a mesh, nothing comes and nothing is touched.
[[nodiscard]] std::vector<Arrival> cartesian_arrivals(const Grid& grid, const Neighborhood& neighborhood,
                                                      const Call& call);

/// Without a neighborhood, of p ranks. Alltoall: block i of rank j's receive buffer is block j of rank i's send buffer
/// (zero-copy Bruck paper, section 2). Allreduce: the vectors of all ranks are combined into the only block of each;
/// reduce-scatter: their parts j into that of rank j (MPI 3.1, sections 5.9.6 and 5.10). In place, nothing is said of
/// a block that stays as it is.
[[nodiscard]] std::vector<Arrival> dense_arrivals(int p, const Call& call);

/// Along the edges of a topology (MPI 3.1, section 7.6). `lists`: of all ranks.
[[nodiscard]] std::vector<Arrival> edge_arrivals(std::span<const edges::Lists> lists, Collective collective);

/// Where one rank's blocks lie.
struct BlocksOfRank {
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
};

/// The same for the schedule checker, byte by byte. Where only one block arrives, it is there as it is.
struct Definition {
  std::vector<Placement> placements;
  std::vector<Combination> combinations = {};
};

/// `blocks`: of all ranks. Goes through them piece by piece and not by a copy program, as that is among what is
/// checked. Throws Error, MPI_ERR_TRUNCATE, naming the block and the ranks, where one is not as long as what arrives.
[[nodiscard]] Definition definition_of(std::span<const Arrival> arrivals, std::span<const BlocksOfRank> blocks);

}  // namespace rondo::internal

#endif
