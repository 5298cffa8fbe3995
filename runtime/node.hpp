/// @file
/// What a rank knows about the node it runs on.
#ifndef RONDO_RUNTIME_NODE_HPP
#define RONDO_RUNTIME_NODE_HPP

namespace rondo {

/// Ranks of this job on this node divided by its cores, at least 1; 1 when the launcher does not say. Local.
[[nodiscard]] double ranks_per_core();

}  // namespace rondo

#endif
