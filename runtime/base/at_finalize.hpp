/// @file
/// What MPI_Finalize has Rondo do.
#ifndef RONDO_RUNTIME_BASE_AT_FINALIZE_HPP
#define RONDO_RUNTIME_BASE_AT_FINALIZE_HPP

#include <cstdint>

namespace rondo::internal {

/// In this order, while MPI can still be used.
enum class AtFinalize : std::uint8_t {
  complete_messages,   ///< of Rondo's own that nobody waits for
  end_progress,        ///< nothing drives MPI from here on
  free_communicators,  ///< and what else hangs on communicators that nobody frees
  report
};

/// Has MPI_Finalize call `action`, which must not throw, after all of earlier kinds; those of one kind in the order in
/// which they came. Any thread, as far as it may call MPI. Throws Error, and std::bad_alloc.
void at_finalize(AtFinalize kind, void (*action)());

}  // namespace rondo::internal

#endif
