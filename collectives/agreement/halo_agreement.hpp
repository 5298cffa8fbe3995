/// @file
/// What ranks tell each other before they exchange halos.
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

/// Finds out whether the arrays of all ranks fit each other: there are equally many, and along each dimension of one
/// processes with one coordinate must have as many elements inside, however many others have. Then it makes arrays that
/// all ranks take for theirs when they choose an algorithm: as large, along each dimension, as the largest.
class HaloAgreement {
 public:
  /// Takes note of this rank's arrays, and all the memory that agree() needs. Local.
  void prepare(const Grid& grid, const halo::Bundle& arrays);

  /// Collective over `comm`: one small allreduce or, where not all arrays have one size, two, the second with two words
  /// for each coordinate and array. `trouble`: why prepare() was not called, or failed. Throws on all ranks alike:
  /// `trouble` where there is one, and Error, MPI_ERR_ARG, on the others; MPI_ERR_INFO_VALUE for different settings,
  /// MPI_ERR_ARG for different numbers of arrays, dimensions, depths, stencils or orders, MPI_ERR_TYPE for elements of
  /// different sizes, MPI_ERR_TRUNCATE for sizes that do not fit.
  void agree(const Settings& settings, const std::exception_ptr& trouble, MPI_Comm comm);

  /// After agree(). Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<const halo::Bundle> typical() const;
  /// After agree(): what all ranks know of each other's sizes. Refers to this.
  [[nodiscard]] halo::InsideOfAll inside_of_all() const;

 private:
  struct Array {
    std::vector<halo::Axis> axes;
    StorageOrder order;
    std::int64_t element;            ///< bytes
    std::vector<std::size_t> first;  ///< of each axis, its first coordinate's place in the table
    std::vector<std::size_t> own;    ///< of each axis, its own coordinate's place
  };
  void agree_by_coordinate(MPI_Comm comm);
  void take_most(Array& array, const std::string& name) const;

  int dimensions_ = 0;
  bool alike_ = true;  ///< all ranks have arrays of one size
  Stencil stencil_ = Stencil::box;
  std::vector<Array> arrays_;
  std::vector<std::uint64_t> table_;  ///< most and fewest elements inside, for each array, axis and coordinate
};

/// The arrays that ranks take for everybody's which do not tell each other how large theirs are: what all know, and
/// along dimensions where sizes may differ as many elements as make a cube of 2^18.
[[nodiscard]] std::unique_ptr<const halo::Bundle> assumed_arrays(const Grid& grid, const halo::Bundle& own);

}  // namespace rondo::internal

#endif
