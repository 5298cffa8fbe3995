/// @file
/// Expansion: the messages by which a halo is filled.
#ifndef RONDO_COLLECTIVES_HALO_EXPANSION_HPP
#define RONDO_COLLECTIVES_HALO_EXPANSION_HPP

#include "collectives/halo/shape.hpp"
#include "collectives/topology/grid.hpp"

#include <span>
#include <string>
#include <vector>

namespace rondo::internal::halo {

/// A step and the zones that move by it: the disjoint zones of its halo that a process gets from the neighbor in one
/// direction (-1, 0 or 1 for each dimension of the grid). The neighbor has a zone's elements where the zone is inside
/// along the step's dimensions: they are its own, or were received in an earlier phase.
struct Part {
  std::vector<int> step;
  std::vector<Zone> zones;
};

/// A message of an expansion: parts that travel together, because their steps lead to one process.
struct Round {
  int phase;
  std::vector<Part> parts;
};

/// The rounds that fill a halo. The halo is divided into 3^N - 1 directions (faces, edges, corners), each of which
/// comes in one of the rounds, so each element of the halo is received once. The same on all ranks, wherever on a mesh
/// they are. A value.
struct Expansion {
  std::string name;  ///< for people
  std::vector<Round> rounds;
};

/// When the elements of a direction travel that need several steps, one for each stage along which they have to move.
enum class Timing : std::uint8_t {
  by_stage,  ///< the last step is in its stage's phase: elements that go one way are one region, and one message
  by_hops    ///< as soon as the neighbor may have them: phase h moves elements that have made h-1 steps
};

/// Whether the messages of a phase that lead to one process are joined.
enum class Messages : std::uint8_t { apart, coalesced };

/// Returns whether a step leads from every process to itself.
[[nodiscard]] bool leads_to_self(const Grid& grid, std::span<const int> step);

/// Returns the axes along which there is something to exchange with another process, from the axis along which elements
/// are adjacent in memory to the one along which they are farthest apart. The last and longest slabs are contiguous
/// then.
[[nodiscard]] std::vector<int> exchanged_axes(const Grid& grid, const Shape& shape);

/// Returns the path expansion of a halo (ICPP 2019, section 3.4). Each stage has one or more of exchanged_axes(), and
/// each of these is in one stage. Along a stage's axes elements move by one step, to the diagonal neighbor if there are
/// several axes. Axes along which a process is its own neighbor come last, and are copied. Only the depths of `shape`
/// count.
[[nodiscard]] Expansion expand(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages,
                               Timing timing, Messages messages);

}  // namespace rondo::internal::halo

#endif
