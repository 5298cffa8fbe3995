/// @file
/// The rivals: one dense alltoall, done by MPI's own collectives, by hand and by Rondo.
#ifndef RONDO_BENCH_DENSE_EXCHANGE_HPP
#define RONDO_BENCH_DENSE_EXCHANGE_HPP

#include "harness.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Blocks of `bytes` bytes each, one after the other, between all ranks of MPI_COMM_WORLD, and every variant of
/// exchanging them.
class DenseExchange {
 public:
  explicit DenseExchange(int bytes);
  DenseExchange(const DenseExchange&) = delete;
  DenseExchange& operator=(const DenseExchange&) = delete;
  ~DenseExchange();

  /// Rondo, persistent; `algorithm` as the info key, `radix` of Bruck's. What "auto" has chosen is part of its name.
  [[nodiscard]] Variant rondo_persistent(const std::string& algorithm, int radix = 0);
  /// The same with any options.
  [[nodiscard]] Variant rondo_with(const rondo::Options& options, std::string name);
  [[nodiscard]] Variant rondo_blocking();
  [[nodiscard]] Variant rondo_nonblocking();
  [[nodiscard]] Variant mpi_alltoall();
  /// Waiting by MPI_Wait, or by testing and yielding the core.
  [[nodiscard]] Variant mpi_ialltoall(bool yielding);
  [[nodiscard]] Variant mpi_alltoall_init(bool yielding);
  [[nodiscard]] Variant isend_irecv(bool yielding);
  /// What the first variant of rondo_persistent() was chosen from.
  [[nodiscard]] std::string explain_first() const { return kept_.front().explain(); }

 private:
  [[nodiscard]] Variant make(std::string name, bool ours, std::function<void(int)> run);

  int p_ = 1;
  int rank_ = 0;
  int bytes_;
  rondo::Comm comm_;
  std::vector<char> send_;
  std::vector<char> recv_;
  std::vector<rondo::Request> kept_;
  std::vector<MPI_Request> requests_;
  MPI_Request persistent_ = MPI_REQUEST_NULL;
};

}  // namespace bench

#endif
