#include "collectives/faces/handles/trace_calls.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/trace/named_event.hpp"

namespace rondo::internal {
namespace {

Trace* trace_of_process() noexcept { return Engine::process().observers().trace.get(); }

}  // namespace

bool is_tracing() noexcept { return trace_of_process() != nullptr; }

std::uint64_t trace_time() noexcept {
  const Trace* its = trace_of_process();
  return its == nullptr ? 0 : its->now();
}

void trace_mark(const char* literal) noexcept {
  Trace* its = trace_of_process();
  if (its == nullptr) [[likely]]
    return;
  const std::uint64_t now = its->now();
  add_named(*its, TraceKind::mark, literal, now, now);
}

void trace_span(const char* literal, std::uint64_t begin) noexcept {
  if (Trace* its = trace_of_process(); its != nullptr) [[unlikely]]
    add_named(*its, TraceKind::span, literal, begin, its->now());
}

void write_trace(const std::string& path) {
  if (!is_tracing()) return;
  require_mpi("trace::write");
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const Engine::TokenScope turn(Engine::process());  // nobody adds events meanwhile
  write_trace_of_process(*trace_of_process(), rank, path);
}

}  // namespace rondo::internal
