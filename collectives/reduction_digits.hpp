/// @file
/// Many offsets along one dimension as sums of few steps, for reductions.
#ifndef RONDO_COLLECTIVES_REDUCTION_DIGITS_HPP
#define RONDO_COLLECTIVES_REDUCTION_DIGITS_HPP

#include "collectives/grid.hpp"
#include "collectives/path_expansion.hpp"

#include <span>
#include <vector>

namespace rondo {

/// Stages along dimension `k` in which the neighbors' offsets (their residues in that dimension) are written in digits,
/// lowest first: a stage of radix 2 makes sums over 2n processes in a row of two over n, one of radix 3 of three. Of
/// all bases of twos before threes or threes before twos, the one whose reduction tree in this dimension alone has the
/// smallest volume, and the fewest stages of these: for n offsets in a row, about log2 n vectors, where a single stage
/// sends n - 1.
///
/// On a ring, the offsets of the shortest interval with 0 in it, of which a are backwards, have the digits of
/// offset + a less those of a, so that who stays takes no step. On a mesh, where nobody may turn back, offsets forwards
/// and backwards have digits of their own. At least one offset must not be 0. O(t * log^2 n).
[[nodiscard]] std::vector<ExpansionStage> stages_of_digits(const Grid& grid, int k, std::span<const int> residues);

}  // namespace rondo

#endif
