// A broadcast of one's own: segments that follow each other along a chain of all ranks.
#ifndef OWN_BROADCAST_PIPELINED_CHAIN_HPP
#define OWN_BROADCAST_PIPELINED_CHAIN_HPP

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <algorithm>
#include <cstdint>

/// All ranks end with the `bytes` bytes of the root's buffer, in place. A rank passes each segment on as soon as it is
/// there, while the next ones are on their way to it.
inline rondo::Lowering pipelined_chain(std::int64_t bytes, std::int64_t segment, int root) {
  return [=](rondo::ScheduleBuilder& build, int rank, int size) {
    build.set_in_place();
    const int place = (rank - root + size) % size;  // in the chain
    const int before = place == 0 ? MPI_PROC_NULL : (rank - 1 + size) % size;
    const int next = place == size - 1 ? MPI_PROC_NULL : (rank + 1) % size;
    for (std::int64_t begin = 0; begin < bytes; begin += segment) {
      const rondo::Block block = build.recv_block(begin, std::min(segment, bytes - begin));
      if (place == 0) build.set_filled(block);
      build.receive(before, block);
      build.send(next, block);
    }
  };
}

#endif
