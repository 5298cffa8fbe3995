// As in docs/own-collectives.md.
#pragma once
#include <mpi.h>
#include <rondo/schedule.hpp>

inline rondo::Lowering doubling(int count) {
  return [=](rondo::ScheduleBuilder& build, int rank, int size) {
    build.set_reduction(count, MPI_DOUBLE, MPI_SUM);
    const rondo::Block own = build.send_block(0, count, MPI_DOUBLE);
    const rondo::Block result = build.recv_block(0, count, MPI_DOUBLE);
    build.copy(own, result);
    for (int far = 1; far < size; far *= 2) {
      build.begin_phase();
      const rondo::Block arriving = build.operand();
      build.exchange(rank ^ far, result, arriving);  // sends result, receives arriving
      build.reduce(arriving, result);                // result = arriving + result
    }
  };
}
