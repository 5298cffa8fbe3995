// As in docs/own-collectives.md.
#include "doubling.hpp"

#include <rondo/own/predict.hpp>

#include <cstdio>
#include <vector>

rondo::Lowering all_at_once(int count) {
  return [=](rondo::ScheduleBuilder& build, int rank, int size) {
    build.set_reduction(count, MPI_DOUBLE, MPI_SUM);
    const rondo::Block own = build.send_block(0, count, MPI_DOUBLE);
    const rondo::Block result = build.recv_block(0, count, MPI_DOUBLE);
    build.copy(own, result);
    for (int shift = 1; shift < size; ++shift) {
      const rondo::Block arriving = build.operand();
      build.exchange((rank + shift) % size, (rank + size - shift) % size, own, arriving);
      build.reduce(arriving, result);
    }
  };
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const std::vector<rondo::OwnAlgorithm> ways{{"doubling", doubling(1000)}, {"all-at-once", all_at_once(1000)}};
    const rondo::Machine cluster = rondo::Machine::named("omni-path", 4);  // 4 ranks on each node
    for (const rondo::OwnAlgorithm& way : ways) {
      const rondo::PredictedTime time = rondo::predict(way.lower, 64, cluster);
      std::printf("64 ranks, %s: %.0f ns\n", way.name.c_str(), time.nanoseconds);
    }
    rondo::OwnCollective allreduce(MPI_COMM_WORLD, "my allreduce", ways);
    const std::vector<double> mine(1000, 1.0);
    std::vector<double> all(1000);
    rondo::Request request = allreduce.init(mine, all);
    request.start();
    request.wait();
    std::printf("%g\n%s", all[999], request.explain().c_str());
  }
  MPI_Finalize();
}
