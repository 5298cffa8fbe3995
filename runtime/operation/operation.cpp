#include "runtime/operation/operation.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/at_finalize.hpp"
#include "runtime/base/child_process.hpp"
#include "runtime/base/count_of.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/node.hpp"
#include "runtime/base/world.hpp"
#include "runtime/engine/hang_report.hpp"
#include "runtime/operation/request_table.hpp"
#include "runtime/schedule/computation.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

namespace rondo::internal {
namespace {

std::string described(const std::string& title, const PrivateComm& comm) {
  return comm.original().empty() ? title : title + " on " + std::string(comm.original());
}

}  // namespace

Operation::Operation(Engine& engine, std::shared_ptr<const Schedule> schedule, std::shared_ptr<const PrivateComm> comm,
                     int first_tag, const std::string& name, std::string algorithm, bool persistent)
    : engine_(engine),
      persistent_(persistent),
      comm_(std::move(comm)),
      name_(name),
      algorithm_(std::move(algorithm)),
      title_(name + " (" + algorithm_ + ")"),
      description_(described(title_, *comm_)) {
  const Engine::TokenScope turn(engine_);  // because the transport reserves memory for messages
  execution_.emplace(std::move(schedule), engine_.transport(), comm_->get(), first_tag);
  set_functions();
  execution_->set_name(description_.c_str());
  observe();
}

Operation::~Operation() {
  const Engine::TokenScope turn(engine_);
  execution_.reset();
}

void Operation::set_progress(ProgressMode wanted) {
  progress_ = engine_.provide(wanted);
  execution_->set_copy_workers(engine_.copy_workers(progress_));
  execution_->set_in_background(in_background());
}

void Operation::prepare() {
  const Engine::TokenScope turn(engine_);
  execution_->prepare();
}

void Operation::prepare_connection(int rank, SharedMemory use, std::span<const std::int64_t> nodes) {
  auto connection = std::make_unique<Connection>(*execution_, rank, use, ShortestMessages{}, nodes);
  const Engine::TokenScope turn(engine_);
  execution_->prepare_connection(std::move(connection));
}

void Operation::take_channels() noexcept {
  const Engine::TokenScope turn(engine_);
  execution_->take_channels();
}

void Operation::show_channels() const {
  const ExecutionTrace& traced = execution_->trace();
  if (traced.on()) engine_.observers().trace->set_ways(traced.operation(), execution_->ways());
}

void Operation::use_lanes(std::shared_ptr<const LaneTable> lanes) {
  lanes_ = std::move(lanes);
  if (lanes_ != nullptr) {
    const Engine::TokenScope turn(engine_);
    execution_->use_lanes(*lanes_);
  }
  show_channels();
  draw();
}

void Operation::use_lanes(std::shared_ptr<const LaneTable> lanes, std::unique_ptr<ScaledSchedule> scaled) {
  lanes_ = std::move(lanes);
  scaled_ = std::move(scaled);
  if (lanes_ == nullptr) return;
  const Engine::TokenScope turn(engine_);
  execution_->use_lanes_at_any_size(*lanes_);
}

void Operation::scale_to(std::int64_t block_bytes) {
  if (scaled_->block_bytes() == block_bytes) return;
  scaled_->scale_to(block_bytes);
  execution_->take_new_sizes();
}

bool Operation::place(std::span<const PlacedBlock> sent, std::span<const PlacedBlock> received) {
  if (!scaled_->place(sent, received)) return false;
  block_watch_.reset();  // it counts the tasks that touched the blocks before
  execution_->take_new_sizes();
  return true;
}

[[gnu::hot]] void Operation::start() {
  if (refused_) [[unlikely]]
    refuse_start();
  started_ = true;
  refused_ = true;
  // relaxed: nobody asks for blocks while the operation is inactive
  if (BlockWatch* watch = watch_.load(std::memory_order_relaxed)) [[unlikely]]
    watch->begin();
  if (!in_background()) {
    engine_.start(*execution_);
    return;
  }
  wake_policy_.started();
  const bool now = wake_policy_.takes_its_time() || !execution_->schedule().computations().empty();
  engine_.start(*execution_, now ? PollerCare::now : PollerCare::soon);
}

void Operation::begin_with(Operation& other) noexcept {
  first_start_->other = &other;
  other.started_ = true;
  other.refused_ = true;
  other.wake_policy_.started();
  if (other.in_background() && !in_background()) engine_.wake_poller();  // because the start has not woken it
  // Whoever waits for this operation relies on progress in the background.
  if (in_background()) other.execution_->set_in_background(true);
}

void Operation::start_in_prologue() {
  if (refused_) refuse_start();
  started_ = true;
  refused_ = true;
  wake_policy_.started();
  execution_->announce();
  execution_->start();
}

bool Operation::Start::advance() noexcept {
  try {
    if (!prologue_()) return false;
    Operation& begun = operation_.running();
    // relaxed: as in start()
    if (BlockWatch* watch = begun.watch_.load(std::memory_order_relaxed)) watch->begin();
    begun.execution_->set_comm(begun.comm());
    begun.execution_->announce();
    begun.execution_->start();
  } catch (...) {
    failure = std::current_exception();
  }
  operation_.engine_.when_complete(*operation_.running().execution_, continuations.take());
  under_way.store(false, std::memory_order_release);  // release: whoever waits sees what was done before
  return true;
}

void Operation::Start::give_up(const std::string& why) {
  // Never destroyed: MPI may still write into memory that a prologue owns.
  static auto& kept = *new std::vector<Prologue>;
  auto thrown = std::make_exception_ptr(
      Error(MPI_ERR_OTHER, operation_.description_ + ": " + why +
                               ": it has not begun, as it waits for calls of the other ranks on this communicator"));
  kept.reserve(kept.size() + 1);
  kept.push_back(std::move(prologue_));
  operation_.comm_->give_up();
  failure = std::move(thrown);
  operation_.engine_.when_complete(*operation_.execution_, continuations.take());
  under_way.store(false, std::memory_order_release);  // release: as in advance()
}

void Operation::start_after(Prologue prologue, FirstPass pass) {
  if (refused_) refuse_start();
  first_start_ = std::make_unique<Start>(*this, std::move(prologue));
  try {
    engine_.look_after(*first_start_, in_background() ? PollerCare::now : PollerCare::none);
  } catch (...) {
    first_start_.reset();
    throw;
  }
  wake_policy_.started();
  started_ = true;
  refused_ = true;
  if (pass == FirstPass::now) static_cast<void>(engine_.progress());
}

void Operation::replace(std::shared_ptr<const Schedule> schedule, std::string algorithm) {
  std::string title = name_ + " (" + algorithm + ")";
  std::string description = described(title, *comm_);
  execution_.reset();
  execution_.emplace(std::move(schedule), engine_.transport(), comm_->get(), 0);
  set_functions();
  if (lanes_ != nullptr) execution_->use_lanes(*lanes_);
  execution_->set_copy_workers(engine_.copy_workers(progress_));
  execution_->set_in_background(in_background());
  algorithm_ = std::move(algorithm);
  title_ = std::move(title);
  description_ = std::move(description);
  execution_->set_name(description_.c_str());
  observe();
  show_channels();
  draw();
}

/// Sets where the functions of a new execution run.
void Operation::set_functions() {
  execution_->set_function_list(&engine_.functions());
  const auto for_worker = [](const std::shared_ptr<const Computation>& it) { return it->for_worker; };
  const auto computations = execution_->schedule().computations();
  const auto count = std::ranges::count_if(computations, for_worker);
  if (count == 0) return;
  if (engine_.surroundings().thread_level < MPI_THREAD_FUNNELED) {
    log(LogLevel::warning, description_,
        ": functions for workers run on the driving thread, as MPI was not started with MPI_THREAD_FUNNELED or more");
    return;
  }
  execution_->set_function_crew(
      std::make_shared<FunctionCrew>(static_cast<std::size_t>(count), engine_.functions().done));
}

/// Registers a new execution with the trace, if the environment asked for one.
void Operation::observe() {
  const Observers& observers = engine_.observers();
  Trace* const trace = observers.trace.get();
  if (trace == nullptr) return;
  const std::uint32_t number = trace->add_operation(title_);
  execution_->set_trace({*trace, number});
  const Schedule& schedule = execution_->schedule();
  if (schedule.computations().empty()) return;
  std::unordered_map<TaskId, std::string> names;
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    const Task& task = schedule.tasks()[id];
    if (task.kind == TaskKind::compute) names.emplace(id, schedule.computation(task).name);
  }
  trace->set_function_names(number, std::move(names));
}

