/// @file
/// Observers: the trace and the drawings of the operations of a process.
#ifndef RONDO_RUNTIME_TRACE_OBSERVERS_HPP
#define RONDO_RUNTIME_TRACE_OBSERVERS_HPP

#include "runtime/trace/drawings.hpp"
#include "runtime/trace/trace.hpp"
#include "runtime/trace/trace_file.hpp"

#include <memory>

namespace rondo::internal {

/// The observers of a process. Each is null unless the environment asks for it.
struct Observers {
  std::unique_ptr<Trace> trace;
  std::unique_ptr<TraceFile> trace_file;
  std::unique_ptr<Drawings> drawings;

  [[nodiscard]] static Observers from_environment() {
    return {Trace::from_environment(), TraceFile::from_environment(), Drawings::from_environment()};
  }
};

}  // namespace rondo::internal

#endif
