/// @file
/// Seven ways to do a step. In the first five the interiors of the same tiles are tasks of oneTBB; what differs is when
/// the halo comes, and who computes the edges. In the last two all parts of the tiles, or all tiles, are tasks of a
/// graph of Rondo's.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_VARIANTS_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_VARIANTS_HPP

#include "../stencil/domain.hpp"
#include "tiling.hpp"

#include <rondo/rondo.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace stencil {

enum class Variant : std::uint8_t { blocking, nonblocking, async, tasks, async_tasks, graph, tile_graph };
inline constexpr std::array kVariants{Variant::blocking,    Variant::nonblocking, Variant::async,     Variant::tasks,
                                      Variant::async_tasks, Variant::graph,       Variant::tile_graph};

/// "blocking", ...; a literal, as spans of the timeline need.
[[nodiscard]] const char* name(Variant variant);
/// The progress mode that its exchanges ask for.
[[nodiscard]] rondo::ProgressMode wanted_progress(Variant variant);
/// Whether each tile has its own exchange, started and waited for by the tile's task: needs MPI_THREAD_SERIALIZED.
[[nodiscard]] bool by_tile(Variant variant);

/// What all variants work on.
struct Workplace {
  rondo::CartComm& torus;
  Domain& domain;
  std::vector<TileCells> tiles;
  bool contrary;  ///< by_tile(): odd ranks take their tiles in the opposite order
};

/// Carries out the steps of one variant.
class Stepper {
 public:
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  virtual ~Stepper() = default;

  /// From state `which` of the domain to the other one, or, where `most` allows it, several steps at once. In the arena
  /// that computes. Returns the number of steps.
  virtual int step(int which, int most) = 0;
  /// What its exchanges were granted.
  [[nodiscard]] virtual rondo::ProgressMode progress() const = 0;
};

/// Collective over the torus. The workplace must outlive it.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(Variant variant, const Workplace& workplace);

}  // namespace stencil

#endif
