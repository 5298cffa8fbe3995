#include "runtime/engine/engine.hpp"

#include "runtime/base/log.hpp"
#include "runtime/engine/hang_report.hpp"
#include "runtime/engine/poller.hpp"
#include "runtime/execution/mpi_transport.hpp"
#include "runtime/execution/node_transport.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

/// Idle passes before a yield if every rank has a core of its own: a few microseconds.
constexpr unsigned kSpins = 50;
/// Bytes from which a message may go by rendezvous: sender and receiver agree first, then its parts travel. The
/// smallest limit of any MPI is 4 KiB. A limit that is too low costs a few polls, which is less than one that is too
/// high costs.
constexpr std::int64_t kLongMessage = std::int64_t{4} << 10U;

}  // namespace

void ProgressToken::take() noexcept {
  if (try_take()) return;
  note_several_threads();
  waiting_.fetch_add(1, std::memory_order_relaxed);  // relaxed: see wanted()
  while (!try_take()) sched_yield();
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

Engine& Engine::process() {
  struct OverMpi {
    OverMpi() { engine.observers() = Observers::from_environment(); }
    MpiTransport mpi;
    NodeTransport<MpiTransport> transport{mpi};
    Engine engine{transport};
  };
  // Never destroyed: MPI_Finalize may run in an exit handler, after the destructors of statics.
  static Engine& engine = (new OverMpi)->engine;
  return engine;
}

Engine::Engine(Transport& transport) : transport_(transport) {}

Engine::~Engine() { shut_down(); }

ProgressMode Engine::provide(ProgressMode wanted) {
  const std::scoped_lock lock(modes_mutex_);
  Granted granted = grant(wanted, waiting_.surroundings);
  if (granted.mode == ProgressMode::async && !has_poller())
    granted = {ProgressMode::inlined, "this process cannot start another thread"};
  if (granted.mode != ProgressMode::inlined && copy_workers_ == nullptr)
    copy_workers_ = std::make_unique<CopyWorkers>();
  say_once(wanted, granted);
  return granted.mode;
}

void Engine::say_once(ProgressMode wanted, const Granted& granted) {
  if (std::exchange(said_[static_cast<std::size_t>(wanted)], true)) return;
  const bool as_asked = wanted == ProgressMode::automatic || wanted == granted.mode;
  log(as_asked ? LogLevel::info : LogLevel::warning, "progress: ", name(wanted), " was requested, ", name(granted.mode),
      " was granted (", granted.why, ")");
}

bool Engine::can_poll() {
  const std::scoped_lock lock(modes_mutex_);
  return can_poll_with_lock();
}

bool Engine::can_poll_with_lock() {
  if (!can_poll_) can_poll_ = Poller::is_possible();
  return *can_poll_;
}

bool Engine::has_poller() {
  if (!can_poll_with_lock()) return false;
  if (poller_ == nullptr) poller_ = std::make_unique<Poller>(*this);
  return true;
}

void Engine::shut_down() noexcept {
  if (poller_ != nullptr) poller_->stop();
}

[[gnu::hot]] void Engine::start(Execution& execution, PollerCare care) {
  if (token_.try_take()) [[likely]] {
    in_vain_ = {};
    execution.announce();
    execution.start();
    release_token();
  } else {
    // The thread that drives now posts the execution, at the latest when it gives the token back. If it has given the
    // token back already, this thread takes the token.
    execution.announce();
    queue_.push(execution);
    if (!waiting_.threads && !InsideFunctions::with_token()) [[unlikely]]
      notice_second_thread();
    if (token_.try_take()) {
      start_queued();
      release_token();
    }
  }
  if (care != PollerCare::none && execution.active()) tell_poller(care);
}

/// Has threads that drive look for starts of other threads from now on, although MPI was started with a level that has
/// one thread at a time call MPI.
[[gnu::cold]] void Engine::notice_second_thread() noexcept {
  token_.note_several_threads();
  static std::once_flag said;
  std::call_once(said, [] {
    log(LogLevel::warning,
        "several threads call MPI at once, which needs MPI_THREAD_MULTIPLE, and MPI was started with less");
  });
}

void Engine::tell_poller(PollerCare care) noexcept {
  if (care == PollerCare::now)
    poller_->wake();
  else
    poller_->notice();
}

void Engine::start_queued() noexcept {
  in_vain_ = {};
  queue_.take_all([](Execution& execution) { execution.start(); });
}

/// Gives the token back, and starts the executions that other threads have left in the queue. Callbacks run last,
/// because they may take as long as they like and a queued start must not wait for them.
[[gnu::hot]] void Engine::release_token() noexcept {
  ContinuationList fired;
  for (;;) {
    fired.append(fired_.take());
    const bool looks = has_several_threads();
    if (looks)
      token_.give_before_looking();
    else
      token_.give();
    if (!looks || queue_.empty() || !token_.try_take()) break;
    start_queued();
  }
  fired.run_all();
}

void Engine::look_after(Preparation& preparation, PollerCare care) {
  {
    const TokenScope turn(*this);
    in_vain_ = {};
    preparations_.push_back(&preparation);
  }
  if (care != PollerCare::none) tell_poller(care);
}

void Engine::wake_poller() noexcept { poller_->wake(); }

bool Engine::poller_parked() const noexcept { return poller_->parked(); }

/// Advances all preparations. Returns how many are over.
std::size_t Engine::advance_preparations() {
  return std::erase_if(preparations_, [](Preparation* preparation) { return preparation->advance(); });
}

void Engine::report_from_signal(const char* why) noexcept {
  const bool taken = token_.try_take();
  // While a function runs nothing else is under way.
  const bool in_function =
      InsideFunctions::with_token() && runs_functions_ != nullptr && runs_functions_->running_function() != kNoTask;
  if (taken || in_function || transport_.at_rest())
    write_report(why);
  else
    report_wanted_.store(why, std::memory_order_relaxed);  // relaxed: nothing else is published with it
  if (taken) token_.give();
}

/// Writes a report that a signal handler wanted and could not write. By the token's holder.
void Engine::report_if_wanted() {
  const char* why = report_wanted_.load(std::memory_order_relaxed);  // relaxed: see report_from_signal()
  if (why == nullptr) [[likely]]
    return;
  report_wanted_.store(nullptr, std::memory_order_relaxed);
  write_report(why);
}

void Engine::write_report(const char* why) const noexcept {
  const char* activity = activity_.load(std::memory_order_relaxed);  // relaxed: only reports read it
  const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - activity_began_);
  write_hang_report({transport_, preparations_, functions_, runs_functions_, waiting_.rank, activity, lasted.count()},
                    why);
}

