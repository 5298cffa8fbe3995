/// @file
/// add_named(): adds named events (marks and spans, which belong to no task) to a trace.
#ifndef RONDO_RUNTIME_TRACE_NAMED_EVENT_HPP
#define RONDO_RUNTIME_TRACE_NAMED_EVENT_HPP

#include "runtime/trace/trace.hpp"

#include <bit>
#include <cstdint>

namespace rondo::internal {

/// Adds a mark or a span with a name that is never freed. Thread-safe.
inline void add_named(Trace& to, TraceKind kind, const char* literal, std::uint64_t begin, std::uint64_t end) noexcept {
  to.add_from_anywhere({.begin = begin,
                        .end = end,
                        .detail = std::bit_cast<std::uint64_t>(literal),
                        .operation = 0,
                        .task = kNoTask,
                        .peer = -1,
                        .round = 0,
                        .thread = this_thread_for_trace(),
                        .phase = 0,
                        .kind = kind,
                        .task_kind = TaskKind::join});
}

}  // namespace rondo::internal

#endif
