/// @file
/// What ranks tell each other in an `_init` call of a dense alltoall.
#ifndef RONDO_COLLECTIVES_AGREEMENT_DENSE_AGREEMENT_HPP
#define RONDO_COLLECTIVES_AGREEMENT_DENSE_AGREEMENT_HPP

#include <mpi.h>

#include "collectives/arguments/checked_call.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/dense_alltoall/problem.hpp"
#include "collectives/dense_alltoall/round_sizes.hpp"
#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <exception>
#include <string_view>

namespace rondo::internal {

/// Bytes of the largest and the smallest block of all ranks, as far as all know them.
struct DenseSizes {
  bool known = false;
  std::int64_t largest = 0;
  std::int64_t smallest = 0;
};

/// Of this rank's blocks. Those that are sent and those that are received are the same, over all ranks.
[[nodiscard]] DenseSizes sizes_here(const CallShapes& shapes);

/// What ranks tell each other in a call, and what follows (zero-copy Bruck paper, section 3.5: the largest and the
/// smallest element).
class DenseAgreement {
 public:
  /// `here`: not known where there is trouble. Over `comm`.
  DenseAgreement(const Call& call, const DenseSizes& here, const Settings& settings, const std::exception_ptr& trouble,
                 MPI_Comm comm);

  Agreement words;
  /// After they were told. Throws on all ranks alike: MPI_ERR_INFO_VALUE when ranks ask for different settings;
  /// MPI_ERR_BUFFER when it is in place for some only; MPI_ERR_COUNT when a regular call's sizes differ.
  [[nodiscard]] DenseSizes agreed() const;

 private:
  bool regular_;
  bool in_place_;
  std::int64_t largest_here_;
  Agreement::Same wanted_;
  Agreement::Greatest largest_;
  Agreement::Least smallest_;
  Agreement::Same places_;  ///< in place or not
};

/// What passes through this process in the Bruck algorithm that dense::choose() is going to choose for an irregular
/// problem, or that comes near the best; none where it chooses another, and none is near. `problem`, `within`: see
/// dense::radix_to_exchange(). Where the problem is irregular and yet regular enough, collective over `comm`, of which
/// `tag` is used: a small allreduce, and the exchange of section 3.5. Throws on all ranks alike, but for what MPI may
/// throw on one.
[[nodiscard]] dense::RoundSizes exchange_sizes(const dense::Problem& problem, std::string_view algorithm, double within,
                                               MPI_Comm comm, int tag);

}  // namespace rondo::internal

#endif
