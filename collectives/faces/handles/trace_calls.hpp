/// @file
/// The application's marks, under both faces.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_TRACE_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_TRACE_CALLS_HPP

#include <cstdint>
#include <string>

namespace rondo::internal {

[[nodiscard]] bool is_tracing() noexcept;
/// The time, for trace_span(); 0 when nothing is traced.
[[nodiscard]] std::uint64_t trace_time() noexcept;
void trace_mark(const char* literal) noexcept;
/// From `begin`, a trace_time(), to now.
void trace_span(const char* literal, std::uint64_t begin) noexcept;
/// Throws Error when MPI is not running, and when the file cannot be written.
void write_trace(const std::string& path);

}  // namespace rondo::internal

#endif
