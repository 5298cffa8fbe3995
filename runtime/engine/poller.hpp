/// @file
/// Poller: progress in the background, on a oneTBB worker.
#ifndef RONDO_RUNTIME_ENGINE_POLLER_HPP
#define RONDO_RUNTIME_ENGINE_POLLER_HPP

#include "runtime/engine/poll_pacer.hpp"
#include "runtime/engine/poller_worker.hpp"

#include <semaphore.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace rondo::internal {

class Engine;

/// Drives an engine while something is in flight and no thread of the application waits for it.
///
/// The poller has a worker of its own (PollerWorker), so it continues while the application's tasks hold all other
/// workers. It works in slices, as a task that enqueues itself again, and sleeps between polls (PollPacer). When
/// nothing has been in flight for a while the poller lingers: it sleeps in its slice until a thread reports a start.
/// Then it parks: there is no task any more, and oneTBB's worker sleeps. wake() costs some microseconds; notice() is
/// for operations that their threads wait for at once.
class Poller {
 public:
  explicit Poller(Engine& engine);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  /// Returns whether this process can start another thread. oneTBB ends a process that cannot.
  [[nodiscard]] static bool is_possible() noexcept;

  /// Has the poller drive from now on an operation that was started. Any thread.
  void wake() noexcept;
  /// Reports a start of an operation that its thread is about to wait for. If the thread does not wait, the poller
  /// drives the operation within some 10 ms. Costs next to nothing if something was in flight in the last 10 ms. Any
  /// thread.
  void notice() noexcept;
  /// Ends the poller for good, and waits until it is not in MPI any more.
  void stop() noexcept;
  [[nodiscard]] bool parked() const noexcept { return state_.load() == State::parked; }

  /// Polls for some milliseconds. Runs on the worker.
  void run_slice() noexcept;

  /// For a test: a function, or null, that the worker calls when it has found nothing and is about to park.
  static inline std::atomic<void (*)()> on_the_way_to_park = nullptr;

 private:
  enum class State : std::uint8_t { parked, lingering, awake, stopped };

  using Clock = std::chrono::steady_clock;
  void enqueue_slice() noexcept { worker_.enqueue(*this); }
  [[nodiscard]] PollPacer::Duration look() noexcept;
  bool rouse() noexcept;
  [[nodiscard]] bool linger() noexcept;
  [[nodiscard]] bool park() noexcept;
  [[nodiscard]] bool told() const noexcept;
  void sleep(PollPacer::Duration pause) noexcept;

  Engine& engine_;
  pid_t process_;  ///< the process that made the poller: a child after fork() has no workers
  std::atomic<State> state_ = State::parked;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint32_t> starts_ = 0;   ///< number of calls of wake()
  std::atomic<std::uint32_t> notices_ = 0;  ///< number of calls of notice()
  sem_t started_{};                         ///< ends a sleep
  // Members of the slice that runs. One slice hands them to the next through slices_.
  std::atomic<std::uint32_t> slices_ = 0;
  PollPacer pacer_;
  std::uint32_t seen_starts_ = 0;
  std::uint32_t seen_notices_ = 0;
  Clock::time_point slice_end_;
  PollPacer::Duration stand_back_{};  ///< the pause while other threads drive
  Clock::time_point last_look_;
  Clock::time_point last_pass_;
  Clock::time_point idle_since_;
  bool idle_ = false;
  PollerWorker worker_;
};

}  // namespace rondo::internal

#endif
