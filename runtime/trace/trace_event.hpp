/// @file
/// TraceEvent and TraceRing: one entry of a trace, and a ring of the latest entries.
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

/// The kinds of events, and what TraceEvent::detail holds for each.
enum class TraceKind : std::uint8_t {
  start,           ///< an operation is started; detail: its number of tasks
  posting,         ///< the messages that wait for nothing are posted; detail: their number
  task,            ///< a copy, reduce, compute or join ran, or a message was posted; detail: its bytes
  completion,      ///< a message is complete; detail: MPI's code
  all_completion,  ///< all messages of an operation that are in flight are complete
  wait,            ///< the application waits for an operation
  mark,            ///< a mark of the application; detail: its name
  span             ///< a span of the application; detail: its name
};

/// One event, with all data about itself, because the objects that it is about may be gone when it is read.
struct TraceEvent {
  static constexpr std::uint64_t kUnknown = 0;

  std::uint64_t begin;  ///< in ticks
  std::uint64_t end;    ///< kUnknown: the end of the next event that has one; that event began with this one
  std::uint64_t detail;
  std::uint32_t operation;  ///< number that Trace::add_operation() returned
  TaskId task;
  std::int32_t peer;
  std::uint32_t round;
  std::uint32_t thread;  ///< tells threads apart, see this_thread_for_trace()
  std::uint16_t phase;   ///< 65535 stands for that phase and all later ones
  TraceKind kind;
  TaskKind task_kind;

  [[nodiscard]] const char* name() const noexcept { return std::bit_cast<const char*>(detail); }
};
static_assert(sizeof(TraceEvent) == 48 && std::is_trivially_copyable_v<TraceEvent>);
static_assert(sizeof(const char*) == sizeof(std::uint64_t), "names are kept in TraceEvent::detail");

/// A TraceRing holds the last `capacity` events. One thread at a time adds events; any thread may read meanwhile.
class TraceRing {
 public:
  /// Makes an empty ring. `capacity`: number of events, a power of two.
  explicit TraceRing(std::size_t capacity) : events_(std::make_unique<TraceEvent[]>(capacity)), mask_(capacity - 1) {}

  void add(const TraceEvent& event) noexcept {
    const std::size_t number = written_.load(std::memory_order_relaxed);  // relaxed: this thread's own
    events_[number & mask_] = event;
    written_.store(number + 1,
                   std::memory_order_release);  // release: the event comes before the news of it
  }

  /// Returns the event that was added last. Call this only while no thread reads the ring.
  [[nodiscard]] TraceEvent& last() noexcept {
    return events_[(written_.load(std::memory_order_relaxed) - 1) & mask_];  // relaxed: the writer's own
  }

  /// Return the number of events that were added, and the event with a number, which must be one of the last `capacity`
  /// events. Call these only on the thread that adds events.
  [[nodiscard]] std::size_t written() const noexcept {
    return written_.load(std::memory_order_relaxed);  // relaxed: this thread's own
  }
  [[nodiscard]] const TraceEvent& operator[](std::size_t number) const noexcept { return events_[number & mask_]; }

  /// Calls visit(event) for the remaining events, oldest first. Skips the oldest one, which may be being overwritten,
  /// and those that are overwritten meanwhile. Returns the number of events that were lost.
  template <typename Visit>
  std::size_t for_each(Visit visit) const {
    const std::size_t end = written_.load(std::memory_order_acquire);  // acquire: see add()
    std::size_t lost = end > mask_ ? end - mask_ : 0;
    for (std::size_t number = lost; number < end; ++number) {
      const TraceEvent event = events_[number & mask_];
      // acq_rel: the event is read before written_ is. A fence would do as well, but ThreadSanitizer does not know it.
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
