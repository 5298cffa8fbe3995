/// @file
/// Grid: coordinates and ranks of processes on a torus or mesh (ICPP 2019, section 2).
#ifndef RONDO_COLLECTIVES_TOPOLOGY_GRID_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_GRID_HPP

#include <span>
#include <vector>

namespace rondo::internal {

/// What stands for a process beyond the edge of a mesh. The faces say MPI_PROC_NULL for it.
inline constexpr int kNoRank = -1;

/// The grid as one of its processes sees it: each dimension is periodic (a ring) or not (an array of processes, beyond
/// whose ends there is nobody). Ranks count in row-major order, as MPI_Cart_create does. A value.
class Grid {
 public:
  /// Sizes of the dimensions, at least 1 each, and the caller's rank, in [0, product). `periods`: a flag for each
  /// dimension, or empty for a torus.
  Grid(std::span<const int> sizes, std::span<const int> periods, int rank);
  Grid(std::span<const int> sizes, int rank) : Grid(sizes, {}, rank) {}

  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(sizes_.size()); }
  [[nodiscard]] std::span<const int> sizes() const noexcept { return sizes_; }
  /// 1 for each periodic dimension, 0 for each other.
  [[nodiscard]] std::span<const int> periods() const noexcept { return periods_; }
  [[nodiscard]] bool periodic(int k) const { return periods_[static_cast<std::size_t>(k)] != 0; }
  /// Whether all dimensions are periodic: every offset leads to a process then.
  [[nodiscard]] bool is_torus() const noexcept { return is_torus_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::span<const int> coordinates() const noexcept { return coordinates_; }
  /// Number of processes.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// The same grid as the process `rank` sees it.
  [[nodiscard]] Grid seen_from(int rank) const { return {sizes_, periods_, rank}; }

  /// What an offset along dimension `k` comes down to: folded into [0, size of k) where k is periodic, itself where it
  /// is not. Zero is no step at all; equal residues lead to one process.
  [[nodiscard]] int residue(int k, int offset) const;
  /// Rank of the process at an offset (`sign` 1) or of the one that has the caller there (`sign` -1); kNoRank when it
  /// is beyond the edge.
  [[nodiscard]] int relative_rank(std::span<const int> offset, int sign = 1) const;
  /// Whether any process has another one at this offset.
  [[nodiscard]] bool reaches(std::span<const int> offset) const;
  /// Rank of the process `offset` steps along dimension `k` only, or kNoRank.
  [[nodiscard]] int rank_along(int k, int offset) const;
  /// Offset of a rank from the caller: in a periodic dimension the residue in (-size/2, size/2].
  [[nodiscard]] std::vector<int> offset_of(int rank) const;

 private:
  /// Coordinate `steps` from the caller's along dimension `k`, or kNoRank.
  [[nodiscard]] int coordinate_along(int k, long long steps) const;

  std::vector<int> sizes_;
  std::vector<int> periods_;
  std::vector<int> strides_;  ///< ranks from one coordinate to the next
  std::vector<int> coordinates_;
  int rank_;
  int size_ = 1;
  bool is_torus_ = true;
};

}  // namespace rondo::internal

#endif
