/// @file
/// The definition of a Cartesian allgather, for the schedule checker.
#ifndef RONDO_COLLECTIVES_ALLGATHER_DEFINITION_HPP
#define RONDO_COLLECTIVES_ALLGATHER_DEFINITION_HPP

#include "collectives/alltoall_problem.hpp"
#include "runtime/schedule_checker.hpp"

#include <span>
#include <vector>

namespace rondo {

/// Where one rank's blocks lie.
struct GatheredBlocksOfRank {
  BlockShape send;
  std::span<const BlockShape> recv;
};

/// ICPP 2019, section 2: block i of a rank's receive buffer is the send block of the process at minus offset i. Where
/// that does not exist, block i is left as it is. `blocks`: of all ranks. Throws Error, MPI_ERR_TRUNCATE, naming the
/// block, where the two differ in size.
[[nodiscard]] std::vector<Placement> allgather_definition(const Grid& grid, const Neighborhood& neighborhood,
                                                          std::span<const GatheredBlocksOfRank> blocks);

}  // namespace rondo

#endif
