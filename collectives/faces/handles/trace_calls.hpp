/// @file
/// Functions that add the application's marks to the trace, for both interfaces.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_TRACE_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_TRACE_CALLS_HPP

#include <cstdint>
#include <string>

namespace rondo::internal {

[[nodiscard]] bool is_tracing() noexcept;
/// Returns the present time of the trace, for trace_span(); 0 if nothing is traced.
[[nodiscard]] std::uint64_t trace_time() noexcept;
void trace_mark(const char* literal) noexcept;
/// Adds a span from `begin`, a result of trace_time(), to now.
void trace_span(const char* literal, std::uint64_t begin) noexcept;
/// Writes the trace of this process to the file `path`, if there is a trace. Throws Error if MPI is not running, or if
/// the file cannot be written.
void write_trace(const std::string& path);

}  // namespace rondo::internal

#endif
