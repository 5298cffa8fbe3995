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

/// The number of one direction of a cable between two switches, counted from 0.
using LinkId = std::uint32_t;

/// A Platform consists of nodes and of the links on the route from each node to each other node. Routing is static, as
/// in InfiniBand: a message between two nodes always takes the same links. The cable between a node and its switch is
/// not a link: it is the node's port. A Platform is a value.
class Platform {
 public:
  /// Builds a platform from the routes of all ordered pairs of nodes, row by row.
  Platform(std::string name, int nodes, std::span<const std::vector<LinkId>> routes);

  /// Returns the name, for people.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  /// Returns a number above those of all links that any route uses.
  [[nodiscard]] std::size_t links() const noexcept { return links_; }
  /// Returns the links from one node to another: no links if both are at one switch.
  [[nodiscard]] std::span<const LinkId> route(int from, int to) const {
    const std::size_t pair =
        static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(to);
    return std::span(hops_).subspan(begins_[pair], begins_[pair + 1] - begins_[pair]);
  }

 private:
  std::string name_;
  int nodes_;
  std::size_t links_ = 0;
  std::vector<LinkId> hops_;           ///< the links of all routes, pair by pair
  std::vector<std::uint32_t> begins_;  ///< position in hops_ where each pair's route begins, and the end
};

/// Builds a platform with all nodes at one switch.
[[nodiscard]] Platform one_switch(int nodes);

/// Builds a fat tree of two levels: leaf switches with `per_leaf` nodes each, and per_leaf / `taper` spines with a link
/// to every leaf. Messages to a node take the same spine from everywhere, as in D-mod-k routing.
[[nodiscard]] Platform fat_tree(int nodes, int per_leaf, int taper);

/// Builds a torus: a switch for each node, linked to the next in each dimension, in both directions, as a ring. A
/// message goes dimension by dimension and takes the shorter way; if both are equally short, the way up.
[[nodiscard]] Platform torus(std::span<const int> sizes);

/// Builds the Slim Fly of McKay, Miller and Siran graphs with q = 5 (Besta and Hoefler, SC 2014): 50 switches with 7
/// links each. No two switches are further apart than two links, and two at that distance have one path only. The
/// platform has the first `nodes` of 50 * `per_switch` nodes, which are numbered switch by switch.
[[nodiscard]] Platform slim_fly(int nodes, int per_switch);

/// Returns which switches of the Slim Fly are neighbors: row by row, 50 entries in each of 50 rows.
[[nodiscard]] std::vector<bool> slim_fly_neighbors();

}  // namespace rondo::internal::machine

#endif
