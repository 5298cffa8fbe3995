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

/// The right to drive MPI: one thread at a time has it.
class ProgressToken {
 public:
  /// What the last holder did to the executions is seen by the next.
  [[nodiscard]] bool try_take() noexcept { return !taken_.exchange(true); }
  void take() noexcept;
  /// Whether somebody is in take(): who drives again and again stands back then.
  [[nodiscard]] bool wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }  // a hint only
  void give() noexcept { taken_.store(false, std::memory_order_release); }  // release: see try_take()
  /// The same, for a holder that then looks what others, who tried in vain, have left for it: it sees that, or they
  /// get the token.
  void give_before_looking() noexcept { taken_.store(false); }

 private:
  std::atomic<bool> taken_ = false;
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
  /// In place of that when nothing has moved for too long: it is over then. What MPI still has of it stays where it is.
  /// By the token's holder. Throws std::bad_alloc, and goes on then.
  virtual void give_up(const std::string& why) = 0;
  /// Of the operation, for reports. Safe in a signal handler between two calls of the others.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

/// How soon the poller is to look after what was started. Any but `none` only after async was provided.
enum class PollerCare : std::uint8_t {
  none,
  soon,  ///< if its thread does not wait for it at once, as it usually does
  now
};

class Poller;

/// Drives all schedules of a process. A thread that starts, tests or waits takes the token and drives for all; in
/// progress mode `async` a Poller does so as well while no waiting thread drives. Several threads may call at once
/// where MPI allows it. What drives throws Error, MPI_ERR_OTHER, inside a function of a compute task.
class Engine {
 public:
  explicit Engine(Transport& transport);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// The engine of this process, over MPI.
  static Engine& process();

  [[nodiscard]] Transport& transport() noexcept { return transport_; }

  /// The progress mode that an operation gets which asks for `wanted`; says in the log, once, when it is another. Makes
  /// what the mode needs. Throws std::bad_alloc.
  [[nodiscard]] ProgressMode provide(ProgressMode wanted);

  /// Whom an operation in that mode shares its long copies with; null: with nobody.
  [[nodiscard]] const CopyWorkers* copy_workers(ProgressMode granted) const noexcept {
    return granted == ProgressMode::inlined ? nullptr : copy_workers_.get();
  }

  /// Executions that enter it, while they are active, have their functions run in passes of progress.
  [[nodiscard]] FunctionList& functions() noexcept { return functions_; }

  /// Posts what can be posted at once, or leaves it to the thread that drives just now. Waits for nobody and allocates
  /// nothing.
  void start(Execution& execution, PollerCare care = PollerCare::none);
  /// Looks at a preparation in every pass until it is over; it must live until then. Throws std::bad_alloc.
  void look_after(Preparation& preparation, PollerCare care = PollerCare::none);
  /// One pass of progress over everything in flight, unless another thread is at it, for a caller who does something
  /// else then. Returns the messages that completed.
  std::size_t progress() { return drive(nullptr, Next::pause).moved; }
  /// The same for one who waits.
  std::size_t progress_in_wait() { return drive(nullptr, Next::pass).moved; }
  /// One pass of progress when it is needed; whether the execution is complete.
  [[nodiscard]] bool test(const Execution& execution);
  /// Drives until `execution` is complete.
  void wait(Execution& execution);
  /// Drives until what clears `under_way` has done so.
  void wait_while(const std::atomic<bool>& under_way);
  /// Runs `continuation` when `execution` is complete. False, and it does not, when it is complete already. This and
  /// the next by the token's holder.
  [[nodiscard]] bool when_complete(Execution& execution, Continuation& continuation) noexcept {
    return execution.when_complete(ContinuationList(continuation), fired_);
  }
  /// Runs them when `execution` is complete; where it is already, as soon as the token is given back.
  void when_complete(Execution& execution, ContinuationList continuations) noexcept {
    if (!execution.when_complete(continuations, fired_)) fired_.append(continuations);
  }

  /// Sees to it that what is in flight advances in the background. After async was provided.
  void wake_poller() noexcept;
  /// Whether oneTBB has its thread back. After async was provided.
  [[nodiscard]] bool poller_parked() const noexcept;

  /// Whether this process can have a poller. Nothing is made yet.
  [[nodiscard]] bool can_poll();

  /// What a pass found, for the poller.
  struct Pass {
    bool driven = false;     ///< false: another thread drives, and this one did nothing
    bool in_flight = false;  ///< something is left to look at; told in the background only
    bool functions = false;  ///< and some functions are left to run
    bool workers = false;    ///< or workers run some
    bool stands_in = false;  ///< no worker has come for long: this thread is to run one of theirs as its turn ends
    /// Nothing moved, and among what is left are messages that MPI moves in parts, a part a pass.
    bool long_messages = false;
    std::size_t moved = 0;  ///< messages that completed, preparations that are over, and functions that ran
  };
  /// A pass for no one in particular; none where nothing of what is left is to advance in the background.
  [[nodiscard]] Pass drive_in_background();

