/// @file
/// Engine: drives all started executions of a process.
#ifndef RONDO_RUNTIME_ENGINE_ENGINE_HPP
#define RONDO_RUNTIME_ENGINE_ENGINE_HPP

#include "runtime/engine/progress_mode.hpp"
#include "runtime/execution/continuation.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/execution/function_list.hpp"
#include "runtime/execution/start_queue.hpp"
#include "runtime/execution/transport.hpp"
#include "runtime/functions/function_time.hpp"
#include "runtime/functions/inside_function.hpp"
#include "runtime/trace/observers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal {

/// The right to drive MPI. One thread at a time has it.
class ProgressToken {
 public:
  /// Takes the token if it is free. All changes to the executions by its last holder are visible then.
  [[nodiscard]] bool try_take() noexcept { return !taken_.exchange(true); }
  void take() noexcept;
  /// Returns whether a thread is waiting in take(). A thread that drives again and again stands back then.
  [[nodiscard]] bool wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }  // a hint only
  /// Records for good that several threads want the token.
  void note_several_threads() noexcept { contended_.store(true, std::memory_order_relaxed); }  // see is_contended()
  /// Returns the flag that note_several_threads() sets. It is read and written relaxed, because nothing is published
  /// with it: a thread that sees it late only looks for starts of other threads late.
  [[nodiscard]] const std::atomic<bool>& is_contended() const noexcept { return contended_; }
  void give() noexcept { taken_.store(false, std::memory_order_release); }  // release: see try_take()
  /// Gives the token back, for a holder that then looks for starts that other threads have left because they could not
  /// take the token. Either this thread sees those starts, or the other threads get the token.
  void give_before_looking() noexcept { taken_.store(false); }

 private:
  std::atomic<bool> taken_ = false;
  std::atomic<std::uint32_t> waiting_ = 0;
  std::atomic<bool> contended_ = false;
};

/// Work that must be done before an operation can be started, in several calls of MPI none of which may be waited for,
/// such as duplicating a communicator.
class Preparation {
 public:
  Preparation() = default;
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  virtual ~Preparation() = default;
  /// Does as much as can be done now. Returns whether the preparation is over; it is not called again then. By the
  /// token's holder.
  [[nodiscard]] virtual bool advance() noexcept = 0;
  /// Gives the preparation up because nothing has moved for too long; it is over then. Memory that MPI still uses stays
  /// where it is. By the token's holder. Throws std::bad_alloc, and then the preparation continues.
  virtual void give_up(const std::string& why) = 0;
  /// Returns the operation's name, for reports. Safe in a signal handler between two calls of the other functions.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

/// How soon the poller must look after an operation that was started. Only `none` before async was provided.
enum class PollerCare : std::uint8_t {
  none,
  soon,  ///< in case its thread does not wait for it at once, as it usually does
  now
};

class Poller;

/// Drives all schedules of a process. A thread that starts, tests or waits takes the token and drives for all threads.
/// In progress mode `async` a Poller does so as well while no waiting thread drives. Several threads may call at once
/// if MPI allows it, and are tolerated if it does not: parallel libraries do so (PT-SCOTCH), and most MPIs take it.
/// Functions that drive throw Error (MPI_ERR_OTHER) inside a function of a compute task.
class Engine {
 public:
  explicit Engine(Transport& transport);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// Returns the engine of this process, over MPI.
  static Engine& process();

  [[nodiscard]] Transport& transport() noexcept { return transport_; }

  /// Returns the progress mode that an operation gets if it asks for `wanted`, and makes the objects that the mode
  /// needs. Says in the log, once, which mode was granted: as a warning if it is another one. Throws std::bad_alloc.
  [[nodiscard]] ProgressMode provide(ProgressMode wanted);

  /// Returns the workers with which an operation in that mode shares its long copies, or null.
  [[nodiscard]] const CopyWorkers* copy_workers(ProgressMode granted) const noexcept {
    return granted == ProgressMode::inlined ? nullptr : copy_workers_.get();
  }

  /// Returns the list that active executions enter to have their functions run in passes of progress.
  [[nodiscard]] FunctionList& functions() noexcept { return functions_; }

