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
/// It has a worker of its own (PollerWorker), so it goes on while the application's tasks hold all others. It works in
/// slices, as a task that enqueues itself again, and sleeps between looks (PollPacer). When nothing has been in flight
/// for a while it lingers, asleep in its slice until it is told of a start, and then parks: there is no task any more,
/// and oneTBB's worker sleeps. wake() costs some microseconds: for operations that their threads wait for at once there
/// is notice().
class Poller {
 public:
  explicit Poller(Engine& engine);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  /// Whether this process can have another thread: oneTBB ends it where it cannot.
  [[nodiscard]] static bool is_possible() noexcept;

  /// After a start, by any thread: looks after it from now on.
  void wake() noexcept;
  /// The same for an operation that its thread is about to wait for: looks after it within some 10 ms if it does not.
  /// Where something was in flight in the last 10 ms this costs next to nothing.
  void notice() noexcept;
  /// Ends it for good, and waits until it is not in MPI any more.
  void stop() noexcept;
  [[nodiscard]] bool parked() const noexcept { return state_.load() == State::parked; }

  /// On the worker: looks for some milliseconds.
  void run_slice() noexcept;

  /// Called on the worker, where given, when it has found nothing and is about to park: for a test.
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
  pid_t process_;  ///< a child of a fork has no workers
  std::atomic<State> state_ = State::parked;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint32_t> starts_ = 0;   ///< told by wake()
  std::atomic<std::uint32_t> notices_ = 0;  ///< starts told by notice()
  sem_t started_{};                         ///< ends a sleep
  // Of the slice that runs; one slice hands them to the next through slices_.
  std::atomic<std::uint32_t> slices_ = 0;
  PollPacer pacer_;
  std::uint32_t seen_starts_ = 0;
  std::uint32_t seen_notices_ = 0;
  Clock::time_point slice_end_;
  PollPacer::Duration stand_back_{};  ///< while others drive
  Clock::time_point last_look_;
  Clock::time_point last_pass_;
  Clock::time_point idle_since_;
  bool idle_ = false;
  PollerWorker worker_;
};

}  // namespace rondo::internal

#endif
