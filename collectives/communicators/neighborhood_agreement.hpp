/// @file
/// What ranks tell each other when they make a neighborhood: that it is the same everywhere (ICPP 2019, section 2).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_NEIGHBORHOOD_AGREEMENT_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_NEIGHBORHOOD_AGREEMENT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <exception>

namespace rondo::internal {

/// A number that differs when neighborhoods or the settings for them differ.
[[nodiscard]] std::uint64_t fingerprint(const Neighborhood& neighborhood, const Settings& settings);

/// Throws Error, MPI_ERR_TOPOLOGY, unless all ranks gave the same.
void require_same_neighborhood(bool same);

/// The check that all ranks gave the same, and that none is in trouble: one allreduce of a few words. Throws on all
/// ranks alike: `trouble` where there is one and Error, MPI_ERR_ARG, on the others; as above when `hash` differs.
/// Collective.
void agree_on_neighborhood(std::uint64_t hash, const std::exception_ptr& trouble, MPI_Comm comm);

}  // namespace rondo::internal

#endif
