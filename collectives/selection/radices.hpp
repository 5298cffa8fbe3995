/// @file
/// radices_to_offer(): chooses the radices with which algorithms of any radix are offered.
#ifndef RONDO_COLLECTIVES_SELECTION_RADICES_HPP
#define RONDO_COLLECTIVES_SELECTION_RADICES_HPP

#include <vector>

namespace rondo::internal {

/// Returns the radices to offer for `size` ranks, at least one. For an `asked` of 0 these are several radices below
/// `size`, or 2 if there are none; otherwise `asked`, or `size` (but at least 2) if that is less. Radix `size` is the
/// direct algorithm. Throws Error (MPI_ERR_INFO_VALUE) for an invalid radix.
[[nodiscard]] std::vector<int> radices_to_offer(int asked, int size);
/// Returns radices if no other algorithm is the direct one: for 0 also `size`, if it is higher than the others.
[[nodiscard]] std::vector<int> radices_and_direct(int asked, int size);

}  // namespace rondo::internal

#endif
