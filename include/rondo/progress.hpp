/// @file
/// Progress modes: on which threads operations advance while the application computes.
#ifndef RONDO_PROGRESS_HPP
#define RONDO_PROGRESS_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>

namespace rondo {

/// Where an operation advances between its start and its wait. Requested by RONDO_PROGRESS, the info key rondo_progress
/// or Options::progress, under the names `auto`, `inline`, `workers` and `async`; Request::progress() returns the
/// granted mode.
enum class ProgressMode : std::uint8_t {
  automatic,  ///< the best that MPI's thread level and the cores allow: async, workers or inlined
  inlined,    ///< only in start, test and wait, on the thread that calls; any thread level, no thread is ever started
  workers,    ///< as inlined, but oneTBB's workers share long copies; needs MPI_THREAD_FUNNELED
  async       ///< also on a oneTBB worker while no thread waits; needs MPI_THREAD_MULTIPLE
};

/// Returns "auto", "inline", "workers" or "async". Local, any thread.
[[nodiscard]] const char* name(ProgressMode mode) noexcept;

/// Returns the mode that an operation of this process is granted if it requests `wanted`, never `automatic`. Call after
/// MPI_Init. Local, any thread. Throws Error with MPI's class if a call of MPI fails.
[[nodiscard]] ProgressMode granted_progress(ProgressMode wanted = ProgressMode::automatic);

/// Makes one progress pass over all operations of this process: for an application that computes long and places
/// progress by hand, in mode `inlined`. Returns whether anything moved. Local, any thread that may call MPI.
bool progress();

}  // namespace rondo

#endif
