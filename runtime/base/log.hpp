/// @file
/// Rondo's log: on standard error, from level RONDO_LOG up (trace, debug, info, warn, error, off; default warn). Every
/// line says the rank in MPI_COMM_WORLD.
#ifndef RONDO_RUNTIME_BASE_LOG_HPP
#define RONDO_RUNTIME_BASE_LOG_HPP

#include <concepts>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace rondo::internal {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// Whether lines of that level are written.
[[nodiscard]] bool logs(LogLevel level);
/// Writes a line, after "rank 3: " where that is known: from the first line or operation on.
void log_line(LogLevel level, const std::string& line);

/// Parts of a line.
inline void append_to_line(std::string& line, std::string_view part) { line += part; }
inline void append_to_line(std::string& line, std::integral auto part) { line += std::to_string(part); }
inline void append_to_line(std::string& line, double part) { line += std::to_string(part); }

/// Writes a line of all parts: texts and numbers. Without memory for it nothing is written: ranks may wait for this
/// one.
template <typename... Parts>
void log(LogLevel level, const Parts&... parts) noexcept {
  try {
    if (!logs(level)) return;
    std::string line;
    (append_to_line(line, parts), ...);
    log_line(level, line);
  } catch (const std::exception&) {
    // Said above.
  }
}

}  // namespace rondo::internal

#endif
