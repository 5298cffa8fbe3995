/// @file
/// A trace as Chrome trace events: JSON that Perfetto and chrome://tracing open.
#ifndef RONDO_RUNTIME_TRACE_TRACE_TEXT_HPP
#define RONDO_RUNTIME_TRACE_TRACE_TEXT_HPP

#include "runtime/trace/clock_offset.hpp"
#include "runtime/trace/trace.hpp"

#include <cstdint>
#include <ostream>
#include <string>

namespace rondo::internal {

/// Whose trace it is, and how its times become the file's.
struct TraceOrigin {
  int rank = 0;  ///< in MPI_COMM_WORLD
  std::string host{};
  ClockLine clock{};
  std::int64_t zero = 0;  ///< of the file, in nanoseconds of the reference clock
};

/// What one process gives to a file.
struct TracePart {
  std::string events;  ///< objects with commas between them
  std::string about;   ///< an object: rank, host, events that were overwritten, uncertainty of its clock
};

/// The events that are left in a trace. By the holder of the progress token.
[[nodiscard]] TracePart trace_part(const Trace& trace, const TraceOrigin& origin);

/// A whole file, part after part.
class TraceFileText {
 public:
  explicit TraceFileText(std::ostream& out);
  /// An empty part is left out.
  void add(const TracePart& part);
  void end();

 private:
  std::ostream& out_;
  std::string about_;
};

}  // namespace rondo::internal

#endif
