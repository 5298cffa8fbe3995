/// @file
/// A picture of what the ranks did when.
#ifndef RONDO_EXAMPLES_STENCIL_TIMELINE_HPP
#define RONDO_EXAMPLES_STENCIL_TIMELINE_HPP

#include "phase_log.hpp"

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

namespace stencil {

/// The same stretch of a run on all ranks, in seconds since its beginning.
struct Timeline {
  std::string title;
  std::vector<std::vector<Span>> ranks;
};

/// Rank 0 gets the spans of all, the others nothing. `origin`: what this rank's spans count from. Collective.
[[nodiscard]] std::vector<std::vector<Span>> gather_spans(const std::vector<Span>& own, double origin, MPI_Comm comm);

/// The timelines below each other, on one scale, as an SVG image. `caption` and titles are plain text.
[[nodiscard]] std::string draw(std::span<const Timeline> timelines, const std::string& caption);

}  // namespace stencil

#endif