void Operation::draw() const {
  if (Drawings* drawings = engine_.observers().drawings.get(); drawings != nullptr)
    drawings->draw(execution_->schedule(), name_, algorithm_, world_rank(), execution_->ways());
}

[[gnu::hot]] bool Operation::test() {
  if (rotation_ != nullptr) [[unlikely]]
    rotation_->is_waited_for();
  if (first_start_ != nullptr) [[unlikely]] {
    if (first_start_->is_under_way()) static_cast<void>(engine_.progress());
    if (first_start_->is_under_way() || first_start_->failure) return !first_start_->is_under_way();
  }
  return engine_.test(*running().execution_);
}

namespace {

/// A TracedWait records in the trace, if there is one, how long the application waits.
class TracedWait {
 public:
  TracedWait(const Trace* trace, const std::optional<Execution>& execution) noexcept
      : trace_(trace), execution_(execution), since_(trace == nullptr ? 0 : trace->now()) {}
  TracedWait(const TracedWait&) = delete;
  TracedWait& operator=(const TracedWait&) = delete;
  ~TracedWait() {
    if (trace_ != nullptr) [[unlikely]]
      execution_->trace().waited(since_);  // read at the end, because the execution may have been replaced meanwhile
  }

 private:
  const Trace* trace_;
  const std::optional<Execution>& execution_;
  std::uint64_t since_;
};

}  // namespace

