/// @file
/// ArrivingSizes: how long the blocks are that arrive in the rounds of Bruck et al.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_ARRIVING_SIZES_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_ARRIVING_SIZES_HPP

#include "collectives/dense_alltoall/problem.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal::dense {

/// In the order of the rounds, and in each by block: what a problem says of sizes, whether it is regular or not.
class ArrivingSizes {
 public:
  /// Throws Error, MPI_ERR_INTERN, for an irregular problem without the sizes for this radix.
  ArrivingSizes(const Problem& problem, int radix);

  /// Bytes of the next block.
  [[nodiscard]] std::int64_t next() { return problem_.regular() ? problem_.largest : next_of_irregular(); }
  /// The same for one that arrives at its end, from rank `source`. Throws Error, MPI_ERR_TRUNCATE, where the receive
  /// block has another size.
  [[nodiscard]] std::int64_t next_from(int source);

 private:
  std::int64_t next_of_irregular();

  const Problem& problem_;
  std::size_t place_ = 0;
};

}  // namespace rondo::internal::dense

#endif
