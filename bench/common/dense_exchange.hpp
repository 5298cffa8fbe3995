/// @file
/// The rivals: one dense alltoall, regular or irregular, done by MPI's own collectives, by hand and by Rondo.
#ifndef RONDO_BENCH_DENSE_EXCHANGE_HPP
#define RONDO_BENCH_DENSE_EXCHANGE_HPP

#include "harness.hpp"
#include "plan.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Bytes of the block that `source` sends to `target`: the same function on all ranks.
using BlockBytes = std::function<int(int source, int target)>;

/// Blocks, one after the other, between all ranks of MPI_COMM_WORLD, and every variant of exchanging them.
class DenseExchange {
 public:
  /// Blocks of `bytes` bytes each, by the calls named alltoall.
  explicit DenseExchange(int bytes);
  /// Blocks of any sizes, by the calls named alltoallv: variants have a v in their names.
  explicit DenseExchange(const BlockBytes& bytes);
  DenseExchange(const DenseExchange&) = delete;
  DenseExchange& operator=(const DenseExchange&) = delete;
  ~DenseExchange();

  /// Rondo, persistent; `algorithm` as the info key, `radix` of Bruck's. What "auto" has chosen is part of its name.
  [[nodiscard]] Variant rondo_persistent(const std::string& algorithm, int radix = 0);
  /// The same with any options.
  [[nodiscard]] Variant rondo_with(const rondo::Options& options, std::string name);
  /// The same, but made and freed in each repetition: what persistence takes out of it.
  [[nodiscard]] Variant rondo_made_each_time(const std::string& algorithm);
  /// Name of the algorithm that the last variant of rondo_persistent() runs: another one where that was not to be had.
  [[nodiscard]] std::string runs() const { return plan_of(kept_.back()); }
  /// On a communicator of its own.
  [[nodiscard]] Variant rondo_blocking(const std::string& algorithm = "auto");
  [[nodiscard]] Variant rondo_nonblocking();
  /// MPI's own are MPI_Alltoallv and its kin where blocks may have any sizes.
  [[nodiscard]] Variant mpi_alltoall();
  /// Waiting by MPI_Wait, or by testing and yielding the core.
  [[nodiscard]] Variant mpi_ialltoall(bool yielding);
  [[nodiscard]] Variant mpi_alltoall_init(bool yielding);
  [[nodiscard]] Variant isend_irecv(bool yielding);
  /// What the first variant of rondo_persistent() was chosen from.
  [[nodiscard]] std::string explain_first() const { return kept_.front().explain(); }

 private:
  /// Where the blocks of one of the buffers lie.
  struct Blocks {
    std::vector<int> counts;
    std::vector<int> displacements;
    [[nodiscard]] rondo::BlockPlaces places() const { return {counts, displacements}; }
    /// Calls visit(block, byte in it, byte of the buffer).
    template <typename Visit>
    void for_each_byte(Visit visit) const {
      for (std::size_t block = 0; block < counts.size(); ++block) {
        for (int byte = 0; byte < counts[block]; ++byte)
          visit(static_cast<int>(block), byte, static_cast<std::size_t>(displacements[block] + byte));
      }
    }
  };

  DenseExchange(const BlockBytes& bytes, bool irregular);
  [[nodiscard]] Variant make(std::string name, bool ours, std::function<void(int)> run);
  [[nodiscard]] rondo::Request init(const rondo::Options& options);
  /// Of the regular problem.
  [[nodiscard]] int bytes() const { return send_blocks_.counts.front(); }

  int p_ = 1;
  int rank_ = 0;
  bool irregular_;
  std::string v_;      ///< in the names of MPI's calls
  std::string rondo_;  ///< what names of ours begin with
  rondo::Comm comm_;
  std::vector<rondo::Comm> comms_;
  Blocks send_blocks_;
  Blocks recv_blocks_;
  std::vector<char> send_;
  std::vector<char> recv_;
  std::vector<rondo::Request> kept_;
  std::vector<MPI_Request> requests_;
  MPI_Request persistent_ = MPI_REQUEST_NULL;
};

}  // namespace bench

#endif
