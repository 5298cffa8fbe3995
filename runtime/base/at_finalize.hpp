/// @file
/// The function at_finalize(), which adds actions of Rondo that MPI_Finalize runs.
#ifndef RONDO_RUNTIME_BASE_AT_FINALIZE_HPP
#define RONDO_RUNTIME_BASE_AT_FINALIZE_HPP

#include <cstdint>

namespace rondo::internal {

/// The kinds of actions, in the order in which MPI_Finalize runs them. MPI can still be used while the actions run.
enum class AtFinalize : std::uint8_t {
  complete_messages,   ///< completes messages of Rondo's own that nobody waits for
  end_progress,        ///< ends background progress: nothing drives MPI afterwards
  free_communicators,  ///< frees communicators, and whatever else depends on communicators that nobody frees
  report
};

/// Has MPI_Finalize call `action`, which must not throw, after all actions of earlier kinds. Actions of one kind run in
/// the order in which they were added. Call this only from a thread that may call MPI. Throws Error, and
/// std::bad_alloc.
void at_finalize(AtFinalize kind, void (*action)());

}  // namespace rondo::internal

#endif
