/// @file
/// Trace: what this process did when, as far back as its memory reaches.
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

/// What the token's holder does is in one ring, whatever thread that is; what threads do without it in a ring for each
/// of them: nobody waits for anybody to add an event.
class Trace {
 public:
  static constexpr std::size_t kDefaultEvents = std::size_t{1} << 17U;
  static constexpr std::size_t kMostEvents = std::size_t{1} << 28U;

  /// `events`: how many the driver's ring holds, rounded up to a power of two; a thread's own holds an eighth. Throws
  /// std::bad_alloc.
  explicit Trace(std::size_t events);

  /// What the environment asks for: RONDO_TRACE, a file, and RONDO_TRACE_EVENTS. Null when it asks for none, and where
  /// check_environment() throws.
  [[nodiscard]] static std::unique_ptr<Trace> from_environment() noexcept;
  /// Throws Error, MPI_ERR_INFO_VALUE, when RONDO_TRACE_EVENTS is no number that can be.
  static void check_environment();

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_.ticks(); }
  /// Adds an event. Only by the holder of the progress token.
  void add(const TraceEvent& event) noexcept { of_driver_.add(event); }
  /// Sets the end of the event added last by add(). Only by the holder, who has held the token since then.
  void end_last(std::uint64_t ticks) noexcept { of_driver_.last().end = ticks; }
  /// Adds an event, by any thread.
  void add_from_anywhere(const TraceEvent& event) noexcept { of_threads_.add(event); }
  /// A number for an operation with this title, which is copied. Any thread. Throws std::bad_alloc.
  [[nodiscard]] std::uint32_t add_operation(const std::string& title);

  /// Which way the messages of an operation take; over MPI if nobody says. Any thread. Throws std::bad_alloc.
  void set_ways(std::uint32_t operation, MessageWays ways);
  /// What the compute tasks of an operation are called. Any thread. Throws std::bad_alloc.
  void set_function_names(std::uint32_t operation, std::unordered_map<TaskId, std::string> names);
  [[nodiscard]] std::string function_name(std::uint32_t operation, TaskId task) const;
  [[nodiscard]] MessageWay way_of(std::uint32_t operation, TaskId message) const;

  [[nodiscard]] const TraceRing& of_driver() const noexcept { return of_driver_; }
  [[nodiscard]] const ThreadRings& of_threads() const noexcept { return of_threads_; }
  /// Of an operation. Any thread.
  [[nodiscard]] std::string title(std::uint32_t operation) const;
  /// Ticks as nanoseconds of CLOCK_MONOTONIC; better the later it is asked for.
  [[nodiscard]] TraceTime time() const noexcept { return {began_, clock_.read()}; }
  /// When it was made, in nanoseconds of CLOCK_MONOTONIC.
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

/// A number that tells threads of a process apart: of threads that never live at the same time, two may have the same.
[[nodiscard]] inline std::uint32_t this_thread_for_trace() noexcept {
  // The address of what the C library keeps of a thread, which lies in the thread's stack: two differ by a page at
  // least.
  return static_cast<std::uint32_t>(pthread_self() >> 12U);
}

}  // namespace rondo::internal

#endif
