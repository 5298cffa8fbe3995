/// @file
/// The agreement of ranks that their neighborhood is the same everywhere (ICPP 2019, section 2).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_NEIGHBORHOOD_AGREEMENT_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_NEIGHBORHOOD_AGREEMENT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <exception>

namespace rondo::internal {

/// Hashes of the arguments that all ranks must give alike: a hash differs if its argument does.
struct NeighborhoodHashes {
  std::uint64_t d = 0;
  std::uint64_t dimensions = 0;
  std::uint64_t periods = 0;
  std::uint64_t neighborhood = 0;
  std::uint64_t weights = 0;
  std::uint64_t reorder = 0;
  std::uint64_t info = 0;

  NeighborhoodHashes() = default;
  /// Hashes the neighborhood and the settings, which do not know dimensions, periods and reorder.
  NeighborhoodHashes(const Neighborhood& neighborhood, const Settings& settings) noexcept;

  /// Returns a number that differs when any of them does.
  [[nodiscard]] std::uint64_t all() const noexcept;
};

/// Throws Error (MPI_ERR_TOPOLOGY) unless `same`: whether all ranks gave the same. The error names each argument that
/// differs and a rank that gave another than rank 0. Collective over `comm` if they differ, otherwise local.
void require_same_neighborhood(bool same, const NeighborhoodHashes& here, MPI_Comm comm);

/// Checks that all ranks gave the same and that none is in trouble: one allreduce of a few words, and a second one if a
/// rank may give up. Throws on all ranks alike: if a rank is in trouble, `trouble` on that rank and Error (MPI_ERR_ARG)
/// on the others; if ranks differ, as require_same_neighborhood(). Collective.
void agree_on_neighborhood(const NeighborhoodHashes& here, const std::exception_ptr& trouble, MPI_Comm comm);

}  // namespace rondo::internal

#endif
