/// @file
/// Reports of everything that a process waits for, on SIGUSR1, on SIGTERM, or after the timeout.
#ifndef RONDO_RUNTIME_ENGINE_HANG_REPORT_HPP
#define RONDO_RUNTIME_ENGINE_HANG_REPORT_HPP

#include "runtime/execution/function_list.hpp"
#include "runtime/execution/transport.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace rondo::internal {

class Preparation;

/// The data of a report.
struct HangStory {
  const Transport& transport;
  std::span<Preparation* const> preparations;  ///< preparations of operations that have not begun
  const FunctionList& functions;               ///< executions whose functions are ready, or that workers run
  const Execution* computes;                   ///< the execution whose function runs just now, or null
  int rank;                                    ///< rank of this process in MPI_COMM_WORLD
  const char* activity;                        ///< another activity of a thread that may last long, or null
  std::int64_t seconds;                        ///< for how long the activity has lasted
};

/// Writes a report on standard error: `why`, the operations in flight, how far each has come, the function it runs, and
/// the messages it waits for, with their peers and the computations that need them. Safe in a signal handler.
void write_hang_report(const HangStory& story, const char* why) noexcept;

/// Returns a text that says how far one execution has come and which messages it waits for.
[[nodiscard]] std::string describe_waiting(const Transport& transport, const Execution& execution);

/// Has the engine of this process write reports on SIGUSR1, and on SIGTERM before the process ends as it would have. A
/// handler that MPI has set (MPICH sets one for SIGUSR1) is called after Rondo's. A signal that the application handles
/// is left alone.
void report_on_signals();
/// Returns whether RONDO_SIGNALS is on (the default) or off. Throws Error (MPI_ERR_INFO_VALUE) for any other value.
[[nodiscard]] bool wants_reports_on_signals();

}  // namespace rondo::internal

#endif
