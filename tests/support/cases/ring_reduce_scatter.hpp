/// @file
/// A reduce-scatter as a collective of the user's own.
#ifndef RONDO_TESTS_RING_REDUCE_SCATTER_HPP
#define RONDO_TESTS_RING_REDUCE_SCATTER_HPP

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <cstdint>

namespace rondo::internal {

/// A reduce-scatter around a ring, of blocks that are not all as long: a reduction for each length.
inline Lowering ring_reduce_scatter(int count) {
  return [count](rondo::ScheduleBuilder& build, int rank, int size) {
    const auto length = [&](int block) { return count / size + (block < count % size ? 1 : 0); };
    const auto own = [&](int block) {
      std::int64_t begin = 0;
      for (int before = 0; before < block; ++before) begin += length(before);
      return build.send_block(begin * 8, length(block), MPI_DOUBLE);
    };
    Block partial = own((rank + size - 1) % size);
    for (int step = 0; step + 1 < size; ++step) {
      const int block = (rank + 2 * size - 2 - step) % size;
      build.set_reduction(length(block), MPI_DOUBLE, MPI_SUM);
      const Block arriving = build.operand();
      build.exchange((rank + 1) % size, (rank + size - 1) % size, partial, arriving);
      build.reduce(own(block), arriving);
      partial = arriving;
    }
    build.copy(partial, build.recv_block(0, length(rank), MPI_DOUBLE));
  };
}

}  // namespace rondo::internal

#endif
