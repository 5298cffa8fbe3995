// The C++ interface: marks in a trace.
#include <rondo/trace.hpp>

#include "collectives/faces/handles/trace_calls.hpp"

namespace rondo::trace {

using namespace internal;

bool on() noexcept { return is_tracing(); }

void mark(const char* literal) noexcept { trace_mark(literal); }

Span::Span(const char* literal) noexcept : name_(literal), begin_(trace_time()) {}

Span::~Span() { trace_span(name_, begin_); }

void write(const std::string& path) { write_trace(path); }

}  // namespace rondo::trace
