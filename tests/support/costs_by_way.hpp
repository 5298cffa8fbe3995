/// @file
/// For tests of predictions: ranks on several nodes, and costs that count near and far messages.
#ifndef RONDO_TESTS_SUPPORT_COSTS_BY_WAY_HPP
#define RONDO_TESTS_SUPPORT_COSTS_BY_WAY_HPP

#include "collectives/selection/cost_model.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

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

/// Ranks that have the same coordinates along the dimensions of `mask` are on one node.
[[nodiscard]] inline std::vector<std::int64_t> nodes_by(std::span<const int> sizes, unsigned mask) {
  std::vector<std::int64_t> nodes{1};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::vector<std::int64_t> next;
    for (const std::int64_t node : nodes) {
      for (int at = 0; at < sizes[k]; ++at) next.push_back((mask >> k & 1U) != 0 ? node * sizes[k] + at : node);
    }
    nodes.swap(next);
  }
  return nodes;
}

}  // namespace rondo::internal::test

#endif