void Engine::begin_activity(std::string_view activity) noexcept {
  end_activity();
  const std::size_t length = std::min(activity.size(), activity_text_.size() - 1);
  activity.copy(activity_text_.data(), length);
  activity_text_[length] = '\0';
  activity_began_ = Clock::now();
  std::atomic_signal_fence(std::memory_order_release);  // a signal handler sees the text
  activity_.store(activity_text_.data(), std::memory_order_relaxed);
}

std::string Engine::report_timeout() {
  std::string reason = reason_to_give_up();
  const TokenScope turn(*this);
  write_report(reason.c_str());
  return reason;
}

/// Gives everything up if nothing has moved for the timeout. Called after a pass, by the token's holder. A pause
/// between two passes belongs to the application, so it counts for at most an eighth of the timeout.
void Engine::look_for_hang(bool moved) {
  const std::chrono::duration<double> timeout(waiting_.timeout_seconds);
  const auto longest_pause = std::chrono::duration_cast<Clock::duration>(timeout / 8);
  const auto now = Clock::now();
  in_vain_ = moved ? Clock::duration{} : in_vain_ + std::min(now - last_pass_, longest_pause);
  last_pass_ = now;
  if (in_vain_ < timeout) return;
  in_vain_ = {};
  try {
    give_up_all();
  } catch (const std::bad_alloc&) {
    // Whatever could not be given up now is given up after another timeout.
  }
}

std::string Engine::reason_to_give_up() const {
  const auto milliseconds = static_cast<std::int64_t>(waiting_.timeout_seconds * 1000);
  return "no message moved for " + std::to_string(milliseconds) + " ms (RONDO_TIMEOUT)";
}

void Engine::give_up_all() {
  const std::string reason = reason_to_give_up();
  write_report(reason.c_str());
  while (!preparations_.empty()) {
    preparations_.back()->give_up(reason);
    preparations_.pop_back();
  }
  for (std::size_t place = 0; place < transport_.in_flight();) {
    // Giving an execution up may shorten the list.
    Execution* execution = transport_.in_flight_at(place).execution;
    if (execution == nullptr)
      ++place;
    else
      execution->abandon(MPI_ERR_OTHER, reason + ": " + describe_waiting(transport_, *execution));
  }
}

