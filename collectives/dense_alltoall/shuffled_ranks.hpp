/// @file
/// The random order in which randomized algorithms go through the ranks.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_SHUFFLED_RANKS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_SHUFFLED_RANKS_HPP

#include <cstdint>
#include <vector>

namespace rondo::internal::dense {

/// Returns the ranks from 0 to size - 1 in random order, each order equally likely over all seeds (randomized alltoall,
/// function 1). The result for a size and a seed is the same on every rank, machine and compiler.
[[nodiscard]] std::vector<int> get_shuffled_ranks(int size, std::uint64_t seed);

}  // namespace rondo::internal::dense

#endif
