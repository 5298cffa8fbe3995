/// @file
/// Torus: coordinates and ranks of processes on a periodic grid (ICPP 2019, section 2).
#ifndef RONDO_COLLECTIVES_TORUS_HPP
#define RONDO_COLLECTIVES_TORUS_HPP

#include <span>
#include <vector>

namespace rondo {

/// The torus as one of its processes sees it. Ranks count in row-major order, as MPI_Cart_create does. A value.
class Torus {
 public:
  /// Sizes of the dimensions, at least 1 each, and the caller's rank, in [0, product).
  Torus(std::span<const int> sizes, int rank);

  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(sizes_.size()); }
  [[nodiscard]] std::span<const int> sizes() const noexcept { return sizes_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Number of processes.
  [[nodiscard]] int size() const noexcept { return size_; }

  /// An offset along dimension `k`, folded into [0, size of k).
  [[nodiscard]] int residue(int k, int offset) const;
  /// Rank of the process at an offset (`sign` 1) or of the one that has the caller there (`sign` -1).
  [[nodiscard]] int relative_rank(std::span<const int> offset, int sign = 1) const;
  /// Rank of the process `offset` steps along dimension `k` only.
  [[nodiscard]] int rank_along(int k, int offset) const;
  /// Offset of a rank from the caller, each coordinate the residue in (-size/2, size/2].
  [[nodiscard]] std::vector<int> offset_of(int rank) const;

 private:
  std::vector<int> sizes_;
  std::vector<int> strides_;  ///< ranks from one coordinate to the next
  std::vector<int> coordinates_;
  int rank_;
  int size_ = 1;
};

}  // namespace rondo

#endif
