/// @file
/// Engine: drives all started executions of a process.
#ifndef RONDO_RUNTIME_ENGINE_HPP
#define RONDO_RUNTIME_ENGINE_HPP

#include "runtime/execution.hpp"
#include "runtime/observers.hpp"
#include "runtime/transport.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo {

/// The right to drive MPI: one thread at a time has it.
class ProgressToken {
 public:
  [[nodiscard]] bool try_take() noexcept {
    // acquire: what the last holder did to the executions is seen by the next.
    return !taken_.test_and_set(std::memory_order_acquire);
  }
  void take() noexcept;
  /// Whether somebody is in take(): who drives again and again stands back then.
  [[nodiscard]] bool wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }  // a hint only
  void give() noexcept { taken_.clear(std::memory_order_release); }  // release: see try_take()

 private:
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint32_t> waiting_ = 0;
};

/// Something that goes on before an operation can be started, by several calls of MPI none of which may be waited for:
/// a communicator is being duplicated, say.
class Preparation {
 public:
  Preparation() = default;
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  virtual ~Preparation() = default;
  /// Does what can be done now. Returns whether it is over, and is not called again then. By the token's holder.
  [[nodiscard]] virtual bool advance() noexcept = 0;
};

/// Progress mode `inline`: schedules advance only inside start(), test() and wait(), on the calling thread, under any
/// MPI thread level; no thread is ever started. Several threads may call at once where MPI allows it: one holds the
/// token and drives, the others wait for it.
class Engine {
 public:
  explicit Engine(Transport& transport) : transport_(transport) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The engine of this process, over MPI.
  static Engine& process();

  [[nodiscard]] Transport& transport() noexcept { return transport_; }

  /// Posts what can be posted at once. Allocates nothing.
  void start(Execution& execution);
  /// Looks at a preparation in every pass until it is over; it must live until then. Throws std::bad_alloc.
  void look_after(Preparation& preparation);
  /// One pass of progress over everything in flight, unless another thread is at it. Returns the messages that
  /// completed.
  std::size_t progress() { return advance(nullptr); }
  /// One pass of progress when it is needed; whether the execution is complete.
  [[nodiscard]] bool test(const Execution& execution);
  /// Drives until `execution` is complete.
  void wait(Execution& execution);
  /// Drives until what clears `under_way` has done so.
  void wait_while(const std::atomic<bool>& under_way);
  /// Writes what is in flight (hang_report.hpp), now if that can be read, otherwise as soon as a thread waits in vain.
  /// Called by signal handlers; `why` must be a literal.
  void report_from_signal(const char* why) noexcept;

  /// Says in reports that a thread is in something that lasts until other ranks do their part; null: no more. A
  /// literal.
  void set_activity(const char* activity) noexcept {
    activity_.store(activity, std::memory_order_relaxed);  // relaxed: only told
  }

  /// What a thread does after `idle_passes` passes in a row that moved nothing: spins for a moment, then yields the
  /// core, because the rank it waits for may need it.
  void idle(unsigned idle_passes) const noexcept;

  /// How waiting is done; set once, before the first start.
  struct Waiting {
    bool shared_cores = true;  ///< the node runs more ranks than it has cores: a rank that polls holds another one up
    bool yields = true;      ///< false: MPI's own test yields when nothing moves, and a second yield would cost a turn
    bool may_block = false;  ///< MPI may be waited in: it yields or need not, and only one thread calls it
    /// Where not 0: after so many seconds in which threads asked and no message moved, all that is in flight is given
    /// up, with a report. Nothing is waited for inside MPI then.
    double timeout_seconds = 0;
    int rank = -1;  ///< of this process in MPI_COMM_WORLD, for reports
  };
  void set_waiting(const Waiting& waiting) noexcept { waiting_ = waiting; }

  [[nodiscard]] Observers& observers() noexcept { return observers_; }

  /// For work that must not run beside progress, such as making room in the transport.
  [[nodiscard]] ProgressToken& token() noexcept { return token_; }

 private:
  std::size_t advance(Execution* awaited);
  std::size_t advance_preparations();
  void report_if_wanted();
  void look_for_hang(bool moved);
  void give_up_all();

  using Clock = std::chrono::steady_clock;
  Transport& transport_;
  Observers observers_;
  ProgressToken token_;
  Waiting waiting_;
  std::vector<Preparation*> preparations_;  ///< by the token's holder
  Clock::time_point last_pass_;
  Clock::duration in_vain_{};  ///< time of passes that moved nothing, since one that did
  std::atomic<const char*> activity_ = nullptr;
  std::atomic<const char*> report_wanted_ = nullptr;  ///< why, by a signal that could not be answered
};

/// Holds the token for a scope.
class TokenGuard {
 public:
  explicit TokenGuard(ProgressToken& token) : token_(token) { token_.take(); }
  TokenGuard(const TokenGuard&) = delete;
  TokenGuard& operator=(const TokenGuard&) = delete;
  ~TokenGuard() { token_.give(); }

 private:
  ProgressToken& token_;
};

}  // namespace rondo

#endif
