#include "collectives/carriers/carried_plans.hpp"

#include "runtime/base/count_of.hpp"

namespace rondo::internal {

std::vector<int> numbers_of_sharers(const NodeMembers& nodes) {
  std::vector<int> numbers{nodes.most()};
  for (const int fewer : {8, 4, 2, 1}) {
    if (fewer < nodes.most()) numbers.push_back(fewer);
  }
  return numbers;
}

std::string name_of_carried(const NodeMembers& nodes, int sharers) {
  if (sharers >= nodes.most()) return "node-aware";
  return "node-aware, " + count_of(sharers, "rank") + " to a message";
}

}  // namespace rondo::internal
