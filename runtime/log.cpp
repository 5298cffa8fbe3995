#include "runtime/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>

namespace rondo {

spdlog::logger& log() {
  // Not registered with spdlog, whose registry belongs to the application; never destroyed, as MPI_Finalize may log
  // late.
  static spdlog::logger& logger = [&]() -> spdlog::logger& {
    auto& made = *new spdlog::logger("rondo", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    const char* level = std::getenv("RONDO_LOG");
    made.set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
    made.set_pattern("[%n] [%l] %v");
    return made;
  }();
  return logger;
}

}  // namespace rondo
