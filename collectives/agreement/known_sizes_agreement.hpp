/// @file
/// agree_on_known_sizes(): checks in an `_init` call of a dense collective that all ranks were given the same sizes.
#ifndef RONDO_COLLECTIVES_AGREEMENT_KNOWN_SIZES_AGREEMENT_HPP
#define RONDO_COLLECTIVES_AGREEMENT_KNOWN_SIZES_AGREEMENT_HPP

#include <mpi.h>

#include "collectives/arguments/checked_call.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <exception>

namespace rondo::internal {

/// The sizes in bytes that this rank was given and that all ranks must be given alike: a hash of them, and their sum.
struct KnownSizesHere {
  std::uint64_t hash = 0;
  std::int64_t bytes = 0;
};
/// Returns the hash and the sum of the sizes that a call gives on this rank.
[[nodiscard]] KnownSizesHere known_sizes_of(const CheckedCall& checked, const CallShapes& shapes);

/// Checks that all ranks give the same sizes. Collective over `comm`: one small allreduce. `here`: any value if there
/// is `trouble`. Throws on all ranks alike: `trouble` on the ranks that have it, and MPI_ERR_ARG on the others;
/// MPI_ERR_INFO_VALUE if ranks ask for different settings; MPI_ERR_BUFFER if the call is in place on some ranks only;
/// MPI_ERR_ROOT if roots differ; MPI_ERR_COUNT if sizes differ; MPI_ERR_OP if an operation is commutative on some ranks
/// only.
void agree_on_known_sizes(const Call& call, const KnownSizesHere& here, const Settings& settings,
                          const std::exception_ptr& trouble, MPI_Comm comm);

}  // namespace rondo::internal

#endif
