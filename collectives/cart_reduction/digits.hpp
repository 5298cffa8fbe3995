/// @file
/// Many offsets along one line as sums of few steps, for reductions.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_DIGITS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_DIGITS_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/linear_embedding.hpp"

#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// The neighbors' residues along dimension `k` as multiples of its unit vector; on a ring, in the shortest interval
/// with 0 in it. O(t log t).
[[nodiscard]] LinearEmbedding along_dimension(const Grid& grid, int k, std::span<const int> residues);

/// Stages in which multiples m of a vector, one for each neighbor, are written in digits, lowest first: a stage of
/// radix 2 makes sums over 2n processes in a row of two over n, one of radix 3 of three. Of all bases of twos before
/// threes or threes before twos, the one whose reduction tree along this line alone has the smallest volume, and the
/// fewest stages of these: for n multiples in a row, about log2 n vectors, where a single stage sends n - 1.
///
/// Where all dimensions of the vector are periodic, these are the digits of m + a less those of a, for -a the least of
/// the multiples, so that who stays takes no step. On a mesh, where nobody may turn back, multiples of either sign have
/// digits of their own. At least one multiple must not be 0. O(t * log^2 n).
[[nodiscard]] std::vector<ExpansionStage> stages_of_digits(const Grid& grid, const LinearEmbedding& line);

}  // namespace rondo::internal::reduction

#endif
