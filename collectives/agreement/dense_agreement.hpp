/// @file
/// DenseAgreement: the agreement of ranks on the sizes of blocks in an `_init` call of a dense alltoall.
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

/// The bytes of the largest and the smallest block, of this rank or of all ranks. `known`: whether they are known.
struct DenseSizes {
  bool known = false;
  std::int64_t largest = 0;
  std::int64_t smallest = 0;
};

/// Returns the largest and the smallest size of this rank's send blocks. Over all ranks, receive blocks have the same.
[[nodiscard]] DenseSizes sizes_here(const CallShapes& shapes);

/// The words by which ranks agree on the sizes of a dense alltoall, and the conclusions from them (zero-copy Bruck
/// paper, section 3.5: the largest and smallest element).
class DenseAgreement {
 public:
  /// Adds this rank's words, for the ranks of `comm`. `here`: not known if there is `trouble`.
  DenseAgreement(const Call& call, const DenseSizes& here, const Settings& settings, const std::exception_ptr& trouble,
                 MPI_Comm comm);

  Agreement words;
  /// Returns the largest and the smallest size over all ranks. Call this only after the words were exchanged. Throws on
  /// all ranks alike: MPI_ERR_INFO_VALUE if ranks ask for different settings; MPI_ERR_BUFFER if the call is in place on
  /// some ranks only; MPI_ERR_COUNT if a regular call's sizes differ.
  [[nodiscard]] DenseSizes agreed() const;

 private:
  bool regular_;
  bool in_place_;
  std::int64_t largest_here_;
  Agreement::Same wanted_;
  Agreement::Greatest largest_;
  Agreement::Least smallest_;
  Agreement::Same places_;  ///< whether the call is in place
};

/// Returns the sizes of the blocks that pass through this process in the Bruck algorithm that dense::choose() will
/// choose for an irregular problem, or that is predicted to come near the best. Returns no sizes if choose() will
/// choose another algorithm and no Bruck algorithm is near. `problem`, `within`: see dense::radix_to_exchange(). If the
/// problem is irregular but regular enough, collective over `comm` with `tag`: a small allreduce, and the exchange of
/// section 3.5. Throws on all ranks alike, except for errors of MPI, which may be thrown on one rank.
[[nodiscard]] dense::RoundSizes exchange_sizes(const dense::Problem& problem, std::string_view algorithm, double within,
                                               MPI_Comm comm, int tag);

}  // namespace rondo::internal

#endif
