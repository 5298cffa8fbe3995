/// @file
/// What a trace is made of.
#ifndef RONDO_RUNTIME_TRACE_TRACE_EVENT_HPP
#define RONDO_RUNTIME_TRACE_TRACE_EVENT_HPP

#include "runtime/schedule/task.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace rondo::internal {

enum class TraceKind : std::uint8_t {
  start,           ///< an operation is started; detail: its number of tasks
  posting,         ///< the messages that wait for nothing are posted; detail: how many
  task,            ///< a copy, reduce, compute or join ran, or a message was posted; detail: its bytes
  completion,      ///< of a message; detail: MPI's code
  all_completion,  ///< of all messages of an operation that are in flight
  wait,            ///< the application waits for an operation
  mark,            ///< the application's; detail: its name
  span             ///< the application's; detail: its name
};

/// Says all by itself: what it is about may be gone when it is looked at.
struct TraceEvent {
  static constexpr std::uint64_t kUnknown = 0;

  std::uint64_t begin;  ///< in ticks
  std::uint64_t end;    ///< kUnknown: that of the next event with an end, which began with this one
  std::uint64_t detail;
  std::uint32_t operation;  ///< as Trace::add_operation() numbered it
  TaskId task;
  std::int32_t peer;
  std::uint32_t round;
  std::uint32_t thread;  ///< tells threads apart, see this_thread_for_trace()
  std::uint16_t phase;   ///< 65535 stands for all from there on
  TraceKind kind;
  TaskKind task_kind;

  [[nodiscard]] const char* name() const noexcept { return std::bit_cast<const char*>(detail); }
};
static_assert(sizeof(TraceEvent) == 48 && std::is_trivially_copyable_v<TraceEvent>);
static_assert(sizeof(const char*) == sizeof(std::uint64_t), "names are kept in TraceEvent::detail");

/// The last so many events. One thread at a time adds some; any may read beside it.
class TraceRing {
 public:
  /// `capacity`: a power of two.
  explicit TraceRing(std::size_t capacity) : events_(std::make_unique<TraceEvent[]>(capacity)), mask_(capacity - 1) {}

  void add(const TraceEvent& event) noexcept {
    const std::size_t number = written_.load(std::memory_order_relaxed);  // relaxed: our own
    events_[number & mask_] = event;
    written_.store(number + 1,
                   std::memory_order_release);  // release: the event before the news of it
  }

  /// The event added last, while nobody reads.
  [[nodiscard]] TraceEvent& last() noexcept {
    return events_[(written_.load(std::memory_order_relaxed) - 1) & mask_];  // relaxed: the writer's own
  }

  /// How many events were added, and one of the last so many by its number. For the thread that adds them.
  [[nodiscard]] std::size_t written() const noexcept {
    return written_.load(std::memory_order_relaxed);  // relaxed: our own
  }
  [[nodiscard]] const TraceEvent& operator[](std::size_t number) const noexcept { return events_[number & mask_]; }

  /// Calls visit(event) for the events that are left, oldest first, but for one, which may be being overwritten, and
  /// those that are meanwhile. Returns how many were lost.
  template <typename Visit>
  std::size_t for_each(Visit visit) const {
    const std::size_t end = written_.load(std::memory_order_acquire);  // acquire: see add()
    std::size_t lost = end > mask_ ? end - mask_ : 0;
    for (std::size_t number = lost; number < end; ++number) {
      const TraceEvent event = events_[number & mask_];
      // acq_rel: the event is read before it is asked for; a fence would say so as well, but not to ThreadSanitizer.
      if (written_.fetch_add(0, std::memory_order_acq_rel) > number + mask_)
        ++lost;
      else
        visit(event);
    }
    return lost;
  }

 private:
  std::unique_ptr<TraceEvent[]> events_;
  std::size_t mask_;
  mutable std::atomic<std::size_t> written_ = 0;
};

}  // namespace rondo::internal

#endif
