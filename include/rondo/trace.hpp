/// @file
/// The application's own marks in the timeline that RONDO_TRACE=file.json writes (docs/tracing.md).
#ifndef RONDO_TRACE_HPP
#define RONDO_TRACE_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>
#include <string>

/// All functions are local, may be called by any thread, whatever MPI's thread level, at any time before MPI_Finalize,
/// also before MPI_Init, and do nothing while nothing is traced: a call and a test, some 2 ns. Only pointers to names
/// are kept: names must live until MPI_Finalize, as string literals do.
namespace rondo::trace {

/// Whether this process traces: RONDO_TRACE is set, and RONDO_TRACE_EVENTS is right or not set.
[[nodiscard]] bool on() noexcept;

/// Marks a moment in the timeline.
void mark(const char* literal) noexcept;

/// A span of the timeline, from the construction of this object to the end of its scope.
class Span {
 public:
  /// Begins the span under the name `literal`.
  explicit Span(const char* literal) noexcept;
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span();

 private:
  const char* name_;
  std::uint64_t begin_;
};

/// Writes the current content of this process's trace into a separate file, for a program that never reaches
/// MPI_Finalize. Call between MPI_Init and MPI_Finalize, by a thread that may call MPI. Does nothing if nothing is
/// traced. Throws Error: MPI_ERR_FILE if the file cannot be written, MPI_ERR_OTHER if MPI is not running.
void write(const std::string& path);

}  // namespace rondo::trace

#endif
