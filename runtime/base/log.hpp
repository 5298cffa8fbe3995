/// @file
/// Rondo's log: lines on standard error, from level RONDO_LOG up (trace, debug, info, warn, error, off; default warn).
/// Every line says the rank in MPI_COMM_WORLD.
#ifndef RONDO_RUNTIME_BASE_LOG_HPP
#define RONDO_RUNTIME_BASE_LOG_HPP

#include <concepts>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace rondo::internal {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// Returns whether the log writes lines of that level.
[[nodiscard]] bool logs(LogLevel level);
/// Writes a line to the log, with the rank before it ("rank 3: ") if the rank is known: from the first line or
/// operation on.
void log_line(LogLevel level, const std::string& line);

/// Appends one part to a line: a text, or a number in decimal.
inline void append_to_line(std::string& line, std::string_view part) { line += part; }
inline void append_to_line(std::string& line, std::integral auto part) { line += std::to_string(part); }
inline void append_to_line(std::string& line, double part) { line += std::to_string(part); }

/// Writes a line to the log that consists of all parts: texts and numbers. Writes nothing if there is no memory for the
/// line, and does not throw, because other ranks may wait for this rank.
template <typename... Parts>
void log(LogLevel level, const Parts&... parts) noexcept {
  try {
    if (!logs(level)) return;
    std::string line;
    (append_to_line(line, parts), ...);
    log_line(level, line);
  } catch (const std::exception&) {
    // Without memory nothing is written.
  }
}

}  // namespace rondo::internal

#endif
