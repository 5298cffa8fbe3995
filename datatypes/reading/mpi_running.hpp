/// @file
/// Whether MPI can be called: between MPI_Init and MPI_Finalize.
#ifndef RONDO_DATATYPES_READING_MPI_RUNNING_HPP
#define RONDO_DATATYPES_READING_MPI_RUNNING_HPP

#include <atomic>

namespace rondo::internal {

/// Whether MPI is known to run: set when MPI first says that it runs, cleared by MPI_Finalize.
inline constinit std::atomic<bool> mpi_is_known_to_run = false;

/// Asks MPI whether it runs: returns true between MPI_Init and MPI_Finalize.
[[nodiscard]] bool ask_whether_mpi_runs() noexcept;
[[noreturn]] void refuse_without_mpi(const char* asked);

/// Returns whether MPI runs. Any thread, at any time. Makes no call of MPI once MPI is known to run.
[[nodiscard]] inline bool mpi_runs() noexcept {
  // relaxed: a call concurrent with MPI_Finalize is an error of the caller, and a thread that sees false asks MPI
  return mpi_is_known_to_run.load(std::memory_order_relaxed) || ask_whether_mpi_runs();
}

/// Throws Error, MPI_ERR_OTHER, if MPI does not run; MPI itself would end the program at the first call. `asked`: name
/// of the function that needs MPI, for the text.
inline void require_mpi(const char* asked) {
  if (!mpi_runs()) [[unlikely]]
    refuse_without_mpi(asked);
}

}  // namespace rondo::internal

#endif
