/// @file
/// Whole steps as one graph of tasks: messages, and functions that compute the parts of the tiles.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_STEP_GRAPH_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_STEP_GRAPH_HPP

#include "../stencil/domain.hpp"
#include "tiling.hpp"

#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include <cstdint>
#include <span>

namespace stencil {

/// What is a function of the graph: a part of a tile, or a whole tile.
enum class Grain : std::uint8_t { parts, tiles };

/// `steps` steps from state 0 of the domain on, in place: the buffer begins where the cells of state 0 do. Each part,
/// or tile, is computed when what lies beside it and the sides of the halo that it needs are there, and sent as soon as
/// it is computed: no step waits for the end of the one before. The domain and the tiles must outlive it.
[[nodiscard]] rondo::Lowering step_graph(const rondo::CartComm& torus, Domain& domain, std::span<const TileCells> tiles,
                                         int steps, Grain grain);

}  // namespace stencil

#endif