/// Takes the token for a pass, unless another thread has it or waits for it. Returns whether it was taken.
inline bool Engine::begin_turn() noexcept {
  if (token_.wanted()) [[unlikely]] {
    sched_yield();
    return false;
  }
  return token_.try_take();
}

/// Makes one pass, by the token's holder. If the execution that the caller waits for has posted all its messages and no
/// other has any in flight, MPI may wait for the messages itself: it then looks at each once, not once a pass. It
/// stops when another thread needs the token, which may start what a partner of this thread waits for.
[[gnu::always_inline]] inline Engine::Pass Engine::pass_over(Execution* awaited) {
  if (has_several_threads()) {
    // relaxed: only the token's holder writes, and the reader only wants to know whether some thread drives.
    passes_.store(passes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (!queue_.empty()) [[unlikely]]
      start_queued();
  }
  Pass pass{.driven = true, .moved = preparations_.empty() ? 0 : advance_preparations()};
  const std::size_t in_flight = transport_.in_flight();
  const bool block = awaited != nullptr && waiting_.may_block && preparations_.empty() && functions_.empty() &&
                     functions_.on_workers == 0 && awaited->has_posted_all(in_flight) &&
                     (awaited->only_waits() || waiting_.shared_cores);
  if (block) report_if_wanted();
  if (block && transport_.wait_all(!awaited->only_waits(), token_.is_contended())) {
    awaited->complete_rest();
    pass.moved += in_flight;
  } else {
    const std::span<const Completion> completions = transport_.poll();
    for (const Completion& completion : completions) completion.execution->complete(completion.task, completion.code);
    pass.moved += completions.size();
    if (completions.empty()) report_if_wanted();
    if (waiting_.timeout_seconds > 0 && (in_flight > transport_.abandoned() || !preparations_.empty())) [[unlikely]]
      look_for_hang(pass.moved > 0);
  }
  if (functions_.on_workers > 0) [[unlikely]] {
    pass.moved += look_at_workers();
    pass.stands_in = works_for_ != nullptr;
  }
  if (!functions_.empty()) [[unlikely]]
    pass.moved += run_functions();
  pass.functions = !functions_.empty();
  pass.workers = functions_.on_workers > 0;
  return pass;
}

/// Completes functions that workers have run. Returns how many. If no worker has come for long, sets works_for_ so that
/// this thread runs one: the workers may be busy for good with work that waits for this thread, or may not exist.
[[gnu::noinline]] std::size_t Engine::look_at_workers() {
  constexpr auto kPatience = std::chrono::milliseconds(10);
  constexpr auto kShortPatience = std::chrono::microseconds(100);  // if no worker came the last time
  constexpr int kLooks = 64;  // a worker is often about to be done: this check costs less than a pass
  for (int look = 0; look < kLooks && functions_.done.empty(); ++look) {
  }
  in_vain_ = {};
  std::size_t done = 0;
  functions_.done.take_all([&](WorkerFunction& function) {
    --functions_.on_workers;
    ++done;
    workers_come_ = !function.by_driver;
    function.home->execution->complete_function(function);
  });
  if (done > 0) {
    workers_idle_ = false;
    return done;
  }
  const auto now = Clock::now();
  if (!std::exchange(workers_idle_, true)) idle_since_ = now;
  if (now - idle_since_ < (workers_come_ ? Clock::duration(kPatience) : Clock::duration(kShortPatience))) return 0;
  workers_idle_ = false;
  for (Execution* it = functions_.first_with_workers; it != nullptr && works_for_ == nullptr;
       it = it->next_with_workers) {
    works_for_ = it->crew_without_workers();
  }
  return 0;
}

/// Gives the token back, and runs a function in place of a worker. The function may last until another thread has done
/// something, or has driven messages.
[[gnu::noinline]] void Engine::run_for_workers() {
  const std::shared_ptr<FunctionCrew> crew = std::move(works_for_);
  release_token();
  const InsideFunctions here(InsideFunctions::Token::free);
  static_cast<void>(crew->run_one());
}

/// Runs some functions that are ready, at least one. Returns how many ran.
[[gnu::noinline]] std::size_t Engine::run_functions() {
  std::size_t ran = 0;
  {
    const InsideFunctions here;
    function_time_.begin();
    do {
      Execution& execution = functions_.pop();
      runs_functions_ = &execution;
      const Execution::Ran result = execution.run_functions(&function_time_);
      ran += result.functions;
      if (result.more) {  // the time is over: next time other executions that wait go first
        functions_.push(execution);
        break;
      }
    } while (!functions_.empty() && !function_time_.is_over());
    runs_functions_ = nullptr;
  }
  in_vain_ = {};
  if (!queue_.empty()) start_queued();  // functions may have started executions
  return ran;
}

inline void Engine::end_turn(const Pass& pass) {
  if (pass.stands_in) [[unlikely]]
    run_for_workers();
  else
    release_token();
}

/// Makes one pass of progress, unless another thread has the token.
[[gnu::hot]] Engine::Pass Engine::drive(Execution* awaited, Next next) {
  refuse_inside_function();
  if (!begin_turn()) return {};
  if (next == Next::pause) transport_.expect_pause();
  const Pass pass = pass_over(awaited);
  end_turn(pass);
  return pass;
}

Engine::Pass Engine::drive_in_background() {
  // relaxed: if a thread has just begun to wait and is not seen, the poller competes with it for the token this once. A
  // waiting thread that makes no passes does not drive, because it is in a callback.
  const unsigned passes = passes_.load(std::memory_order_relaxed);
  const bool others_drive = std::exchange(seen_passes_, passes) != passes;
  if (others_drive && waiters_.load(std::memory_order_relaxed) > 0) return {};
  if (!begin_turn()) return {};
  if (!has_background_work()) {
    release_token();
    return {.driven = true};
  }
  transport_.expect_pause();
  Pass pass = pass_over(nullptr);
  while (pass.functions && !pass.stands_in && !token_.wanted()) {
    const std::size_t moved = pass.moved;
    pass = pass_over(nullptr);
    pass.moved += moved;
  }
  seen_passes_ = passes_.load(std::memory_order_relaxed);
  pass.in_flight = has_background_work();
  pass.long_messages = pass.in_flight && pass.moved == 0 && has_long_messages();
  end_turn(pass);
  return pass;
}

/// Returns whether the poller is needed. Operations in mode inline do not count: the poller would never rest while one
/// is in flight, and the operation would not be inline any more. By the token's holder.
bool Engine::has_background_work() const noexcept {
  if (!preparations_.empty() || !functions_.empty() || functions_.on_workers > 0) return true;
  for (std::size_t place = 0; place < transport_.in_flight(); ++place) {
    const InFlight it = transport_.in_flight_at(place);
    if (it.execution != nullptr && it.execution->in_background()) return true;
  }
  return false;
}

/// Returns whether a message in flight is long enough for MPI to move it in parts. By the token's holder.
bool Engine::has_long_messages() const noexcept {
  for (std::size_t place = 0; place < transport_.in_flight(); ++place) {
    const InFlight it = transport_.in_flight_at(place);
    if (it.execution != nullptr && it.execution->schedule().tasks()[it.task].bytes >= kLongMessage) return true;
  }
  return false;
}

[[gnu::hot]] bool Engine::test(const Execution& execution) {
  if (!execution.active()) return true;
  progress();
  return !execution.active();
}

void Engine::idle(unsigned idle_passes) const noexcept {
  const bool mpi_has_yielded = !waiting_.yields && transport_.looked_into_network();
  if (!mpi_has_yielded && idle_passes > (waiting_.shared_cores ? 0U : kSpins)) sched_yield();
}

[[gnu::hot]] bool Engine::Waiter::pass(Execution* awaited) {
  const Pass pass = engine_.drive(awaited, Next::pass);
  if (!pass.driven) [[unlikely]]
    sched_yield();  // the thread that drives, or another rank, may need the core
  else if (pass.moved != 0)
    idle_passes_ = 0;
  else
    engine_.idle(++idle_passes_);
  return pass.moved != 0;
}

[[gnu::hot]] void Engine::wait(Execution& execution) {
  if (!execution.active()) return;
  Waiter waiter(*this);
  while (execution.active()) waiter.pass(&execution);
}

void Engine::wait_while(const std::atomic<bool>& under_way) {
  Waiter waiter(*this);
  // acquire: whoever sees the end also sees everything that was written before it.
  while (under_way.load(std::memory_order_acquire)) waiter.pass();
}

}  // namespace rondo::internal