  /// Before MPI goes away: ends what runs in the background.
  void shut_down() noexcept;

  /// Writes what is in flight (hang_report.hpp), now if that can be read, otherwise as soon as a thread waits in vain.
  /// Called by signal handlers; `why` must be a literal.
  void report_from_signal(const char* why) noexcept;

  /// Says in reports that a thread is in something that lasts until other ranks do their part, and for how long it has
  /// been; what is longer than 250 characters is cut off. Of several threads the last one is told of.
  void begin_activity(std::string_view activity) noexcept;
  void end_activity() noexcept { activity_.store(nullptr, std::memory_order_relaxed); }  // relaxed: only told
  /// Seconds after which somebody who waits for other ranks gives up, while nothing moves; 0: never.
  [[nodiscard]] double timeout_seconds() const noexcept { return waiting_.timeout_seconds; }
  /// Writes what is in flight, as somebody is about to give up. Returns why, for errors. Throws std::bad_alloc.
  std::string report_timeout();

  /// What a thread does after `idle_passes` passes in a row that moved nothing: spins for a moment, then yields the
  /// core, because the rank it waits for may need it.
  void idle(unsigned idle_passes) const noexcept;

  /// How waiting is done; set once, before the first start.
  struct Waiting {
    bool shared_cores = true;  ///< the node runs more ranks than it has cores: a rank that polls holds another one up
    bool yields = true;      ///< false: MPI's own test yields when nothing moves, and a second yield would cost a turn
    bool may_block = false;  ///< MPI may be waited in: it yields or need not, and no other thread calls Rondo
    bool threads = true;     ///< several threads may call at once
    /// Where not 0: after so many seconds in which threads asked and no message moved, all that is in flight or being
    /// prepared is given up, with a report. Nothing is waited for inside MPI then.
    double timeout_seconds = 0;
    int rank = -1;  ///< of this process in MPI_COMM_WORLD, for reports
    Surroundings surroundings{};
  };
  void set_waiting(const Waiting& waiting) noexcept {
    waiting_ = waiting;
    transport_.set_shared_cores(waiting.shared_cores);
  }
  [[nodiscard]] const Surroundings& surroundings() const noexcept { return waiting_.surroundings; }

  [[nodiscard]] Observers& observers() noexcept { return observers_; }

  /// Holds the token for a scope: for work that must not run beside progress, such as making room in the transport.
  class TokenScope {
   public:
    /// Throws Error, MPI_ERR_OTHER, inside a function of a compute task.
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

  /// While a thread drives until something is complete, the poller need not.
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

   private:
    Engine& engine_;
  };

 private:
  [[nodiscard]] bool begin_turn() noexcept;
  void end_turn(const Pass& pass);
  [[nodiscard]] Pass pass_over(Execution* awaited);
  enum class Next : std::uint8_t { pass, pause };  ///< what the caller does after one
  [[nodiscard]] Pass drive(Execution* awaited, Next next);
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
  // What a start and a wait read, together: see Execution.
  alignas(64) Transport& transport_;
  ProgressToken token_;
  StartQueue queue_;
  ContinuationList fired_;                  ///< of executions that are complete; by the token's holder
  std::vector<Preparation*> preparations_;  ///< by the token's holder
  FunctionList functions_;                  ///< by the token's holder
  Waiting waiting_;
  Clock::duration in_vain_{};                         ///< time of passes that moved nothing, since one that did
  std::atomic<unsigned> waiters_ = 0;                 ///< threads that drive until something is complete
  std::atomic<unsigned> passes_ = 0;                  ///< counted where there are threads
  unsigned seen_passes_ = 0;                          ///< by the poller
  std::atomic<const char*> report_wanted_ = nullptr;  ///< why, by a signal that could not be answered
  Observers observers_;
  FunctionTime function_time_;
  bool workers_idle_ = false;                  ///< workers have functions, and when last looked at had done none
  bool workers_come_ = true;                   ///< one of them has run the last one
  Clock::time_point idle_since_;               ///< while they are idle
  std::shared_ptr<FunctionCrew> works_for_;    ///< of which the token's holder is to run one as it gives the token back
  const Execution* runs_functions_ = nullptr;  ///< the one whose functions run now
  Clock::time_point last_pass_;
  std::atomic<const char*> activity_ = nullptr;  ///< activity_text_, while there is one
  std::array<char, 251> activity_text_{};        ///< the last one is always zero
  Clock::time_point activity_began_;
  std::mutex modes_mutex_;
  std::array<bool, kProgressModes> said_{};    ///< of a mode that was wanted, which is provided
  std::optional<bool> can_poll_;               ///< once it was tried
  std::unique_ptr<CopyWorkers> copy_workers_;  ///< from the first operation in mode `workers` or `async` on
  std::unique_ptr<Poller> poller_;             ///< from the first operation in mode `async` on
};

/// Holds a token for a scope: one that is no engine's (see Engine::TokenScope).
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
