/// @file
/// A periodic grid cut into tiles, one for each process of a torus, and the halo that they exchange.
#ifndef RONDO_EXAMPLES_STENCIL_DOMAIN_HPP
#define RONDO_EXAMPLES_STENCIL_DOMAIN_HPP

#include "grid_io.hpp"
#include "kernels.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <span>
#include <stdexcept>
#include <vector>

namespace stencil {

/// What the user can mend; thrown on all ranks alike.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Cells [begin, begin + size) of a dimension of `cells`, for part `part` of `parts`: sizes differ by one at the most.
struct Extent {
  int begin;
  int size;
};
[[nodiscard]] Extent part_of(int cells, int parts, int part);

/// A column of a tile as an MPI datatype.
class ColumnType {
 public:
  ColumnType(int rows, int columns);
  ColumnType(const ColumnType&) = delete;
  ColumnType& operator=(const ColumnType&) = delete;
  ~ColumnType() { MPI_Type_free(&type_); }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// This process's part of one channel: two tiles, the old and the new state.
class Domain {
 public:
  /// Throws InputError when a dimension has fewer cells than processes.
  Domain(rondo::CartComm& torus, std::vector<int> processes, int rows, int columns);

  [[nodiscard]] Extent rows() const { return rows_; }
  [[nodiscard]] Extent columns() const { return columns_; }
  [[nodiscard]] Tile<double> tile(int which) { return {cells_[which].data(), rows_.size, columns_.size}; }
  [[nodiscard]] Tile<const double> old(int which) const { return {cells_[which].data(), rows_.size, columns_.size}; }

  /// All of tile `which`, row by row, its border of one cell included.
  [[nodiscard]] std::span<double> cells(int which) { return cells_[which]; }
  /// The blocks of tile `which` that go to, and come from, the eight neighbors, in the order of rondo::moore(2, 1).
  [[nodiscard]] std::vector<rondo::SendBlock> halo_out(int which);
  [[nodiscard]] std::vector<rondo::RecvBlock> halo_in(int which);

  /// Collective: rank 0's plane (row by row) to the tiles, and back.
  void scatter(const std::vector<double>& plane, int which);
  void gather(std::vector<double>& plane, int which);

 private:
  template <typename Visit>
  void for_each_rank_piece(Visit visit) const;

  rondo::CartComm& torus_;
  std::vector<int> processes_;
  int all_rows_;
  int all_columns_;
  Extent rows_;
  Extent columns_;
  std::vector<double> cells_[2];
  ColumnType column_;
};

}  // namespace stencil

#endif
