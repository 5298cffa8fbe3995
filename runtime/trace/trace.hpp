/// @file
/// Trace: the latest events of this process, as far back as its memory reaches.
#ifndef RONDO_RUNTIME_TRACE_TRACE_HPP
#define RONDO_RUNTIME_TRACE_TRACE_HPP

#include "runtime/schedule/message_ways.hpp"
#include "runtime/trace/thread_rings.hpp"
#include "runtime/trace/trace_clock.hpp"
#include "runtime/trace/trace_event.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::internal {

/// The latest events of this process, in rings. Events of the holder of the progress token (the driver) go into one
/// ring, whatever thread holds it. Events of threads without the token go into one ring for each thread. So nobody
/// waits for anybody to add an event.
class Trace {
 public:
  static constexpr std::size_t kDefaultEvents = std::size_t{1} << 17U;
  static constexpr std::size_t kMostEvents = std::size_t{1} << 28U;

  /// Makes an empty trace. The ring of the progress token's holder holds `events` events, the ring of each other thread
  /// an eighth of that; both numbers are rounded up to a power of two. Throws std::bad_alloc.
  explicit Trace(std::size_t events);

  /// Returns the trace that the environment requests: RONDO_TRACE, a file, and RONDO_TRACE_EVENTS. Returns null if none
  /// is requested, if there is no memory for it, and if check_environment() throws.
  [[nodiscard]] static std::unique_ptr<Trace> from_environment() noexcept;
  /// Throws Error (MPI_ERR_INFO_VALUE) if a trace is requested and RONDO_TRACE_EVENTS is not a valid number.
  static void check_environment();

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_.ticks(); }
  /// Adds an event to the driver's ring. Call with the progress token held.
  void add(const TraceEvent& event) noexcept { of_driver_.add(event); }
  /// Sets the end, in ticks, of the event that add() added last. Call with the progress token held since then.
  void end_last(std::uint64_t ticks) noexcept { of_driver_.last().end = ticks; }
  /// Adds an event to the ring of its thread. Thread-safe.
  void add_from_anywhere(const TraceEvent& event) noexcept { of_threads_.add(event); }
  /// Adds an operation and returns its number. The title is copied. Thread-safe. Throws std::bad_alloc.
  [[nodiscard]] std::uint32_t add_operation(const std::string& title);

  /// Sets which way the messages of an operation take; by default MPI. Thread-safe. Throws std::bad_alloc.
  void set_ways(std::uint32_t operation, MessageWays ways);
  /// Sets the names of the compute tasks of an operation. Thread-safe. Throws std::bad_alloc.
  void set_function_names(std::uint32_t operation, std::unordered_map<TaskId, std::string> names);
  [[nodiscard]] std::string function_name(std::uint32_t operation, TaskId task) const;
  [[nodiscard]] MessageWay way_of(std::uint32_t operation, TaskId message) const;

  [[nodiscard]] const TraceRing& of_driver() const noexcept { return of_driver_; }
  [[nodiscard]] const ThreadRings& of_threads() const noexcept { return of_threads_; }
  /// Returns the title of an operation. Thread-safe.
  [[nodiscard]] std::string title(std::uint32_t operation) const;
  /// Returns the conversion of ticks to nanoseconds of CLOCK_MONOTONIC. A later call gives a more precise conversion.
  [[nodiscard]] TraceTime time() const noexcept { return {began_, clock_.read()}; }
  /// Returns when the trace was made, in nanoseconds of CLOCK_MONOTONIC.
  [[nodiscard]] std::int64_t began() const noexcept { return began_.nanoseconds; }

 private:
  TraceClock clock_;
  TraceClock::Reading began_;
  TraceRing of_driver_;
  ThreadRings of_threads_;
  mutable std::mutex titles_mutex_;
  std::vector<std::uint32_t> title_of_operation_;
  std::vector<std::string> titles_;
  std::unordered_map<std::string, std::uint32_t> number_of_title_;
  std::unordered_map<std::uint32_t, MessageWays> ways_;  ///< by operation
  std::unordered_map<std::uint32_t, std::unordered_map<TaskId, std::string>> function_names_;
};

/// Returns a number that tells threads of a process apart. Two threads that never live at the same time may have the
/// same number.
[[nodiscard]] inline std::uint32_t this_thread_for_trace() noexcept {
  // The address of the C library's data of a thread, which lies in the thread's stack: addresses of two threads differ
  // by at least a page.
  return static_cast<std::uint32_t>(pthread_self() >> 12U);
}

}  // namespace rondo::internal

#endif
