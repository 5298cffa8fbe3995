/// @file
/// What dense alltoalls cost, as measured.
#ifndef RONDO_COLLECTIVES_TUNING_DENSE_COSTS_HPP
#define RONDO_COLLECTIVES_TUNING_DENSE_COSTS_HPP

#include "collectives/selection/cost_model.hpp"

namespace rondo::internal {

/// Parameters of the machine that Rondo was tuned on, for the MPI that it was built with (bench/run.sh tune,
/// docs/tuning.md).
[[nodiscard]] CostParameters built_in_dense_costs(double ranks_per_core);

}  // namespace rondo::internal

#endif
