/// @file
/// LoweringAccess and lower_own(): run a user-defined lowering.
#ifndef RONDO_COLLECTIVES_OWN_LOWERING_HPP
#define RONDO_COLLECTIVES_OWN_LOWERING_HPP

#include <rondo/schedule.hpp>

#include "collectives/own/own_builder.hpp"

namespace rondo::internal {

/// Converts between the builder and the blocks that users see, and the internal ones behind them.
struct LoweringAccess {
  template <typename Lower>
  static void run(const Lower& lower, OwnBuilder& own) {
    rondo::ScheduleBuilder builder(own);
    lower(builder);
  }
  [[nodiscard]] static OwnBuilder& behind(rondo::ScheduleBuilder& builder) noexcept { return builder.own_; }
  [[nodiscard]] static Block block(BlockId id) noexcept { return Block(id.index); }
};

/// Makes the lowering write the schedule of the builder's rank. Throws Error, and anything that the lowering throws.
void lower_own(const Lowering& lower, OwnBuilder& builder);

}  // namespace rondo::internal

#endif
