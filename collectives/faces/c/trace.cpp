// The C interface: marks in a trace.
#include <rondo/trace.h>

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/trace_calls.hpp"

using namespace rondo;
using namespace rondo::internal;

int Rondo_Trace_on(void) { return is_tracing() ? 1 : 0; }

void Rondo_Trace_mark(const char* literal) { trace_mark(literal); }

unsigned long long Rondo_Trace_begin(void) { return trace_time(); }

void Rondo_Trace_end(const char* literal, unsigned long long begin) { trace_span(literal, begin); }

int Rondo_Trace_write(const char* path) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Trace_write", [&] {
    require(path, "path");
    write_trace(path);
  });
}
