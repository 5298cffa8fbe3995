/// @file
/// ArrivingSizes: the sizes of the blocks that arrive in the rounds of Bruck et al.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_ARRIVING_SIZES_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_ARRIVING_SIZES_HPP

#include "collectives/dense_alltoall/problem.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal::dense {

/// The sizes of arriving blocks, round by round and in each round by block, for regular and irregular problems.
class ArrivingSizes {
 public:
  /// Begins with the first block. Throws Error (MPI_ERR_INTERN) for an irregular problem without the sizes for this
  /// radix.
  ArrivingSizes(const Problem& problem, int radix);

  /// Returns the bytes of the next block.
  [[nodiscard]] std::int64_t next() { return problem_.regular() ? problem_.largest : next_of_irregular(); }
  /// Returns the bytes of the next block, which is meant for this rank and comes from rank `source`. Throws Error
  /// (MPI_ERR_TRUNCATE) if the receive block has another size.
  [[nodiscard]] std::int64_t next_from(int source);

 private:
  std::int64_t next_of_irregular();

  const Problem& problem_;
  std::size_t place_ = 0;
};

}  // namespace rondo::internal::dense

#endif
