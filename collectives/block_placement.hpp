/// @file
/// Definitions of collectives, for the schedule checker, block by block.
#ifndef RONDO_COLLECTIVES_BLOCK_PLACEMENT_HPP
#define RONDO_COLLECTIVES_BLOCK_PLACEMENT_HPP

#include "collectives/alltoall_problem.hpp"
#include "runtime/schedule_checker.hpp"

#include <vector>

namespace rondo {

/// A user's block and the rank that has it.
struct BlockOfRank {
  int rank;
  BlockShape shape;
};

/// Adds the lines that say that receive block `index`, `to`, ends as the send block `from`, piece by piece and not by a
/// copy program, as that is among what is checked. Throws Error, MPI_ERR_TRUNCATE, naming the block, where the two
/// differ in size. Local.
void append_placements(std::vector<Placement>& definition, int index, const BlockOfRank& from, const BlockOfRank& to);

}  // namespace rondo

#endif
