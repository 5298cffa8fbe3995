/// @file
/// Functions that write many offsets along one line as sums of few steps, for reductions.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_DIGITS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_DIGITS_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/linear_embedding.hpp"

#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// Returns the neighbors' residues along dimension `k` as multiples of its unit vector; on a ring, in the shortest
/// interval that contains 0. O(t log t).
[[nodiscard]] LinearEmbedding along_dimension(const Grid& grid, int k, std::span<const int> residues);

/// Returns stages in which multiples m of a vector, one for each neighbor, are written in digits, lowest first: a stage
/// of radix 2 makes a sum over 2n processes in a row of two sums over n, a stage of radix 3 of three. Of all bases with
/// twos before threes or threes before twos, the stages use the one whose reduction tree along this line alone has the
/// smallest volume, and among these the fewest stages. For n multiples in a row that is about log2 n vectors, whereas a
/// single stage sends n - 1.
///
/// If all dimensions of the vector are periodic, the digits are those of m + a less those of a, so that a neighbor that
/// stays takes no step; a is the least or the greatest number for which all m + a can be written. On a mesh, where no
/// path may turn back, multiples of either sign have their own digits. Not all multiples may be 0. O(t * log^2 n).
[[nodiscard]] std::vector<ExpansionStage> stages_of_digits(const Grid& grid, const LinearEmbedding& line);

}  // namespace rondo::internal::reduction

#endif
