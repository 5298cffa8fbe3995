/// @file
/// The halo exchange: borders of a distributed array, given as a region and not as blocks.
#ifndef RONDO_HALO_HPP
#define RONDO_HALO_HPP

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace rondo {

/// Which elements of the halo an update needs. An element's excess along an axis is how many elements it lies outside
/// of the process's own part, at least 1, or 0 where it does not.
enum class Stencil : std::uint8_t {
  box,  ///< all of them: 9-point, 27-point
  star  ///< those whose excesses, each divided by the halo's depth there, add up to at most 1: 5-point, 7-point. With
        ///< depth 1 there are no corners; with depth k they are triangles of k(k-1)/2 elements (EuroMPI 2015, section
        ///< 2), what k steps of such a stencil need
};

/// How the elements of an array of several dimensions lie in memory.
enum class StorageOrder : std::uint8_t {
  row_major,    ///< the last dimension varies fastest, as in C
  column_major  ///< the first does, as in Fortran
};

}  // namespace rondo

#endif
