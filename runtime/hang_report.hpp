/// @file
/// What a process waits for, told when somebody asks: SIGUSR1, SIGTERM, or the timeout.
#ifndef RONDO_RUNTIME_HANG_REPORT_HPP
#define RONDO_RUNTIME_HANG_REPORT_HPP

#include "runtime/transport.hpp"

#include <string>

namespace rondo {

/// Writes on standard error `why`, the operations in flight, how far each has come, and the messages it waits for with
/// their peers. Safe in a signal handler. `rank`: of this process in MPI_COMM_WORLD, for people; `activity`: what else
/// a thread is in that may last, or null.
void write_hang_report(const Transport& transport, int rank, const char* why, const char* activity) noexcept;

/// The same of one execution, as a text.
[[nodiscard]] std::string describe_waiting(const Transport& transport, const Execution& execution);

/// Has the engine of this process report on SIGUSR1, and on SIGTERM before the process ends as it would have. A handler
/// that MPI has set for one of them (MPICH's does nothing of use) is called after ours; a signal that the application
/// handles is left alone; RONDO_SIGNALS=off leaves both alone. Throws Error, MPI_ERR_INFO_VALUE, for any other value.
void report_on_signals();

}  // namespace rondo

#endif
