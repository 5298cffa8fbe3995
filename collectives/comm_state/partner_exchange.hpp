/// @file
/// The exchange of one message each way with each of some partners, while something is being made.
#ifndef RONDO_COLLECTIVES_COMM_STATE_PARTNER_EXCHANGE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_PARTNER_EXCHANGE_HPP

#include <mpi.h>

#include "collectives/comm_state/waiting.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/world.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace rondo::internal {

/// The data for a partner, and the place for the partner's data.
struct Ends {
  const void* own;
  void* theirs;
};

/// Exchanges `bytes` bytes with each partner. `making` has partners(), each with a rank, and two requests() for each;
/// `ends_of(partner)` returns the data to exchange. Operations in flight go on meanwhile. Throws Error if MPI fails,
/// and TimedOut if nothing has moved for RONDO_TIMEOUT: then the memory that MPI works on must be kept.
template <typename Making, typename EndsOf>
void exchange_with_partners(Making& making, std::size_t bytes, MPI_Comm comm, int tag, EndsOf ends_of) {
  const auto count = static_cast<int>(bytes);
  const std::span<MPI_Request> requests = making.requests();
  MPI_Request* request = requests.data();
  for (auto& partner : making.partners())
    check_mpi(MPI_Irecv(ends_of(partner).theirs, count, MPI_BYTE, partner.rank, tag, comm, request++), "MPI_Irecv");
  for (auto& partner : making.partners())
    check_mpi(MPI_Isend(ends_of(partner).own, count, MPI_BYTE, partner.rank, tag, comm, request++), "MPI_Isend");
  const auto complete = [requests] {
    int all = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return all != 0;
  };
  wait_until(std::ref(complete), describe_comm(comm).view(), Patience::ends);
}

}  // namespace rondo::internal

#endif
