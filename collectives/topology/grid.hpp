/// @file
/// Grid: coordinates and ranks of processes on a torus or mesh (ICPP 2019, section 2).
#ifndef RONDO_COLLECTIVES_TOPOLOGY_GRID_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_GRID_HPP

#include <span>
#include <vector>

namespace rondo::internal {

/// Stands for a process beyond the edge of a mesh. The public interfaces use MPI_PROC_NULL for it.
inline constexpr int kNoRank = -1;

/// The grid as one of its processes sees it: each dimension is periodic (a ring) or not (an array of processes, with
/// none beyond its ends). Ranks count in row-major order, as in MPI_Cart_create. A value.
class Grid {
 public:
  /// `sizes`: those of the dimensions, at least 1 each. `periods`: a flag for each dimension, or empty for a torus.
  /// `rank`: the caller's, in [0, product of the sizes).
  Grid(std::span<const int> sizes, std::span<const int> periods, int rank);
  Grid(std::span<const int> sizes, int rank) : Grid(sizes, {}, rank) {}

  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(sizes_.size()); }
  [[nodiscard]] std::span<const int> sizes() const noexcept { return sizes_; }
  /// Returns 1 for each periodic dimension, 0 for each other.
  [[nodiscard]] std::span<const int> periods() const noexcept { return periods_; }
  [[nodiscard]] bool periodic(int k) const { return periods_[static_cast<std::size_t>(k)] != 0; }
  /// Returns whether all dimensions are periodic, so that every offset leads to a process.
  [[nodiscard]] bool is_torus() const noexcept { return is_torus_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::span<const int> coordinates() const noexcept { return coordinates_; }
  /// Returns the number of processes.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns the grid as the process `rank` sees it.
  [[nodiscard]] Grid seen_from(int rank) const { return {sizes_, periods_, rank}; }

  /// Returns the residue of an offset along dimension `k`: folded into [0, size of k) if k is periodic, unchanged if
  /// not. Zero is no step at all; equal residues lead to one process.
  [[nodiscard]] int residue(int k, int offset) const;
  /// Returns the rank of the process at an offset (`sign` 1) or of the process that has the caller there (`sign` -1);
  /// kNoRank if that is beyond the edge.
  [[nodiscard]] int relative_rank(std::span<const int> offset, int sign = 1) const;
  /// Returns whether some process of the grid has a process at this offset. False only if the offset leads beyond the
  /// edge from everywhere. True also if the offset leads from a process to itself: zero, or once around a ring.
  [[nodiscard]] bool reaches(std::span<const int> offset) const;
  /// Returns the rank of the process `offset` steps along dimension `k` only, or kNoRank.
  [[nodiscard]] int rank_along(int k, int offset) const;
  /// Returns the offset of a rank from the caller: in a periodic dimension the residue in (-size/2, size/2].
  [[nodiscard]] std::vector<int> offset_of(int rank) const;

 private:
  /// Returns the coordinate `steps` from the caller's along dimension `k`, or kNoRank.
  [[nodiscard]] int coordinate_along(int k, long long steps) const;

  std::vector<int> sizes_;
  std::vector<int> periods_;
  std::vector<int> strides_;  ///< difference of ranks from one coordinate to the next
  std::vector<int> coordinates_;
  int rank_;
  int size_ = 1;
  bool is_torus_ = true;
};

}  // namespace rondo::internal

#endif
