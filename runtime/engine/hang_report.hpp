/// @file
/// What a process waits for, told when somebody asks: SIGUSR1, SIGTERM, or the timeout.
#ifndef RONDO_RUNTIME_ENGINE_HANG_REPORT_HPP
#define RONDO_RUNTIME_ENGINE_HANG_REPORT_HPP

#include "runtime/execution/transport.hpp"

#include <string>

namespace rondo::internal {

/// Writes on standard error `why`, the operations in flight, how far each has come, and the messages it waits for with
/// their peers. Safe in a signal handler. `rank`: of this process in MPI_COMM_WORLD, for people; `activity`: what else
/// a thread is in that may last, or null.
void write_hang_report(const Transport& transport, int rank, const char* why, const char* activity) noexcept;

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
