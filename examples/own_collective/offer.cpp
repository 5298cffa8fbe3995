// docs/own-collectives.md: an algorithm of one's own in the library's allreduce.
#include <rondo/own/check.hpp>
#include <rondo/own/offer.hpp>

#include <bit>
#include <cstdio>
#include <iostream>
#include <vector>

rondo::OfferedAlgorithm my_doubling() {
  rondo::OfferedAlgorithm own;
  own.name = "my-doubling";
  own.applies = [](const rondo::DenseProblem& problem) {
    return problem.commutative && std::has_single_bit(static_cast<unsigned>(problem.size));
  };
  own.lower = [](rondo::ScheduleBuilder& build, const rondo::DenseProblem& problem, const rondo::DenseBlocks& blocks) {
    const rondo::Block result = blocks.received();
    build.copy(blocks.sent(), result);
    for (int far = 1; far < problem.size; far *= 2) {
      const rondo::Block arriving = build.operand();
      build.exchange(blocks.rank() ^ far, result, arriving);
      build.reduce(arriving, result);
    }
  };
  return own;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const auto problem = rondo::DenseProblem::of_allreduce(64, 1000, MPI_DOUBLE, MPI_SUM);
    std::cout << "64 ranks: " << rondo::check(rondo::lowering_of(my_doubling(), problem), 64) << "\n";
    rondo::Comm comm(MPI_COMM_WORLD);
    rondo::offer(comm, rondo::DenseCollective::allreduce, my_doubling());
    std::vector<double> all(1000, 1.0);
    comm.allreduce(rondo::in_place, all, MPI_SUM);  // may run it
    rondo::Options asked;
    asked.dense.own_algorithm = "my-doubling";
    const rondo::Request request = comm.allreduce_init(rondo::in_place, all, MPI_SUM, asked);  // runs it
    std::printf("%g\n%s", all[999], request.explain().c_str());
  }
  MPI_Finalize();
}
