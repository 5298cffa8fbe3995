/// @file
/// What ranks tell each other when they make a neighborhood: that it is the same everywhere (ICPP 2019, section 2).
#ifndef RONDO_COLLECTIVES_NEIGHBORHOOD_AGREEMENT_HPP
#define RONDO_COLLECTIVES_NEIGHBORHOOD_AGREEMENT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/settings.hpp"

#include <array>
#include <cstdint>
#include <exception>

namespace rondo {

/// A number that differs when neighborhoods or the settings for them differ.
[[nodiscard]] std::uint64_t fingerprint(const Neighborhood& neighborhood, const Settings& settings);

/// The check that all ranks gave the same, and that none is in trouble: one allreduce of a few words. Throws `trouble`
/// where there is one and Error, MPI_ERR_ARG, on the others; Error, MPI_ERR_TOPOLOGY, when `hash` differs, on all
/// ranks. Returns the greatest of each of the `numbers` of all ranks. Collective.
std::array<std::uint64_t, 2> agree_on_neighborhood(std::uint64_t hash, const std::exception_ptr& trouble, MPI_Comm comm,
                                                   const std::array<std::uint64_t, 2>& numbers = {});

}  // namespace rondo

#endif
