/// @file
/// Platform: the nodes and switches of a machine, and the links between them.
#ifndef RONDO_RUNTIME_MACHINE_PLATFORM_HPP
#define RONDO_RUNTIME_MACHINE_PLATFORM_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::machine {

/// One direction of a cable between two switches, counted from 0.
using LinkId = std::uint32_t;

/// Nodes, and the links that a message from one to another goes over, always the same: routing is static, as in
/// InfiniBand. The cable between a node and its switch is not among them: that is the node's port. A value.
class Platform {
 public:
  /// From the routes of all ordered pairs of nodes, row by row.
  Platform(std::string name, int nodes, std::span<const std::vector<LinkId>> routes);

  /// For people.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  /// Those that any route uses have smaller numbers.
  [[nodiscard]] std::size_t links() const noexcept { return links_; }
  /// Empty where both are at one switch.
  [[nodiscard]] std::span<const LinkId> route(int from, int to) const {
    const std::size_t pair =
        static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(to);
    return std::span(hops_).subspan(begins_[pair], begins_[pair + 1] - begins_[pair]);
  }

 private:
  std::string name_;
  int nodes_;
  std::size_t links_ = 0;
  std::vector<LinkId> hops_;           ///< pair by pair
  std::vector<std::uint32_t> begins_;  ///< of each pair, and the end
};

/// All nodes at one switch.
[[nodiscard]] Platform one_switch(int nodes);

/// Two levels: leaf switches with `per_leaf` nodes each, and per_leaf / `taper` spines with a link to every leaf. What
/// goes to a node takes the same spine from everywhere, as in D-mod-k routing.
[[nodiscard]] Platform fat_tree(int nodes, int per_leaf, int taper);

/// A switch for each node, linked to the next in each dimension, in both directions, as a ring. The shorter way,
/// dimension by dimension; the way up where both are as short.
[[nodiscard]] Platform torus(std::span<const int> sizes);

/// The Slim Fly of McKay, Miller and Siran graphs with q = 5 (Besta and Hoefler, SC 2014): 50 switches with 7 links
/// each, no two further apart than two links, and then with one path only. The first `nodes` of 50 * `per_switch`
/// nodes, which follow each other switch by switch.
[[nodiscard]] Platform slim_fly(int nodes, int per_switch);

/// Which switches of that graph are neighbors: row by row, 50 of 50.
[[nodiscard]] std::vector<bool> slim_fly_neighbors();

}  // namespace rondo::internal::machine

#endif
