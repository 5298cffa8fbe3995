/// @file
/// Progress modes: on which threads operations advance while the application computes.
#ifndef RONDO_PROGRESS_HPP
#define RONDO_PROGRESS_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>

namespace rondo {

/// Where an operation advances between its start and its wait. Asked for by RONDO_PROGRESS, the info key rondo_progress
/// or Options::progress, under the names `auto`, `inline`, `workers` and `async`; Request::progress() tells what it
/// got.
enum class ProgressMode : std::uint8_t {
  automatic,  ///< what MPI's thread level and the cores allow: async, workers or inlined
  inlined,    ///< only in start, test and wait, on the thread that calls; any thread level, no thread is ever started
  workers,    ///< the same, but long copies are shared with oneTBB's workers; needs MPI_THREAD_FUNNELED
  async       ///< also by itself, on a oneTBB worker, while no thread waits; needs MPI_THREAD_MULTIPLE
};

/// "auto", "inline", "workers" or "async". Local, any thread.
[[nodiscard]] const char* name(ProgressMode mode) noexcept;

/// What an operation of this process gets that asks for `wanted`, never `automatic`. After MPI_Init. Local, any thread.
/// Throws Error with MPI's class when MPI cannot be asked.
[[nodiscard]] ProgressMode granted_progress(ProgressMode wanted = ProgressMode::automatic);

/// One pass of progress over all operations of this process: for an application that computes long and places it by
/// hand, in mode `inlined`. Returns whether anything moved. Local, any thread that may call MPI.
bool progress();

}  // namespace rondo

#endif
