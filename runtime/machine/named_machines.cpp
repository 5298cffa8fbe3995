#include "runtime/machine/named_machines.hpp"

#include <stdexcept>

namespace rondo::internal::machine {

Platform platform_named(const std::string& name, int nodes) {
  if (name == "one-switch") return one_switch(nodes);
  if (name == "fat-tree") return fat_tree(nodes, nodes < 32 ? 4 : 16, 2);
  if (name == "torus") return torus(even_sizes(nodes));
  if (name != "slim-fly") throw std::invalid_argument("no platform is called " + name);
  if (nodes > 200) throw std::invalid_argument("this Slim Fly has at most 200 nodes");
  return slim_fly(nodes, 4);
}

Parameters network_named(const std::string& name) {
  if (name == "omni-path") return omni_path();
  if (name == "fdr-infiniband") return fdr_infiniband();
  throw std::invalid_argument("no network is called " + name);
}

RailBinding binding_named(const std::string& name) {
  if (name == "in-turn") return RailBinding::in_turn;
  if (name == "in-blocks") return RailBinding::in_blocks;
  throw std::invalid_argument("no binding of ranks to rails is called " + name);
}

std::array<int, 3> even_sizes(int nodes) {
  // The largest size is as small as possible, and so is the larger one of the other two.
  for (int first = 1; first <= nodes; ++first) {
    if (nodes % first != 0) continue;
    for (int second = 1; second <= first && nodes / first / second >= 1; ++second) {
      const int third = nodes / first / second;
      if (first * second * third == nodes && third <= second) return {first, second, third};
    }
  }
  throw std::invalid_argument("a torus has at least one node");
}

}  // namespace rondo::internal::machine
