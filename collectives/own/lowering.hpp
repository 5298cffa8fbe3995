/// @file
/// Runs a lowering of the user's own.
#ifndef RONDO_COLLECTIVES_OWN_LOWERING_HPP
#define RONDO_COLLECTIVES_OWN_LOWERING_HPP

#include <rondo/schedule.hpp>

#include "collectives/own/own_builder.hpp"

namespace rondo::internal {

/// Between the builder and the blocks that users see, and what stands behind them.
struct LoweringAccess {
  template <typename Lower>
  static void run(const Lower& lower, OwnBuilder& own) {
    rondo::ScheduleBuilder builder(own);
    lower(builder);
  }
  [[nodiscard]] static OwnBuilder& behind(rondo::ScheduleBuilder& builder) noexcept { return builder.own_; }
  [[nodiscard]] static Block block(BlockId id) noexcept { return Block(id.index); }
};

/// Has the lowering write the schedule of the builder's rank. Throws Error, and whatever the lowering throws.
void lower_own(const Lowering& lower, OwnBuilder& builder);

}  // namespace rondo::internal

#endif
