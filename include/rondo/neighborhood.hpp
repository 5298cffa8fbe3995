/// @file
/// Neighborhoods by relative offset (ICPP 2019, section 2), and factories for the common stencils.
#ifndef RONDO_NEIGHBORHOOD_HPP
#define RONDO_NEIGHBORHOOD_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace rondo {

/// An ordered list of t relative coordinate vectors of d dimensions, each with a weight. Repetitions and the zero
/// vector are allowed. A value: copying copies the list. All functions are local.
class Neighborhood {
 public:
  /// Makes a neighborhood without neighbors in `dimensions` dimensions (at least 1; throws Error, MPI_ERR_DIMS).
  explicit Neighborhood(int dimensions);
  /// Makes a neighborhood of t vectors: `flattened` holds their `dimensions` offsets each, one after the other, as the
  /// C interface takes them; `weights` is empty (all one) or holds t weights. Throws Error, MPI_ERR_ARG, if the lengths
  /// do not fit.
  Neighborhood(int dimensions, std::span<const int> flattened, std::span<const int> weights = {});
  /// Makes a neighborhood of an explicit list: `Neighborhood{{0, 1}, {0, -1}}`.
  Neighborhood(std::initializer_list<std::initializer_list<int>> offsets);

  /// d, the number of dimensions.
  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  /// t, the number of neighbors.
  [[nodiscard]] int size() const noexcept { return static_cast<int>(weights_.size()); }
  /// Returns neighbor `i` in [0, t): its d offsets, in processes.
  [[nodiscard]] std::span<const int> operator[](int i) const;
  /// All offsets, flattened: t*d integers.
  [[nodiscard]] std::span<const int> flattened() const noexcept { return offsets_; }
  /// The t weights.
  [[nodiscard]] std::span<const int> weights() const noexcept { return weights_; }
  /// Whether weights were given (as opposed to MPI_UNWEIGHTED).
  [[nodiscard]] bool weighted() const noexcept { return weighted_; }

  /// Returns the index of the first neighbor with these offsets, or -1.
  [[nodiscard]] int find(std::span<const int> offset) const;
  /// Adds a neighbor at the end. Throws Error, MPI_ERR_DIMS, when `offset` does not have d entries.
  void add(std::span<const int> offset, int weight = 1);
  /// Returns this neighborhood without the vectors that `other` holds, in the same order, with its weights. Throws
  /// Error, MPI_ERR_DIMS, if `other` has another number of dimensions. Takes O(t log t).
  [[nodiscard]] Neighborhood minus(const Neighborhood& other) const;
  /// Returns the first `n` in [0, t] neighbors, with their weights. Throws Error, MPI_ERR_ARG, for any other `n`.
  [[nodiscard]] Neighborhood first(int n) const;
  /// Returns the neighbors with their weights in a random order, which depends on t and `seed` only: the order is the
  /// same on all ranks and machines.
  [[nodiscard]] Neighborhood shuffled(std::uint64_t seed) const;

  friend bool operator==(const Neighborhood&, const Neighborhood&) = default;

 private:
  int dimensions_;
  std::vector<int> offsets_;
  std::vector<int> weights_;
  bool weighted_ = false;
};

// Neighborhoods by shape. These functions throw Error, MPI_ERR_DIMS or MPI_ERR_ARG, for arguments without a meaning,
// and if there are more than 2^28 offsets.

/// Returns all vectors with coordinates in [-radius, radius] but the zero vector, in lexicographic order: t =
/// (2*radius+1)^d - 1.
[[nodiscard]] Neighborhood moore(int dimensions, int radius);
/// Returns all vectors with 1 <= sum of |coordinates| <= radius, in lexicographic order.
[[nodiscard]] Neighborhood von_neumann(int dimensions, int radius);
/// Returns all n^d vectors with coordinates in [first, first+n), the zero vector among them, in lexicographic order:
/// the neighborhoods of the paper's section 4.1.1 (its n and f).
[[nodiscard]] Neighborhood box(int dimensions, int n, int first);

}  // namespace rondo

#endif
