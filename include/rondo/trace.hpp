/// @file
/// The application's own marks in the timeline that RONDO_TRACE=file.json writes (docs/tracing.md).
#ifndef RONDO_TRACE_HPP
#define RONDO_TRACE_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>
#include <string>

/// All functions are local, may be called by any thread, whatever MPI's thread level, at any time before MPI_Finalize,
/// also before MPI_Init, and do nothing while nothing is traced: a call and a test, some 2 ns. Names are kept as
/// pointers: they must be there until MPI_Finalize, as string literals are.
namespace rondo::trace {

/// Whether this process traces: RONDO_TRACE is set, and RONDO_TRACE_EVENTS is right or not set.
[[nodiscard]] bool on() noexcept;

/// A moment.
void mark(const char* literal) noexcept;

/// From here to the end of the scope.
class Span {
 public:
  /// Begins it, under this name.
  explicit Span(const char* literal) noexcept;
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span();

 private:
  const char* name_;
  std::uint64_t begin_;
};

/// Writes what is left of this process's trace now, into a file of its own, for a program that does not come to
/// MPI_Finalize. Between MPI_Init and MPI_Finalize, and only where the calling thread may call MPI. Does nothing when
/// nothing is traced. Throws Error: MPI_ERR_FILE when the file cannot be written, MPI_ERR_OTHER when MPI is not
/// running.
void write(const std::string& path);

}  // namespace rondo::trace

#endif
