/// @file
/// From an expansion to a schedule.
#ifndef RONDO_COLLECTIVES_HALO_LOWERING_HPP
#define RONDO_COLLECTIVES_HALO_LOWERING_HPP

#include "collectives/halo_expansion.hpp"
#include "collectives/halo_problem.hpp"
#include "runtime/schedule_builder.hpp"

namespace rondo {

/// This rank's part of an expansion: in place. A round without elements (at the edge of a mesh, say) is no message.
void build_halo(const HaloProblem& problem, const HaloExpansion& expansion, ScheduleBuilder& builder);
/// What it costs a process that has all neighbors.
[[nodiscard]] Prediction predict_halo(const HaloProblem& problem, const HaloExpansion& expansion);

}  // namespace rondo

#endif
