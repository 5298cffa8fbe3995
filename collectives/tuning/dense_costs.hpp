/// @file
/// built_in_dense_costs(): the measured costs of dense alltoalls.
#ifndef RONDO_COLLECTIVES_TUNING_DENSE_COSTS_HPP
#define RONDO_COLLECTIVES_TUNING_DENSE_COSTS_HPP

#include "collectives/selection/cost_model.hpp"

namespace rondo::internal {

/// Returns the measured costs of the machine on which Rondo was tuned, for the MPI with which it was built
/// (bench/run.sh tune, docs/tuning.md).
[[nodiscard]] CostParameters built_in_dense_costs(double ranks_per_core);

}  // namespace rondo::internal

#endif
