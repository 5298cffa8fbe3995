#include "collectives/carriers/carriers.hpp"

#include <algorithm>

namespace rondo::internal {

std::size_t position_of(int node, std::span<const int> nodes) {
  return static_cast<std::size_t>(std::ranges::lower_bound(nodes, node) - nodes.begin());
}

std::size_t Carriers::turn_of(std::size_t i, const std::vector<int>& nodes) const {
  return (i + nodes.size() - position_of(node_, nodes)) % nodes.size();
}

std::size_t Carriers::in(std::size_t turn, const std::vector<int>& nodes) const {
  return (turn + position_of(node_, nodes)) % nodes.size();
}

int Carriers::partner_at_target(std::size_t i) const {
  const Carriers there(traffic_, targets_[i]);
  return there.receiver_from(position_of(node_, there.sources()));
}

int Carriers::partner_at_source(std::size_t i) const {
  const Carriers there(traffic_, sources_[i]);
  return there.sender_to(position_of(node_, there.targets()));
}

}  // namespace rondo::internal
