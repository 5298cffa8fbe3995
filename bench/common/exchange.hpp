/// @file
/// The rivals: one alltoall over a neighborhood, done by MPI's own collectives and by hand.
#ifndef RONDO_BENCH_EXCHANGE_HPP
#define RONDO_BENCH_EXCHANGE_HPP

#include "harness.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <vector>

namespace bench {

/// Buffers of t blocks of `bytes` bytes each, one after the other, on a torus, and every variant of exchanging them.
class Exchange {
 public:
  /// Collective: makes the distributed graph communicator that MPI's collectives need.
  Exchange(std::vector<int> sizes, const rondo::Neighborhood& neighborhood, int bytes);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  /// Rondo, persistent, alltoallw or alltoall; `algorithm` as the info key.
  [[nodiscard]] Variant rondo_persistent(const char* algorithm, bool irregular);
  [[nodiscard]] Variant rondo_blocking(const char* algorithm);
  /// What the first variant, if that was persistent and "auto", was chosen from.
  [[nodiscard]] std::string explain_auto() const { return kept_requests_.front().explain(); }
  [[nodiscard]] Variant mpi_neighbor_alltoall();
  [[nodiscard]] Variant mpi_neighbor_alltoallw();
  [[nodiscard]] Variant mpi_ineighbor_alltoallw();
  /// Isend and Irecv; waiting by MPI_Waitall, or by testing and yielding the core.
  [[nodiscard]] Variant isend_irecv(bool yielding);
  [[nodiscard]] Variant persistent_point_to_point(bool yielding);

 private:
  [[nodiscard]] bool verify(const std::function<void(int)>& run);
  [[nodiscard]] Variant make(std::string name, bool ours, std::function<void(int)> run);
  void wait_all(std::vector<MPI_Request>& requests, bool yielding);
  [[nodiscard]] rondo::CartComm torus_with(const char* algorithm) const;

  std::vector<int> sizes_;
  rondo::Neighborhood neighborhood_;
  int bytes_;
  int t_;
  rondo::CartComm torus_;
  std::vector<rondo::CartComm> kept_tori_;
  std::vector<rondo::Request> kept_requests_;
  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<char> send_;
  std::vector<char> recv_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> places_;
  std::vector<MPI_Datatype> types_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> persistent_;
};

}  // namespace bench

#endif
