// An allreduce of one's own: recursive doubling, for any number of ranks.
#ifndef OWN_ALLREDUCE_RECURSIVE_DOUBLING_HPP
#define OWN_ALLREDUCE_RECURSIVE_DOUBLING_HPP

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <bit>

/// All ranks end with the combination of all send buffers, `count` elements each, by a commutative operation.
inline rondo::Lowering recursive_doubling(int count, MPI_Datatype type, MPI_Op op) {
  return [=](rondo::ScheduleBuilder& build, int rank, int size) {
    build.set_reduction(count, type, op);
    const rondo::Block own = build.send_block(0, count, type);
    const rondo::Block result = build.recv_block(0, count, type);
    const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));  // ranks that double

    // A rank beyond the power of two hands its elements to one below it, and is told the result in the end.
    if (rank >= core) {
      build.send(rank - core, own);
      build.receive(rank - core, result);
      return;
    }
    build.copy(own, result);
    const bool has_guest = rank + core < size;
    if (has_guest) {
      const rondo::Block of_guest = build.operand();
      build.receive(rank + core, of_guest);
      build.reduce(of_guest, result);
    }
    for (int far = 1; far < core; far *= 2) {
      build.begin_phase();
      const rondo::Block arriving = build.operand();
      build.exchange(rank ^ far, result, arriving);
      build.reduce(arriving, result);
    }
    if (has_guest) build.send(rank + core, result);
  };
}

#endif
