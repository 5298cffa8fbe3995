/// @file
/// How many messages the schedules of all ranks send between nodes.
#ifndef RONDO_TESTS_SUPPORT_MESSAGES_BETWEEN_HPP
#define RONDO_TESTS_SUPPORT_MESSAGES_BETWEEN_HPP

#include "collectives/topology/node_members.hpp"
#include "tests/support/cases/collective_case.hpp"

#include <cstddef>
#include <map>
#include <utility>

namespace rondo::internal::test {

/// By the ordered pair of nodes; a pair without messages is not in it.
[[nodiscard]] inline std::map<std::pair<int, int>, int> messages_between(const CollectiveCase& given,
                                                                         const NodeMembers& nodes) {
  std::map<std::pair<int, int>, int> messages;
  for (int rank = 0; rank < given.ranks(); ++rank) {
    for (const Task& task : given.schedules[static_cast<std::size_t>(rank)]->tasks()) {
      if (task.kind != TaskKind::send) continue;
      const std::pair pair(nodes.node_of(rank), nodes.node_of(task.peer));
      if (pair.first != pair.second) ++messages[pair];
    }
  }
  return messages;
}

}  // namespace rondo::internal::test

#endif
