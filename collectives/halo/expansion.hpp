/// @file
/// Expansion: by which messages a halo is filled.
#ifndef RONDO_COLLECTIVES_HALO_EXPANSION_HPP
#define RONDO_COLLECTIVES_HALO_EXPANSION_HPP

#include "collectives/halo/shape.hpp"
#include "collectives/topology/grid.hpp"

#include <span>
#include <string>
#include <vector>

namespace rondo::internal::halo {

/// What a process gets by one step: zones of its halo, disjoint, from the neighbor in a direction (-1, 0 or 1 for each
/// dimension of the grid). The neighbor has a zone's elements where the zone is inside along the step's dimensions:
/// they are its own, or were received in an earlier phase.
struct Part {
  std::vector<int> step;
  std::vector<Zone> zones;
};

/// Parts that travel as one message: their steps lead to one process.
struct Round {
  int phase;
  std::vector<Part> parts;
};

/// A halo is divided into 3^N - 1 directions (faces, edges, corners), each of which comes in one of the rounds: so each
/// element of the halo is received once. The same on all ranks, wherever on a mesh they are. A value.
struct Expansion {
  std::string name;  ///< for people
  std::vector<Round> rounds;
};

/// When a direction's elements travel that go by several steps, one for each stage along which they have to move.
enum class Timing : std::uint8_t {
  by_stage,  ///< their last step is in its stage's phase: what goes one way is one region, and one message
  by_hops    ///< as soon as their neighbor may have them: phase h has what has made h-1 steps
};

/// Which of the messages of a phase that lead to one process are one.
enum class Messages : std::uint8_t { apart, coalesced };

/// Whether a step leads from every process to itself.
[[nodiscard]] bool leads_to_self(const Grid& grid, std::span<const int> step);

/// The axes along which there is something to exchange with another process, from the one along which elements are next
/// to each other in memory to the one along which they are farthest apart: then the last and longest slabs lie in a
/// row.
[[nodiscard]] std::vector<int> exchanged_axes(const Grid& grid, const Shape& shape);

/// The path expansion of a halo (ICPP 2019, section 3.4): stages, each of one or more of exchanged_axes(), and all of
/// these in one stage; along a stage's axes elements move by one step, to the diagonal neighbor where there are
/// several. Axes along which a process is its own neighbor come last, and are copied. Only the depths of `shape` count.
[[nodiscard]] Expansion expand(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages,
                               Timing timing, Messages messages);

}  // namespace rondo::internal::halo

#endif
