/// @file
/// Options: the options of a dense alltoall.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_OPTIONS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_OPTIONS_HPP

#include <rondo/options.hpp>

#include <cstdint>

namespace rondo::internal::dense {

/// The options of a dense alltoall. The same on all ranks.
struct Options {
  int ports = 0;  ///< exchanges in flight in direct algorithms, ports of a Bruck round; 0: algorithm's choice
  Queue queue = Queue::window;
  int radix = 0;                 ///< radix of Bruck; 0: the cost model's choice
  std::int64_t segment = 16384;  ///< bytes of a segment
  std::uint64_t seed = 0;        ///< seed of the random order
  double regular_ratio = 4;      ///< largest ratio of the largest to the smallest block for Bruck
};

}  // namespace rondo::internal::dense

#endif
