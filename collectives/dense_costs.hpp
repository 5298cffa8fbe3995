/// @file
/// What dense alltoalls cost, as measured.
#ifndef RONDO_COLLECTIVES_DENSE_COSTS_HPP
#define RONDO_COLLECTIVES_DENSE_COSTS_HPP

#include "collectives/cost_model.hpp"

#include <type_traits>

namespace rondo {

/// All parameters of a cost model.
struct MeasuredCosts {
  CostParameters parameters;
  FormCosts forms;
};
static_assert(std::is_trivially_copyable_v<MeasuredCosts>, "ranks send it to each other");

/// Those of the machine that Rondo was tuned on, for the MPI that it was built with (bench/run.sh tune,
/// docs/tuning.md).
[[nodiscard]] const MeasuredCosts& built_in_dense_costs(double ranks_per_core);

}  // namespace rondo

#endif
