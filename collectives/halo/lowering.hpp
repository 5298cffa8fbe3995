/// @file
/// Functions that lower an expansion of a halo exchange to a schedule.
#ifndef RONDO_COLLECTIVES_HALO_LOWERING_HPP
#define RONDO_COLLECTIVES_HALO_LOWERING_HPP

#include "collectives/halo/expansion.hpp"
#include "collectives/halo/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

namespace rondo::internal::halo {

/// Builds this rank's part of an expansion, in place. A round without elements (at the edge of a mesh) has no message.
void build(const Problem& problem, const Expansion& expansion, ScheduleBuilder& builder);
/// Builds this rank's part of a direct expansion, with carriers for the messages between nodes; see
/// visit_shipments_from() for `sharers`. The problem must know nodes and sizes.
void build_by_carriers(const Problem& problem, const Expansion& expansion, int sharers, ScheduleBuilder& builder);

}  // namespace rondo::internal::halo

#endif
