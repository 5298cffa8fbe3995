/// @file
/// Where traces end up: those of all processes in one file, as far as that can be.
#ifndef RONDO_RUNTIME_TRACE_TRACE_FILE_HPP
#define RONDO_RUNTIME_TRACE_TRACE_FILE_HPP

#include <mpi.h>

#include "runtime/trace/clock_offset.hpp"
#include "runtime/trace/trace.hpp"

#include <memory>
#include <optional>
#include <string>

namespace rondo::internal {

/// Rank 0 of MPI_COMM_WORLD writes the file for all, from what the others send it in MPI_Finalize, if it is known then
/// that all of them take part: that all trace was found out when a communicator of all processes was made. Otherwise
/// nobody waits for anybody, and each process writes a file of its own: run.rank3.json for run.json.
class TraceFile {
 public:
  /// `path`: as in RONDO_TRACE.
  explicit TraceFile(std::string path) : path_(std::move(path)) {}
  /// Null when RONDO_TRACE is not set.
  [[nodiscard]] static std::unique_ptr<TraceFile> from_environment();

  /// Compares the clocks, and takes note that all processes trace, where `comm` has all processes of the job.
  /// Collective over `comm`, where all processes trace; blocking. What goes wrong is said in the log.
  void align(MPI_Comm comm) noexcept;

  /// Once, before MPI goes away, by the holder of the progress token. What goes wrong is said in the log.
  void write(const Trace& trace) noexcept;

 private:
  void write_for_all(const Trace& trace, int rank);
  void write_own(const Trace& trace, int rank) const;

  std::string path_;
  std::optional<ClockOffset> first_offset_;  ///< set: all trace
};

/// Writes the trace of this process alone, with times of CLOCK_MONOTONIC. Throws Error, MPI_ERR_FILE, when it cannot.
void write_trace_of_process(const Trace& trace, int rank, const std::string& path);

}  // namespace rondo::internal

#endif
