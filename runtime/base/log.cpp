#include "runtime/base/log.hpp"

#include "runtime/base/world.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace rondo::internal {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      break;
  }
  return spdlog::level::err;
}

spdlog::logger& logger() {
  // Not registered with spdlog, whose registry belongs to the application; never destroyed, as MPI_Finalize may log
  // late.
  static spdlog::logger& logger = []() -> spdlog::logger& {
    auto& made = *new spdlog::logger("rondo", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    const char* level = std::getenv("RONDO_LOG");
    made.set_level(spdlog::level::warn);
    made.set_pattern("[%n] [%l] %v");
    if (level != nullptr && *level != '\0') {
      const auto wanted = spdlog::level::from_str(level);
      if (wanted != spdlog::level::off || std::string_view(level) == "off")
        made.set_level(wanted);
      else
        made.warn("RONDO_LOG: is " + std::string(level) + ", must be trace, debug, info, warn, error or off");
    }
    return made;
  }();
  return logger;
}

}  // namespace

bool logs(LogLevel level) { return logger().should_log(level_of(level)); }

void log_line(LogLevel level, const std::string& line) {
  const int rank = world_rank();
  logger().log(level_of(level), rank < 0 ? line : "rank " + std::to_string(rank) + ": " + line);
}

}  // namespace rondo::internal
