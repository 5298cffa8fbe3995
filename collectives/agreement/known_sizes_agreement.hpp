/// @file
/// What ranks tell each other in an `_init` call of a dense collective whose sizes each of them was given.
#ifndef RONDO_COLLECTIVES_AGREEMENT_KNOWN_SIZES_AGREEMENT_HPP
#define RONDO_COLLECTIVES_AGREEMENT_KNOWN_SIZES_AGREEMENT_HPP

#include <mpi.h>

#include "collectives/arguments/checked_call.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <exception>

namespace rondo::internal {

/// The sizes that all ranks are to give alike, in bytes, as one number, and their sum.
struct KnownSizesHere {
  std::uint64_t hash = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] KnownSizesHere known_sizes_of(const CheckedCall& checked, const CallShapes& shapes);

/// One small allreduce over `comm`. `here`: whatever where there is trouble. Throws on all ranks alike: `trouble`, and
/// MPI_ERR_ARG on the others; MPI_ERR_INFO_VALUE when ranks ask for different settings; MPI_ERR_BUFFER when it is in
/// place for some only; MPI_ERR_COUNT when sizes differ; MPI_ERR_OP when an operation is commutative for some only.
void agree_on_known_sizes(const Call& call, const KnownSizesHere& here, const Settings& settings,
                          const std::exception_ptr& trouble, MPI_Comm comm);

}  // namespace rondo::internal

#endif
