/// @file
/// Rondo's log: on standard error, from level RONDO_LOG up (trace, debug, info, warn, error, off; default warn).
#ifndef RONDO_RUNTIME_LOG_HPP
#define RONDO_RUNTIME_LOG_HPP

#include <spdlog/spdlog.h>

namespace rondo {

[[nodiscard]] spdlog::logger& log();

}  // namespace rondo

#endif
