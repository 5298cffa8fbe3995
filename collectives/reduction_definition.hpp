/// @file
/// The definition of a neighborhood reduction, for the schedule checker.
#ifndef RONDO_COLLECTIVES_REDUCTION_DEFINITION_HPP
#define RONDO_COLLECTIVES_REDUCTION_DEFINITION_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/grid.hpp"
#include "collectives/reduction_problem.hpp"
#include "runtime/schedule_checker.hpp"

#include <span>
#include <vector>

namespace rondo {

/// Where one rank's vectors lie: one sent in a reduce, t in a scatter-reduce.
struct VectorsOfRank {
  std::span<const BlockShape> send;
  BlockShape recv;
};

/// What the receive buffers end as. Where a rank has one source only, its vector is there as it is.
struct ReductionDefinition {
  std::vector<Placement> placements;
  std::vector<Combination> combinations;
};

/// EuroMPI 2015, section 4: a rank's receive buffer is the combination, for each i for which there is a process at
/// minus offset i, of what that process sends to its neighbor i. `vectors`: of all ranks. Throws Error,
/// MPI_ERR_TRUNCATE, naming the rank and i, where a vector that is sent differs in size from what its target receives.
[[nodiscard]] ReductionDefinition reduction_definition(const Grid& grid, const Neighborhood& neighborhood,
                                                       ReductionKind kind, std::span<const VectorsOfRank> vectors);

}  // namespace rondo

#endif