  /// Starts an execution: posts the messages that can be posted at once, or leaves that to the thread that drives just
  /// now. Waits for nobody and allocates nothing.
  void start(Execution& execution, PollerCare care = PollerCare::none);
  /// Advances a preparation in every pass until it is over; it must live until then. Throws std::bad_alloc.
  void look_after(Preparation& preparation, PollerCare care = PollerCare::none);
  /// Makes one pass of progress over everything in flight, unless another thread is driving. For a caller that does
  /// something else afterwards. Returns the number of messages that completed.
  std::size_t progress() { return drive(nullptr, Next::pause).moved; }
  /// Returns whether the execution is complete. Makes one pass of progress if it is not complete yet.
  [[nodiscard]] bool test(const Execution& execution);
  /// Drives until `execution` is complete.
  void wait(Execution& execution);
  /// Drives until another thread or a function that is driven has cleared `under_way`.
  void wait_while(const std::atomic<bool>& under_way);
  /// Has `continuation` run when `execution` is complete. Returns false, and does nothing, if it is complete already.
  /// Call with the progress token held.
  [[nodiscard]] bool when_complete(Execution& execution, Continuation& continuation) noexcept {
    return execution.when_complete(ContinuationList(continuation), fired_);
  }
  /// Has `continuations` run when `execution` is complete, or as soon as the token is given back if it is complete
  /// already. Call with the progress token held.
  void when_complete(Execution& execution, ContinuationList continuations) noexcept {
    if (!execution.when_complete(continuations, fired_)) fired_.append(continuations);
  }

  /// Makes sure that everything in flight advances in the background. Only after async was provided.
  void wake_poller() noexcept;
  /// Returns whether the poller is parked, so that oneTBB has its thread back. Only after async was provided.
  [[nodiscard]] bool poller_parked() const noexcept;

  /// Returns whether this process can have a poller. Does not make one.
  [[nodiscard]] bool can_poll();

  /// The findings of a pass of progress, for the poller.
  struct Pass {
    bool driven = false;     ///< false: another thread drives, and this one did nothing
    bool in_flight = false;  ///< something is in flight; set in the background only
    bool functions = false;  ///< some functions are left to run
    bool workers = false;    ///< workers run some functions
    bool stands_in = false;  ///< no worker came for long: this thread must run a function for them as its pass ends
    /// Nothing moved, and among the messages in flight are some that MPI moves in parts, one part a pass.
    bool long_messages = false;
    std::size_t moved = 0;  ///< messages that completed, preparations that are over, and functions that ran
  };
  /// Makes one pass of progress for no waiting thread, or none if nothing in flight is to advance in the background.
  [[nodiscard]] Pass drive_in_background();

  /// Ends the background progress. Call it before MPI is finalized.
  void shut_down() noexcept;

  /// Writes a report of everything in flight (hang_report.hpp): at once if the lists can be read, otherwise as soon as
  /// a thread waits in vain. Called by signal handlers. `why` must be a literal.
  void report_from_signal(const char* why) noexcept;

  /// Has reports say that a thread is in an activity that lasts until other ranks do their part, and for how long.
  /// Characters beyond 250 are cut off. If several threads are in an activity, reports name the last one.
  void begin_activity(std::string_view activity) noexcept;
  void end_activity() noexcept { activity_.store(nullptr, std::memory_order_relaxed); }  // relaxed: for reports
  /// Returns after how many seconds in which no message moved a thread that waits for other ranks gives up; 0: never.
  [[nodiscard]] double timeout_seconds() const noexcept { return waiting_.timeout_seconds; }
  /// Writes a report of everything in flight, for a caller that is about to give up. Returns the reason, for errors.
  /// Throws std::bad_alloc.
  std::string report_timeout();

  /// Waits for a moment after `idle_passes` passes in a row that moved nothing: first spins, then yields the core,
  /// because the rank that this thread waits for may need the core.
  void idle(unsigned idle_passes) const noexcept;

  /// How waiting is done; set once, before the first start.
  struct Waiting {
    bool shared_cores = true;  ///< the node runs more ranks than it has cores: a rank that polls delays another one
    bool yields = true;  ///< false: MPI's own test yields when nothing moves, and a second yield would only cost time
    bool may_block = false;  ///< threads may wait inside MPI: it yields or need not, and no other thread calls Rondo
    bool threads = true;     ///< several threads may call at once
    /// If not 0: after this many seconds in which threads asked and no message moved, everything in flight or being
    /// prepared is given up, with a report. No thread waits inside MPI then.
    double timeout_seconds = 0;
    int rank = -1;  ///< rank of this process in MPI_COMM_WORLD, for reports
    Surroundings surroundings{};
  };
  void set_waiting(const Waiting& waiting) noexcept {
    waiting_ = waiting;
    transport_.set_shared_cores(waiting.shared_cores);
  }
  [[nodiscard]] const Surroundings& surroundings() const noexcept { return waiting_.surroundings; }

  [[nodiscard]] Observers& observers() noexcept { return observers_; }

  /// Holds the token for a scope, for work that must not run beside progress, such as reserving in the transport.
  class TokenScope {
   public:
    /// Throws Error (MPI_ERR_OTHER) inside a function of a compute task.
    explicit TokenScope(Engine& engine) : engine_(engine) {
      refuse_inside_function();
      engine_.token_.take();
    }
    TokenScope(const TokenScope&) = delete;
    TokenScope& operator=(const TokenScope&) = delete;
    ~TokenScope() { engine_.release_token(); }

