/// @file
/// The definition of a Cartesian alltoall, for the schedule checker.
#ifndef RONDO_COLLECTIVES_ALLTOALL_DEFINITION_HPP
#define RONDO_COLLECTIVES_ALLTOALL_DEFINITION_HPP

#include "collectives/alltoall_problem.hpp"
#include "runtime/schedule_checker.hpp"

#include <span>
#include <vector>

namespace rondo {

/// Where one rank's blocks lie.
struct BlocksOfRank {
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
};

/// ICPP 2019, section 2: block i of a rank's receive buffer is block i of the send buffer of the process at minus
/// offset i, if there is one. `blocks`: of all ranks. Throws Error, MPI_ERR_TRUNCATE, naming the block, where the two
/// differ in size.
[[nodiscard]] std::vector<Placement> alltoall_definition(const Grid& grid, const Neighborhood& neighborhood,
                                                         std::span<const BlocksOfRank> blocks);

}  // namespace rondo

#endif
