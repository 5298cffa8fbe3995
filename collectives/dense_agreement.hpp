/// @file
/// What ranks tell each other in an `_init` call of a dense alltoall.
#ifndef RONDO_COLLECTIVES_DENSE_AGREEMENT_HPP
#define RONDO_COLLECTIVES_DENSE_AGREEMENT_HPP

#include <mpi.h>

#include "collectives/dense_call.hpp"

#include "collectives/dense_problem.hpp"
#include "collectives/round_sizes.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>

namespace rondo {

/// Bytes of the largest and the smallest block of all ranks, as far as all know them.
struct DenseSizes {
  bool known = false;
  std::int64_t largest = 0;
  std::int64_t smallest = 0;
};

/// Of this rank's blocks. Those that are sent and those that are received are the same, over all ranks.
[[nodiscard]] DenseSizes sizes_here(const DenseShapes& shapes);

/// What ranks tell each other by take_greatest(), and what follows (zero-copy Bruck paper, section 3.5: the largest and
/// the smallest element).
class SizeWords {
 public:
  /// `here`: not known where there is trouble, as `trouble`, a rank_word(), says.
  SizeWords(const DenseCall& call, const DenseSizes& here, const Settings& settings, std::uint64_t trouble);
  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
  /// After the words became those of all ranks. Throws on all ranks alike: `trouble` where there is one, MPI_ERR_ARG on
  /// the others; MPI_ERR_INFO_VALUE when ranks ask for different settings; MPI_ERR_BUFFER when it is in place for some
  /// only; MPI_ERR_COUNT when a regular call's sizes differ.
  [[nodiscard]] DenseSizes agreed(const std::exception_ptr& trouble) const;

 private:
  bool regular_;
  bool in_place_;
  std::int64_t largest_here_;
  std::array<std::uint64_t, 7> words_;
};

/// One small allreduce (zero-copy Bruck paper, section 3.5: the largest and the smallest element). `trouble`: why there
/// are no sizes on this rank. Throws on all ranks alike: `trouble` where there is one, MPI_ERR_ARG on the others;
/// MPI_ERR_INFO_VALUE when ranks ask for different settings; MPI_ERR_BUFFER when some are in place and others are not;
/// MPI_ERR_COUNT when a regular call's sizes differ. Collective over `comm`.
[[nodiscard]] DenseSizes agree_on_sizes(const DenseCall& call, const DenseSizes& here, const Settings& settings,
                                        const std::exception_ptr& trouble, MPI_Comm comm);

/// What passes through this process in the Bruck algorithm that choose_dense() is going to choose for an irregular
/// problem; none where it chooses another. `problem`: see radix_to_exchange(). Where the problem is irregular and yet
/// regular enough, collective over `comm`, of which `tag` is used: a small allreduce, and the exchange of section 3.5.
/// Throws on all ranks alike, but for what MPI may throw on one.
[[nodiscard]] RoundSizes exchange_sizes(const DenseProblem& problem, std::string_view algorithm, MPI_Comm comm,
                                        int tag);

}  // namespace rondo

#endif
