/// @file
/// Contribution: what one rank adds to a reduction, and where its result goes, as a builder knows them.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_CONTRIBUTION_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_CONTRIBUTION_HPP

#include "collectives/dense_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <vector>

namespace rondo::internal::dense_reduction {

/// The vectors of a problem as they are. In place they lie in scratch memory, as the first task copied them there: what
/// arrives may overwrite the buffer whenever it comes. A window, or batches, must be set before.
struct Contribution {
  /// Sets the reduction of the result, on which `own` and the result may be combined. Where the result has no bytes,
  /// there is no reduction.
  Contribution(const Problem& problem, ScheduleBuilder& builder);

  std::vector<BlockId> send;  ///< the vector, or its parts
  BlockId own{};              ///< that of them which the result of this rank is made of
  BlockId result{};
};

}  // namespace rondo::internal::dense_reduction

#endif
