#include "runtime/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <string_view>

namespace rondo {

spdlog::logger& log() {
  // Not registered with spdlog, whose registry belongs to the application; never destroyed, as MPI_Finalize may log
  // late.
  static spdlog::logger& logger = [&]() -> spdlog::logger& {
    auto& made = *new spdlog::logger("rondo", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    const char* level = std::getenv("RONDO_LOG");
    made.set_level(spdlog::level::warn);
    made.set_pattern("[%n] [%l] %v");
    if (level != nullptr && *level != '\0') {
      const auto wanted = spdlog::level::from_str(level);
      if (wanted != spdlog::level::off || std::string_view(level) == "off")
        made.set_level(wanted);
      else
        made.warn("RONDO_LOG: is {}, must be trace, debug, info, warn, error or off", level);
    }
    return made;
  }();
  return logger;
}

}  // namespace rondo
