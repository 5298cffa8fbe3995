// The C++ interface: users' algorithms for the library's collectives.
#include <rondo/comm.hpp>
#include <rondo/own/offer.hpp>

#include "collectives/offers/contiguous_lowering.hpp"
#include "collectives/offers/offering.hpp"
#include "collectives/operations/own_collective.hpp"
#include "collectives/own/lowering.hpp"

namespace rondo {

void offer(const Comm& comm, DenseCollective collective, const OfferedAlgorithm& algorithm) {
  internal::take_offer(*internal::OwnComm::of(comm).dense, collective, algorithm);
}

void offer(MPI_Comm comm, DenseCollective collective, const OfferedAlgorithm& algorithm) {
  internal::take_offer(*internal::OwnComm::of(comm, "rondo::offer").dense, collective, algorithm);
}

Lowering lowering_of(const OfferedAlgorithm& algorithm, const DenseProblem& problem) {
  return [=](rondo::ScheduleBuilder& build, int, int) {
    internal::lower_contiguous(algorithm, problem, internal::LoweringAccess::behind(build));
  };
}

}  // namespace rondo
