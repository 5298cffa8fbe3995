/// @file
/// An allreduce of the user's own, for tests of collectives that learn.
#ifndef RONDO_TESTS_SUPPORT_OPERATIONS_OWN_ALLREDUCE_HPP
#define RONDO_TESTS_SUPPORT_OPERATIONS_OWN_ALLREDUCE_HPP

#include <mpi.h>
#include <rondo/schedule.hpp>

namespace rondo::internal {

/// An allreduce of one number by rank 0.
inline void at_rank_0(rondo::ScheduleBuilder& build, int rank, int size, MPI_Datatype type) {
  build.set_reduction(1, type, MPI_SUM);
  const Block sum = build.recv_block(0, 1, type);
  build.copy(build.send_block(0, 1, type), sum);
  if (rank != 0) build.send(0, sum);
  for (int other = 1; rank == 0 && other < size; ++other) {
    const Block operand = build.operand();
    build.receive(other, operand);
    build.reduce(operand, sum);
  }
  for (int other = 1; rank == 0 && other < size; ++other) build.send(other, sum);
  if (rank != 0) build.receive(0, sum);
}

}  // namespace rondo::internal

#endif
