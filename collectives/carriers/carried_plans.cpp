#include "collectives/carriers/carried_plans.hpp"

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
  return "node-aware, " + std::to_string(sharers) + (sharers == 1 ? " rank" : " ranks") + " to a message";
}

}  // namespace rondo::internal
