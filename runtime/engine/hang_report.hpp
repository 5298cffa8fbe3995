/// @file
/// What a process waits for, told when somebody asks: SIGUSR1, SIGTERM, or the timeout.
#ifndef RONDO_RUNTIME_ENGINE_HANG_REPORT_HPP
#define RONDO_RUNTIME_ENGINE_HANG_REPORT_HPP

#include "runtime/execution/function_list.hpp"
#include "runtime/execution/transport.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace rondo::internal {

class Preparation;

/// What a report tells.
struct HangStory {
  const Transport& transport;
  std::span<Preparation* const> preparations;  ///< of operations that have not begun
  const FunctionList& functions;               ///< that are ready
  const Execution* computes;                   ///< whose function runs just now, or null
  int rank;                                    ///< of this process in MPI_COMM_WORLD
  const char* activity;                        ///< what else a thread is in that may last, or null
  std::int64_t seconds;                        ///< for how long
};

/// Writes on standard error `why`, the operations in flight, how far each has come, the function it runs, and the
/// messages it waits for with their peers and with what is computed next. Safe in a signal handler.
void write_hang_report(const HangStory& story, const char* why) noexcept;

/// The same of one execution, as a text.
[[nodiscard]] std::string describe_waiting(const Transport& transport, const Execution& execution);

/// Has the engine of this process report on SIGUSR1, and on SIGTERM before the process ends as it would have. A handler
/// that MPI has set (MPICH sets one for SIGUSR1) is called after ours; a signal that the application handles is left
/// alone.
void report_on_signals();
/// What RONDO_SIGNALS says: on, the default, or off. Throws Error, MPI_ERR_INFO_VALUE, for any other value.
[[nodiscard]] bool wants_reports_on_signals();

}  // namespace rondo::internal

#endif
