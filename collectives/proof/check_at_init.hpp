/// @file
/// check_at_init(), for RONDO_CHECK: checks the result of an _init call of a collective of blocks on all ranks together
/// before any rank may start it.
#ifndef RONDO_COLLECTIVES_PROOF_CHECK_AT_INIT_HPP
#define RONDO_COLLECTIVES_PROOF_CHECK_AT_INIT_HPP

#include <mpi.h>

#include "collectives/arguments/checked_call.hpp"
#include "collectives/proof/arrivals.hpp"
#include "runtime/base/byte_stream.hpp"
#include "runtime/schedule/schedule.hpp"

#include <functional>
#include <span>
#include <vector>

namespace rondo::internal {

/// Functions by which rank 0 finds out where blocks are to arrive. All ranks may send rank 0 information first.
struct ArrivalsOfAll {
  std::function<void(ByteWriter&)> tell;
  /// Returns the arrivals. `told`: what `tell` wrote, by rank.
  std::function<std::vector<Arrival>(std::span<ByteReader> told)> find;
  bool barrier = false;  ///< nothing arrives, but no rank may end before all have begun
};

/// Checks for bytes that are received twice, and gathers the schedules and the blocks of all ranks on rank 0. Rank 0
/// checks whether blocks are as long, and of the same basic types, where they are received as where they are sent, and
/// runs the schedule checker. Collective over `comm`, blocking; time and memory grow with the whole operation, so this
/// is for finding errors. Throws Error on all ranks alike: MPI_ERR_BUFFER for bytes in two receive blocks or twice in
/// one, MPI_ERR_TRUNCATE or MPI_ERR_TYPE for blocks that do not fit each other, MPI_ERR_INTERN with the checker's
/// finding for a wrong schedule.
void check_at_init(const Schedule& schedule, const CheckedCall& checked, const ArrivalsOfAll& arrivals, MPI_Comm comm);

}  // namespace rondo::internal

#endif
