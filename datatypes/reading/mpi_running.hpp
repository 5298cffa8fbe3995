/// @file
/// Whether MPI can be called: between MPI_Init and MPI_Finalize.
#ifndef RONDO_DATATYPES_READING_MPI_RUNNING_HPP
#define RONDO_DATATYPES_READING_MPI_RUNNING_HPP

#include <atomic>

namespace rondo::internal {

/// Set by the first question that MPI answers with yes, cleared by MPI_Finalize.
inline constinit std::atomic<bool> mpi_is_known_to_run = false;

/// Asks MPI.
[[nodiscard]] bool ask_whether_mpi_runs() noexcept;
[[noreturn]] void refuse_without_mpi(const char* asked);

/// Any thread, at any time. Costs no call, but for the first time.
[[nodiscard]] inline bool mpi_runs() noexcept {
  // relaxed: whoever calls beside MPI_Finalize is in the wrong, and who sees false asks MPI
  return mpi_is_known_to_run.load(std::memory_order_relaxed) || ask_whether_mpi_runs();
}

/// Throws Error, MPI_ERR_OTHER, where MPI does not run: MPI itself would end the program at the first call. `asked`:
/// the function that needs it, for people.
inline void require_mpi(const char* asked) {
  if (!mpi_runs()) [[unlikely]]
    refuse_without_mpi(asked);
}

}  // namespace rondo::internal

#endif
