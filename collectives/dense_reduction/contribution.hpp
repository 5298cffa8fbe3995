/// @file
/// Contribution: the vectors that one rank adds to a reduction, and the place of its result, as blocks of a builder.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_CONTRIBUTION_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_CONTRIBUTION_HPP

#include "collectives/dense_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <vector>

namespace rondo::internal::dense_reduction {

/// The blocks of one rank's vectors and of its result. In place, the first task copies the vectors to scratch memory,
/// because arriving data may overwrite the buffer at any time. A window or batches must be set before construction.
struct Contribution {
  /// Makes the blocks, and sets the builder's reduction to one of as many elements as this rank's result, so that `own`
  /// and the result may be combined. Sets no reduction if the result has no bytes.
  Contribution(const Problem& problem, ScheduleBuilder& builder);

  std::vector<BlockId> send;  ///< the vector, or its parts
  BlockId own{};              ///< the block of `send` from which this rank's result is made
  BlockId result{};
};

}  // namespace rondo::internal::dense_reduction

#endif
