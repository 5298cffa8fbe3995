/// @file
/// What looks on while operations are made and run.
#ifndef RONDO_RUNTIME_TRACE_OBSERVERS_HPP
#define RONDO_RUNTIME_TRACE_OBSERVERS_HPP

#include "runtime/trace/drawings.hpp"
#include "runtime/trace/trace.hpp"
#include "runtime/trace/trace_file.hpp"

#include <memory>

namespace rondo::internal {

/// Null where nobody asked for it in the environment.
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
