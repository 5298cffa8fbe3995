/// @file
/// TraceFile: a file to which traces are written, those of all processes if possible.
#ifndef RONDO_RUNTIME_TRACE_TRACE_FILE_HPP
#define RONDO_RUNTIME_TRACE_TRACE_FILE_HPP

#include <mpi.h>

#include "runtime/trace/clock_offset.hpp"
#include "runtime/trace/trace.hpp"

#include <memory>
#include <optional>
#include <string>

namespace rondo::internal {

/// The file that RONDO_TRACE names. Rank 0 of MPI_COMM_WORLD writes it for all ranks, from the data that the others
/// send in MPI_Finalize, if it is known by then that all ranks trace. That was found out if a communicator of all
/// processes was made. Otherwise nobody waits for anybody, and each process writes a separate file: run.rank3.json for
/// run.json.
class TraceFile {
 public:
  /// Remembers the name; write() makes the file. `path`: as in RONDO_TRACE.
  explicit TraceFile(std::string path) : path_(std::move(path)) {}
  /// Returns the file that RONDO_TRACE requests, or null if it is not set or empty.
  [[nodiscard]] static std::unique_ptr<TraceFile> from_environment();

  /// Compares the clocks and records that all processes trace, if `comm` has all processes of the job and no earlier
  /// call did so. Collective over comm, blocking; all its processes must trace. Errors go to the log.
  void align(MPI_Comm comm) noexcept;

  /// Writes the trace. Call this once, before MPI is finalized, with the progress token held. Errors go to the log.
  void write(const Trace& trace) noexcept;

 private:
  void write_for_all(const Trace& trace, int rank);
  void write_own(const Trace& trace, int rank) const;

  std::string path_;
  std::optional<ClockOffset> first_offset_;  ///< set: all processes trace
};

/// Writes the trace of this process alone to the file `path`, with times of CLOCK_MONOTONIC. Throws Error
/// (MPI_ERR_FILE) if the file cannot be written.
void write_trace_of_process(const Trace& trace, int rank, const std::string& path);

}  // namespace rondo::internal

#endif
