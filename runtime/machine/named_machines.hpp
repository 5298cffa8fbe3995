/// @file
/// Functions that return the platforms, networks and rail bindings that can be selected by name on command lines.
#ifndef RONDO_RUNTIME_MACHINE_NAMED_MACHINES_HPP
#define RONDO_RUNTIME_MACHINE_NAMED_MACHINES_HPP

#include "runtime/machine/parameters.hpp"
#include "runtime/machine/platform.hpp"

#include <array>
#include <string>

namespace rondo::internal::machine {

/// Returns the platform of this name: one-switch, fat-tree (leaves of 4 nodes, of 16 from 32 nodes on, half as many
/// spines), torus (of three dimensions) or slim-fly (of at most 200 nodes). Throws std::invalid_argument for another
/// name, or too many nodes.
[[nodiscard]] Platform platform_named(const std::string& name, int nodes);

/// Returns the parameters of the network of this name: omni-path or fdr-infiniband. Throws std::invalid_argument for
/// another name.
[[nodiscard]] Parameters network_named(const std::string& name);

/// Returns the rail binding of this name: in-turn or in-blocks. Throws std::invalid_argument for another name.
[[nodiscard]] RailBinding binding_named(const std::string& name);

/// Returns three sizes whose product is `nodes`, as even as possible, the larger ones first.
[[nodiscard]] std::array<int, 3> even_sizes(int nodes);

}  // namespace rondo::internal::machine

#endif
