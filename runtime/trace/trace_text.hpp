/// @file
/// TraceFileText: traces as Chrome trace events, in JSON that Perfetto and chrome://tracing open.
#ifndef RONDO_RUNTIME_TRACE_TRACE_TEXT_HPP
#define RONDO_RUNTIME_TRACE_TRACE_TEXT_HPP

#include "runtime/trace/clock_offset.hpp"
#include "runtime/trace/trace.hpp"

#include <cstdint>
#include <ostream>
#include <string>

namespace rondo::internal {

/// The process that made a trace, and the conversion of its times to the file's times.
struct TraceOrigin {
  int rank = 0;  ///< rank in MPI_COMM_WORLD
  std::string host{};
  ClockLine clock{};
  std::int64_t zero = 0;  ///< time 0 of the file, in nanoseconds of the reference clock
};

/// The part of a trace file that one process contributes, as trace_part() makes it.
struct TracePart {
  std::string events;  ///< objects, separated by commas
  std::string about;   ///< an object: rank, host, events that were overwritten, uncertainty of its clock
};

/// Returns the part of a file with the events that are left in a trace. Call with the progress token held.
[[nodiscard]] TracePart trace_part(const Trace& trace, const TraceOrigin& origin);

/// A writer of a whole trace file, part after part. The constructor writes the beginning, end() the end.
class TraceFileText {
 public:
  explicit TraceFileText(std::ostream& out);
  /// Appends the part of a process. A part without events is left out.
  void add(const TracePart& part);
  void end();

 private:
  std::ostream& out_;
  std::string about_;
};

}  // namespace rondo::internal

#endif
