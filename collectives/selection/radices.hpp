/// @file
/// The radices in which algorithms of any radix are offered.
#ifndef RONDO_COLLECTIVES_SELECTION_RADICES_HPP
#define RONDO_COLLECTIVES_SELECTION_RADICES_HPP

#include <vector>

namespace rondo::internal {

/// For `size` ranks, at least one: the radix that was asked for, or, for 0, some. Radix `size` and more is the direct
/// algorithm, and left to that unless there is no other. Throws Error, MPI_ERR_INFO_VALUE, for one that is no radix.
[[nodiscard]] std::vector<int> radices_to_offer(int asked, int size);
/// The same where no other algorithm is the direct one: radix `size` is among some.
[[nodiscard]] std::vector<int> radices_and_direct(int asked, int size);

}  // namespace rondo::internal

#endif
