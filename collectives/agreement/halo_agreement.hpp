/// @file
/// HaloAgreement: the agreement of ranks on the sizes of their arrays before they exchange halos.
#ifndef RONDO_COLLECTIVES_AGREEMENT_HALO_AGREEMENT_HPP
#define RONDO_COLLECTIVES_AGREEMENT_HALO_AGREEMENT_HPP

#include <mpi.h>

#include "collectives/halo/bundle.hpp"
#include "collectives/halo/problem.hpp"
#include "collectives/settings/settings.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {

/// The agreement of all ranks on the arrays of a halo exchange. Checks that ranks have equally many arrays, and that
/// processes with the same coordinate in a dimension have as many interior elements there, whatever others have. Also
/// makes arrays by which all ranks choose an algorithm: along each dimension as large as the largest.
class HaloAgreement {
 public:
  /// Records this rank's arrays and takes all memory that agree() needs. Local.
  void prepare(const Grid& grid, const halo::Bundle& arrays);

  /// Checks that all ranks' arrays fit each other. Collective over `comm`: one small allreduce. If ranks have arrays of
  /// different sizes, a second allreduce follows, with two words for each coordinate and array. `trouble`: why
  /// prepare() was not called, or failed. Throws on all ranks alike: `trouble` on the ranks that have it, and Error
  /// (MPI_ERR_ARG) on the others; MPI_ERR_INFO_VALUE for different settings, MPI_ERR_ARG for different numbers of
  /// arrays, dimensions, depths, stencils or orders, MPI_ERR_TYPE for elements of different sizes, MPI_ERR_TRUNCATE for
  /// sizes that do not fit.
  void agree(const Settings& settings, const std::exception_ptr& trouble, MPI_Comm comm);

  /// Returns the arrays by which all ranks choose an algorithm. Call after agree(). Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<const halo::Bundle> typical() const;
  /// Returns a function that gives the interior sizes of all ranks. It refers to this object. Call after agree().
  [[nodiscard]] halo::InsideOfAll inside_of_all() const;

 private:
  struct Array {
    std::vector<halo::Axis> axes;
    StorageOrder order;
    std::int64_t element;            ///< bytes
    std::vector<std::size_t> first;  ///< for each axis, the place of its first coordinate in the table
    std::vector<std::size_t> own;    ///< for each axis, the place of this rank's coordinate
  };
  void agree_by_coordinate(MPI_Comm comm);
  void take_most(Array& array, const std::string& name) const;

  int dimensions_ = 0;
  bool alike_ = true;  ///< whether all ranks have arrays of the same sizes
  Stencil stencil_ = Stencil::box;
  std::vector<Array> arrays_;
  std::vector<std::uint64_t> table_;  ///< most and fewest elements inside, for each array, axis and coordinate
};

/// Returns the arrays that all ranks assume for each other if they do not exchange their sizes. Sizes that all ranks
/// know are kept. Along dimensions in which sizes may differ, the arrays have as many elements as make a cube of 2^18.
[[nodiscard]] std::unique_ptr<const halo::Bundle> assumed_arrays(const Grid& grid, const halo::Bundle& own);

}  // namespace rondo::internal

#endif
