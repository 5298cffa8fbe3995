/// @file
/// The definition of a dense alltoall, for the schedule checker.
#ifndef RONDO_COLLECTIVES_DENSE_DEFINITION_HPP
#define RONDO_COLLECTIVES_DENSE_DEFINITION_HPP

#include "collectives/alltoall_definition.hpp"

#include <span>
#include <vector>

namespace rondo {

/// Block i of rank j's receive buffer is block j of rank i's send buffer (zero-copy Bruck paper, section 2). `blocks`:
/// of all ranks, p on either side. In place what is sent is what the receive buffer holds at the start, and nothing is
/// said of the block that stays. Throws Error, MPI_ERR_TRUNCATE, naming the block, where the two differ in size.
[[nodiscard]] std::vector<Placement> dense_definition(std::span<const BlocksOfRank> blocks, bool in_place);

}  // namespace rondo

#endif
