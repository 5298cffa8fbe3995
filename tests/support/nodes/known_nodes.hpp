/// @file
/// KnownNodes: what a communicator would know of its nodes, for the problems of a case.
#ifndef RONDO_TESTS_SUPPORT_KNOWN_NODES_HPP
#define RONDO_TESTS_SUPPORT_KNOWN_NODES_HPP

#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal::test {

struct KnownNodes {
  /// `numbers`: as for NodeMembers; empty: nobody knows. Keeps references.
  KnownNodes(const std::vector<std::int64_t>& numbers, const Grid& grid) : members(numbers), near(grid, numbers) {}

  template <typename Problem>
  void tell(Problem& problem) const {
    if (members.nodes() < 2) return;
    problem.near = &near;
    if (members.have_carriers()) problem.nodes = &members;
  }

  NodeMembers members;
  NearOffsets near;
};

/// For the name of a case.
[[nodiscard]] inline std::string describe_nodes(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t node : numbers) text += (text.empty() ? ", nodes " : " ") + std::to_string(node);
  return text;
}

}  // namespace rondo::internal::test

#endif
