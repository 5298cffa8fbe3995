/// @file
/// Runs a lowering of the user's own.
#ifndef RONDO_COLLECTIVES_OWN_LOWERING_HPP
#define RONDO_COLLECTIVES_OWN_LOWERING_HPP

#include <rondo/schedule.hpp>

#include "collectives/own/own_builder.hpp"

namespace rondo::internal {

/// Has the lowering write the schedule of the builder's rank. Throws Error, and whatever the lowering throws.
void lower_own(const Lowering& lower, OwnBuilder& builder);

}  // namespace rondo::internal

#endif
