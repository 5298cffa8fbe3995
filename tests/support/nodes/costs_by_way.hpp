/// @file
/// For tests of predictions: costs that count near and far messages.
#ifndef RONDO_TESTS_SUPPORT_COSTS_BY_WAY_HPP
#define RONDO_TESTS_SUPPORT_COSTS_BY_WAY_HPP

#include "collectives/selection/cost_model.hpp"

#include <cstdint>
#include <limits>

namespace rondo::internal::test {

/// A message costs that much, whatever is in it, and nothing else costs anything.
[[nodiscard]] inline CostModel costs_of_messages(double message) {
  return CostModel(CostParameters{.message = message,
                                  .byte = 0,
                                  .burst = 512,
                                  .long_byte = 0,
                                  .eager_limit = std::numeric_limits<std::int64_t>::max(),
                                  .rendezvous = 0,
                                  .rendezvous_byte = 0,
                                  .copied_block = 0,
                                  .copied_byte = 0,
                                  .phase = 0});
}

/// A far message costs 1000, a near one 1: predictions say how many there are.
[[nodiscard]] inline CostModel costs_by_way() { return costs_of_messages(1000).with_near(costs_of_messages(1)); }

}  // namespace rondo::internal::test

#endif