[[gnu::hot]] void Operation::wait() {
  if (rotation_ != nullptr) [[unlikely]]
    rotation_->is_waited_for();
  const TracedWait traced(engine_.observers().trace.get(), execution_);
  if (first_start_ != nullptr) [[unlikely]] {
    engine_.wait_while(first_start_->under_way);
    if (first_start_->failure) return;
  }
  engine_.wait(*running().execution_);
}

bool Operation::when_complete(Continuation& continuation) {
  // A caller that leaves a callback need not wait. So the poller must look after a start that has not woken it.
  const bool to_wake = in_background() && !wake_policy_.takes_its_time();
  Engine& engine = engine_;
  if (!push_continuation(continuation)) return false;
  if (to_wake) engine.wake_poller();  // not engine_: this operation may be gone, because the continuation may have run
  return true;
}

bool Operation::push_continuation(Continuation& continuation) {
  const Engine::TokenScope turn(engine_);
  if (first_start_ != nullptr && first_start_->is_under_way()) {
    first_start_->continuations.push(continuation);
    return true;
  }
  return !complete() && engine_.when_complete(*running().execution_, continuation);
}

[[gnu::hot]] void Operation::finish() {
  if (rotation_ != nullptr) [[unlikely]]
    rotation_->is_finished();
  started_ = false;
  if (in_background()) wake_policy_.finished();
  if (first_start_ != nullptr) [[unlikely]] {
    const std::exception_ptr failure = first_start_->failure;
    Operation* const other = first_start_->other;
    first_start_.reset();
    if (failure) std::rethrow_exception(failure);
    if (other != nullptr) {
      other->execution_->set_in_background(other->in_background());
      refused_ = !other->execution_->usable();
      other->finish();
      return;
    }
  }
  refused_ = !execution_->usable();
  if (refused_) [[unlikely]]
    comm_->keep();
  if (!persistent_ && watch_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {  // relaxed: as in start()
    // The next user of the operation may not ask for blocks.
    execution_->unwatch_blocks();
    watch_.store(nullptr, std::memory_order_relaxed);
  }
  if (execution_->failure()) throw_failure();
}

void Operation::throw_failure() const {
  throw Error(execution_->failure_class(), description_ + ": " + execution_->describe_failure());
}

void Operation::refuse_start() const {
  if (started_)
    throw Error(MPI_ERR_REQUEST, description_ + ": the request is active: wait for it before it is started again");
  throw Error(MPI_ERR_REQUEST,
              description_ + ": the request lost messages when it failed: free it on all ranks and make a new one");
}

void Operation::rest(std::uint32_t starts) noexcept {
  if (starts == 0) return;
  if (starts == Rotation::kForGood)
    rotation_.reset();
  else
    resting_ = std::move(rotation_);
  starts_to_rest_ = starts;
}

void start_persistent(std::unique_ptr<Operation>& held) {
  Rotation* const rotation = held->rotation();
  if (rotation == nullptr || held->refuses_start()) [[likely]] {
    held->start();
    held->count_start();
    return;
  }
  const std::uint32_t rest = rotation->start(held);
  held->rest(rest);
}

std::unique_ptr<Operation> OperationPool::take() {
  const TokenGuard guard(lock_);
  if (idle_.empty()) return nullptr;
  auto operation = std::move(idle_.back());
  idle_.pop_back();
  return operation;
}

void OperationPool::give(std::unique_ptr<Operation> operation) {
  const TokenGuard guard(lock_);
  try {
    idle_.push_back(std::move(operation));
  } catch (const std::bad_alloc&) {
    // The operation is complete: if the pool cannot grow, the next call makes a new one.
  }
}

void retire(std::unique_ptr<Operation> operation) {
  const std::shared_ptr<OperationPool> pool = std::move(operation->pool);
  operation->finish();  // throws for a failed operation, which is not used again
  static_cast<void>(operation->take_rotation());
  if (pool != nullptr) pool->give(std::move(operation));
}

namespace {

/// Number of characters in the names of lost operations from which no further names are added.
constexpr std::size_t kNamesOfLost = 200;

void end_progress() {
  Engine::process().shut_down();
  std::string names;
  const std::size_t lost = RequestTable::process().close([&](const Operation& operation) {
    if (names.size() < kNamesOfLost) names += (names.empty() ? ": " : ", ") + operation.description();
  });
  const Transport& transport = Engine::process().transport();
  const std::size_t messages = transport.in_flight() - transport.abandoned();
  if (messages > 0 || lost > 0) {
    log(LogLevel::warning, "MPI_Finalize with operations in flight: ", count_of(messages, "message"), " and ",
        count_of(lost, "request"), ", not waited for", names);
  }
  const Observers& observers = Engine::process().observers();
  if (observers.trace != nullptr) {
    const Engine::TokenScope turn(Engine::process());
    observers.trace_file->write(*observers.trace);
  }
}

/// Returns RONDO_TIMEOUT, in seconds, or 0 when it is not set. Throws Error (MPI_ERR_INFO_VALUE) for a wrong value.
double timeout_from_environment() {
  const char* text = std::getenv("RONDO_TIMEOUT");
  if (text == nullptr || *text == '\0') return 0;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end == '\0' && seconds > 0 && seconds <= 1e6) return seconds;
  throw Error(MPI_ERR_INFO_VALUE,
              std::string("RONDO_TIMEOUT: is ") + text + ", must be a number of seconds above 0 and at most 1000000");
}

}  // namespace

void watch_for_finalize() {
  static std::once_flag once;
  std::call_once(once, [] {
    static_cast<void>(is_child_process());  // the first call marks this process as no child
    const double timeout = timeout_from_environment();
    const bool signals = wants_reports_on_signals();
    Trace::check_environment();
    at_finalize(AtFinalize::end_progress, end_progress);
    const bool shared_cores = ranks_per_core() > 1.0;
    int thread_level = MPI_THREAD_MULTIPLE;
    check_mpi(MPI_Query_thread(&thread_level), "MPI_Query_thread");
    const bool mpi_yields = mpi_yields_when_idle();
    const bool may_block = thread_level < MPI_THREAD_SERIALIZED && (mpi_yields || !shared_cores) && timeout == 0;
    Engine::process().set_waiting({.shared_cores = shared_cores,
                                   .yields = !mpi_yields,
                                   .may_block = may_block,
                                   .threads = thread_level >= MPI_THREAD_SERIALIZED,
                                   .timeout_seconds = timeout,
                                   .rank = world_rank(),
                                   .surroundings = {thread_level, cores_of_node(), ranks_on_node()}});
    if (signals) report_on_signals();
  });
}

}  // namespace rondo::internal