   private:
    Engine& engine_;
  };

  /// Drives until something is complete, pass by pass. While a Waiter exists, the poller need not drive.
  class Waiter {
   public:
    explicit Waiter(Engine& engine) : engine_(engine) {
      // relaxed: see drive_in_background()
      if (engine_.waiting_.threads) engine_.waiters_.fetch_add(1, std::memory_order_relaxed);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      if (engine_.waiting_.threads) engine_.waiters_.fetch_sub(1, std::memory_order_relaxed);
    }
    /// Makes one pass of progress, unless another thread is driving, and waits for a moment if nothing has moved. The
    /// execution `awaited`, if any, is all that the caller waits for. Returns whether something has moved.
    bool pass(Execution* awaited = nullptr);

   private:
    Engine& engine_;
    unsigned idle_passes_ = 0;
  };

 private:
  [[nodiscard]] bool begin_turn() noexcept;
  void end_turn(const Pass& pass);
  [[nodiscard]] Pass pass_over(Execution* awaited);
  enum class Next : std::uint8_t { pass, pause };  ///< what the caller does after a pass
  [[nodiscard]] Pass drive(Execution* awaited, Next next);
  void notice_second_thread() noexcept;
  [[nodiscard]] bool has_several_threads() const noexcept {
    return waiting_.threads || token_.is_contended().load(std::memory_order_relaxed);  // relaxed: see is_contended()
  }
  void tell_poller(PollerCare care) noexcept;
  void release_token() noexcept;
  void start_queued() noexcept;
  std::size_t advance_preparations();
  std::size_t run_functions();
  std::size_t look_at_workers();
  void run_for_workers();
  [[nodiscard]] bool has_background_work() const noexcept;
  [[nodiscard]] bool has_long_messages() const noexcept;
  void report_if_wanted();
  void write_report(const char* why) const noexcept;
  [[nodiscard]] std::string reason_to_give_up() const;
  void look_for_hang(bool moved);
  void give_up_all();
  void say_once(ProgressMode wanted, const Granted& granted);
  [[nodiscard]] bool can_poll_with_lock();
  [[nodiscard]] bool has_poller();

  using Clock = std::chrono::steady_clock;
  // Members that a start and a wait read, together: see Execution.
  alignas(64) Transport& transport_;
  ProgressToken token_;
  StartQueue queue_;
  ContinuationList fired_;                  ///< continuations of executions that are complete; by the token's holder
  std::vector<Preparation*> preparations_;  ///< by the token's holder
  FunctionList functions_;                  ///< by the token's holder
  Waiting waiting_;
  Clock::duration in_vain_{};                         ///< time of passes that moved nothing, since one that did
  std::atomic<unsigned> waiters_ = 0;                 ///< threads that drive until something is complete
  std::atomic<unsigned> passes_ = 0;                  ///< number of passes, counted if several threads may call
  unsigned seen_passes_ = 0;                          ///< the value of passes_ that the poller saw last; by the poller
  std::atomic<const char*> report_wanted_ = nullptr;  ///< the reason for a report that a signal handler could not write
  Observers observers_;
  FunctionTime function_time_;
  bool workers_idle_ = false;     ///< workers have functions, and had done none at the last check
  bool workers_come_ = true;      ///< a worker, not the driving thread, has run the last function
  Clock::time_point idle_since_;  ///< since when workers_idle_ has been true
  /// The crew of which the token's holder must run one function when it gives the token back.
  std::shared_ptr<FunctionCrew> works_for_;
  const Execution* runs_functions_ = nullptr;  ///< the execution whose functions run now
  Clock::time_point last_pass_;
  std::atomic<const char*> activity_ = nullptr;  ///< activity_text_ while there is an activity, or null
  std::array<char, 251> activity_text_{};        ///< the last character is always zero
  Clock::time_point activity_began_;
  std::mutex modes_mutex_;
  std::array<bool, kProgressModes> said_{};    ///< by wanted mode: whether the log has said which mode is granted
  std::optional<bool> can_poll_;               ///< set once it was tried
  std::unique_ptr<CopyWorkers> copy_workers_;  ///< from the first operation in mode `workers` or `async` on
  std::unique_ptr<Poller> poller_;             ///< from the first operation in mode `async` on
};

/// Holds a token for a scope, for a token that belongs to no engine (see Engine::TokenScope).
class TokenGuard {
 public:
  explicit TokenGuard(ProgressToken& token) : token_(token) { token_.take(); }
  TokenGuard(const TokenGuard&) = delete;
  TokenGuard& operator=(const TokenGuard&) = delete;
  ~TokenGuard() { token_.give(); }

 private:
  ProgressToken& token_;
};

}  // namespace rondo::internal

#endif
