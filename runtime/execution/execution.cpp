#include "runtime/execution/execution.hpp"

#include "runtime/execution/block_watch.hpp"
#include "runtime/execution/lane_transport.hpp"
#include "runtime/execution/slot_transport.hpp"
#include "runtime/schedule/computation.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

namespace rondo::internal {

Execution::Execution(std::shared_ptr<const Schedule> schedule, Transport& transport, MPI_Comm comm, int first_tag)
    : transport_(transport),
      comm_(comm),
      messages_(std::make_unique<Message[]>(schedule->messages().size())),
      schedule_(std::move(schedule)),
      plan_(*schedule_),
      counters_(std::make_unique<Counter[]>(schedule_->tasks().size())),
      ready_(std::make_unique<TaskId[]>(schedule_->tasks().size())),
      scratch_(schedule_->scratch_bytes()),
      ready_functions_(*schedule_) {
  std::ranges::transform(schedule_->in_degrees(), counters_.get(), [](std::uint32_t in_degree) {
    return Counter{in_degree, in_degree};
  });
  bases_[static_cast<std::size_t>(Space::scratch)] = scratch_.data();
  wire_types_.reserve(schedule_->wire_layouts().size());
  for (const WireLayout& wire : schedule_->wire_layouts()) {
    if (wire.in_one_space()) {
      wire_types_.push_back(wire.type_in_space());
    } else {  // bind() makes the type
      wire_types_.emplace_back();
      bound_layouts_.resize(schedule_->wire_layouts().size());
    }
  }
  std::ranges::transform(schedule_->messages(), messages_.get(), [&](TaskId id) {
    const Task& task = schedule_->tasks()[id];
    if (task.first_part == kContiguous) return Message(task, id, MPI_BYTE, task.bytes);
    return Message(task, id, wire_types_[task.first_part].get(), task.bytes);
  });
  set_first_tag(first_tag);
  computes_ = !schedule_->computations().empty();
  transport_.reserve(schedule_->messages().size());
}

Execution::~Execution() {
  for (const Route& route : routes_) transport_.discard(route.request);
  if (connection_ != nullptr) transport_.slots()->release(connection_->channels());
  if (lane_messages_ > 0) transport_.lanes()->release(lane_messages_);
  transport_.release(schedule_->messages().size());
}

void Execution::bind(const void* send, void* recv) {
  auto bases = bases_;
  // The send buffer is only read: the builder refuses schedules that write it.
  bases[static_cast<std::size_t>(Space::send)] = static_cast<std::byte*>(const_cast<void*>(send));
  bases[static_cast<std::size_t>(Space::recv)] = static_cast<std::byte*>(recv);
  if (addressed_ && bases == bases_) return;
  addressed_ = false;
  bind_across_spaces(bases);
  bases_ = bases;
  for (Message& message : messages()) {
    const Task& task = schedule_->tasks()[message.task];
    if (lies_across_spaces(task)) {
      message.address = static_cast<std::byte*>(MPI_BOTTOM);
      message.wire_type = wire_types_[task.first_part].get();
      continue;
    }
    const bool sends = task.kind == TaskKind::send;
    // The offset of a message of several pieces is in its layout.
    message.address = bases_[static_cast<std::size_t>(sends ? task.source_space : task.target_space)] +
                      (sends ? task.source_offset : task.target_offset);
  }
  if (!lane_copies_.empty()) [[unlikely]]
    compile_lane_copies(true);
  addressed_ = true;
}

const Layout* Execution::layout_of(const Message& message) const noexcept {
  const Task& task = schedule_->tasks()[message.task];
  if (task.first_part == kContiguous) return nullptr;
  const WireLayout& wire = schedule_->wire_layouts()[task.first_part];
  return wire.in_one_space() ? &wire.parts().front().layout : &bound_layouts_[task.first_part];
}

bool Execution::lies_across_spaces(const Task& task) const noexcept {
  return task.first_part != kContiguous && !schedule_->wire_layouts()[task.first_part].in_one_space();
}

/// Makes the layouts and types of messages across spaces for the buffers in `bases`. MPI lets a datatype reach into
/// several buffers only by absolute addresses, so these types depend on the buffers.
void Execution::bind_across_spaces(const std::array<std::byte*, kSpaces>& bases) {
  if (bound_layouts_.empty() || (bound_ && bases == bases_)) return;
  bound_ = false;
  for (std::size_t i = 0; i < bound_layouts_.size(); ++i) {
    const WireLayout& wire = schedule_->wire_layouts()[i];
    if (wire.in_one_space()) continue;
    bound_layouts_[i] = wire.at(bases);
    wire_types_[i] = wire.type_at(bases);
  }
  bound_ = true;
}

void Execution::set_first_tag(int first_tag) noexcept {
  const int further = first_tag - first_tag_;
  if (further == 0) return;
  first_tag_ = first_tag;
  for (Message& message : messages()) message.tag += further;
}

void Execution::prepare() {
  routes_.resize(schedule_->messages().size());
  std::ranges::transform(messages(), routes_.begin(),
                         [&](const Message& message) { return Route{.request = transport_.prepare(message, comm_)}; });
  if (std::ranges::none_of(routes_, [](const Route& route) { return route.request != MPI_REQUEST_NULL; }))
    routes_.clear();
}

void Execution::prepare_connection(std::unique_ptr<Connection> connection) {
  routes_.resize(schedule_->messages().size());
  slot_reading_ = SlotReading(*schedule_, bases_);
  transport_.slots()->reserve(connection->channels());
  connection_ = std::move(connection);
}

void Execution::take_channels() noexcept {
  connection_->route(routes_);
  for (Route& route : routes_) {
    if (!route.is_shared()) continue;
    transport_.discard(std::exchange(route.request, MPI_REQUEST_NULL));
    connected_ = true;
    near_ = true;
  }
  slot_reading_.settle(routes_);
  if (slot_reading_.by_copies()) shortest_aside_ = 0;
}

std::size_t Execution::published_messages() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      routes_, [](const Route& route) { return route.send != nullptr && route.send->published != nullptr; }));
}

std::vector<TaskId> Execution::shared_messages() const {
  std::vector<TaskId> shared;
  std::ranges::copy_if(schedule_->messages(), std::back_inserter(shared),
                       [&](TaskId id) { return is_shared(schedule_->tasks()[id]); });
  std::ranges::sort(shared);
  return shared;
}

MessageWays Execution::ways() const {
  MessageWays ways{.shared = shared_messages()};
  std::ranges::copy_if(schedule_->messages(), std::back_inserter(ways.in_lanes),
                       [&](TaskId id) { return messages_[schedule_->tasks()[id].message].in_lane != 0; });
  std::ranges::sort(ways.in_lanes);
  return ways;
}

/// Posts the messages that wait for nothing, in one call if none of them is left out.
[[gnu::hot]] void Execution::post_roots() {
  const std::size_t count = plan_.root_messages;
  if (skips_empty_) [[unlikely]] {
    for (std::size_t number = 0; number < count; ++number) {
      if (messages_[number].size > 0 && !post(number)) advance({}, messages_[number].task);
    }
    return;
  }
  const std::uint64_t since = trace_.now();
  const Posted posted = transport_.post(*this, {messages_.get(), count}, routes_.empty() ? nullptr : routes_.data());
  trace_.posted_roots(*schedule_, since);
  posted_ += static_cast<std::uint32_t>(posted.count);
  unposted_ -= static_cast<std::uint32_t>(posted.count);
  if (posted.count == count) [[likely]]
    return;
  fail(messages_[posted.count].task, posted.code);
  for (std::size_t number = posted.count; number < count; ++number) {
    if (!post_in_failure(number)) advance({}, messages_[number].task);
  }
}

/// Posts one message, or its stand-in after a failure. Returns false if neither could be posted: the message is lost.
[[gnu::hot]] bool Execution::post(std::size_t number) {
  if (failure_) [[unlikely]]
    return post_in_failure(number);
  const Posted posted = transport_.post(*this, {messages_.get() + number, 1}, route_of(number));
  if (posted.count == 0) [[unlikely]] {
    fail(messages_[number].task, posted.code);
    return post_in_failure(number);
  }
  ++posted_;
  --unposted_;
  return true;
}

bool Execution::post_in_failure(std::size_t number) {
  --unposted_;
  if (transport_.post_in_failure(*this, messages_[number], route_of(number)) == MPI_SUCCESS) {
    ++posted_;
    return true;
  }
  usable_ = false;
  return false;
}

/// Returns the address that the offsets of a task's sources count from: the beginning of the space, or, if the task
/// reads a message in its slot, the address where the space would begin if it lay around the slot.
const std::byte* Execution::base_of_sources(const Task& task) const noexcept {
  const std::byte* base = bases_[static_cast<std::size_t>(task.source_space)];
  const auto message = slot_reading_.message_of(static_cast<TaskId>(&task - schedule_->tasks().data()));
  if (!message) return base;
  const ReceiveChannel& channel = *routes_[*message].receive;
  return channel.held_data() - (channel.target - base);
}

/// Copies the data of a task that reads slots, or that is long enough to be shared with the workers, if there are any.
[[gnu::noinline]] void Execution::copy_aside(const Task& task) const {
  const std::byte* source = base_of_sources(task);
  std::byte* target = bases_[static_cast<std::size_t>(task.target_space)];
  const CopyWorkers* workers = task.bytes >= CopyWorkers::kWorthSharing ? copy_workers_ : nullptr;
  if (task.part_count == 0) {
    source += task.source_offset;
    target += task.target_offset;
    if (workers != nullptr)
      workers->copy(target, source, task.bytes);
    else
      copy_bytes(target, source, static_cast<std::size_t>(task.bytes));
  } else if (workers != nullptr) {
    workers->run(schedule_->runs(task), source, target, task.bytes);
  } else {
    run_copies(schedule_->runs(task), source, target);
  }
}

/// Combines the operands of a task in list order, which fixes the result. Returns MPI's code.
[[gnu::noinline]] int Execution::reduce(const Task& task) const noexcept {
  const Reduction& reduction = schedule_->reduction(task);
  const std::byte* source = base_of_sources(task);
  std::byte* target = bases_[static_cast<std::size_t>(task.target_space)];
  if (task.part_count == 0) return reduction.run(source + task.source_offset, target + task.target_offset);
  for (const OperandPair& pair : schedule_->operand_pairs(task)) {
    const int code = reduction.run(source + pair.source, target + pair.target);
    if (code != MPI_SUCCESS) [[unlikely]]
      return code;
  }
  return MPI_SUCCESS;
}

/// Releases the successors of `completed`, a message that has completed, or kNoTask. Then runs `first_tasks`, the first
/// `queued` tasks of the ready queue and all tasks that become ready, until only messages in flight, and functions, are
/// left. Everything that the loop needs is kept in locals, because copies write bytes, and for the compiler a byte may
/// be part of any object. `kObserved`: reports each task to the watch and the trace, if there are any. Even a branch
/// for this that is never taken would cost a task of 8 bytes a third of its time.
template <bool kObserved>
[[gnu::hot]] void Execution::run_ready(std::span<const TaskId> first_tasks, TaskId completed, std::uint32_t queued) {
  const Task* const tasks = schedule_->tasks().data();
  const TaskId* const successors = schedule_->successors().data();
  Counter* const counters = counters_.get();
  TaskId* const ready = ready_.get();
  const std::array<std::byte*, kSpaces> bases = bases_;
  std::uint32_t ready_count = queued;
  std::uint32_t finished = 0;
  bool failed = failure_.has_value();
  std::conditional_t<kObserved, TaskTimes, NoTaskTimes> times(trace_);

  // Counts a task as complete. Returns one of its successors that is ready now, to be run next; queues the others.
  const auto release = [&](const Task& task) {
    ++finished;
    if constexpr (kObserved) {
      if (watch_ != nullptr && !failed) watch_->complete(static_cast<TaskId>(&task - tasks));
    }
    TaskId next = kNoTask;
    for (std::uint32_t i = 0; i < task.successor_count; ++i) {
      const TaskId successor = successors[task.first_successor + i];
      Counter& counter = counters[successor];
      if (--counter.pending != 0) continue;
      counter.pending = counter.in_degree;  // reset at once, so that the next start has nothing to reset
      if (next != kNoTask) ready[ready_count++] = next;
      next = successor;
    }
    return next;
  };
  const auto copy = [&](const Task& task) {
    const std::byte* source = bases[static_cast<std::size_t>(task.source_space)];
    std::byte* target = bases[static_cast<std::size_t>(task.target_space)];
    if (task.bytes >= shortest_aside_) [[unlikely]] {
      copy_aside(task);
    } else if (task.part_count == 0) {
      copy_bytes(target + task.target_offset, source + task.source_offset, static_cast<std::size_t>(task.bytes));
    } else {
      run_copies(schedule_->runs(task), source, target);
    }
  };
  const auto run_from = [&](TaskId id) {
    while (id != kNoTask) {
      const Task& task = tasks[id];
      bool complete = true;
      times.begin(task);
      if (task.kind == TaskKind::copy) {
        if (!failed) [[likely]]
          copy(task);
      } else if (is_message(task)) {
        complete = !post(task.message);
        failed = failure_.has_value();
      } else if (task.kind == TaskKind::reduce && !failed) {
        if (const int code = reduce(task); code != MPI_SUCCESS) [[unlikely]] {
          fail(id, code);
          failed = true;
        }
      } else if (task.kind == TaskKind::compute && (!failed || is_for_worker(task))) {
        queue_function(id, task);
        id = ready_count > 0 ? ready[--ready_count] : kNoTask;
        continue;
      }
      times.end(task, id);
      id = complete ? release(task) : kNoTask;
      if (id == kNoTask && ready_count > 0) id = ready[--ready_count];
    }
  };

  if (completed != kNoTask) run_from(release(tasks[completed]));
  if (ready_count > 0) run_from(ready[--ready_count]);
  for (const TaskId first : first_tasks) run_from(first);
  remaining_ -= finished;
}

[[gnu::hot]] void Execution::advance(std::span<const TaskId> first_tasks, TaskId completed) {
  if (watch_ == nullptr && !trace_.on()) [[likely]]
    run_ready<false>(first_tasks, completed, 0);
  else
    run_ready<true>(first_tasks, completed, 0);
}

/// Runs the first `queued` tasks of the ready queue, as advance() runs others.
void Execution::run_queued(std::uint32_t queued) {
  if (watch_ == nullptr && !trace_.on()) [[likely]]
    run_ready<false>({}, kNoTask, queued);
  else
    run_ready<true>({}, kNoTask, queued);
}

[[gnu::hot]] void Execution::start() {
  trace_.started(*schedule_);
  failure_.reset();
  unposted_ = plan_.messages;
  remaining_ = plan_.tasks;
  if (computes_) [[unlikely]] {
    ready_functions_.reset();
    if (crew_ != nullptr) crew_->pass_over(false);
  }
  // Active until end(), even without tasks: a thread that waits may start the operation anew as soon as it is not.
  // relaxed: the token orders the start before threads that drive later; waiters read it only after start returned.
  active_.store(true, std::memory_order_relaxed);
  if (!plan_.roots_before_messages.empty()) advance(plan_.roots_before_messages, kNoTask);
  post_roots();
  if (!plan_.roots_after_messages.empty()) advance(plan_.roots_after_messages, kNoTask);
  if (connected_) transport_.slots()->copy_claimed();
  if (remaining_ == 0) end();
}

/// Ends the execution. A thread that waits may destroy the execution as soon as it is not active.
[[gnu::hot]] void Execution::end() noexcept {
  if (!continuations_.empty()) [[unlikely]]
    fired_->append(continuations_.take());
  active_.store(false, std::memory_order_release);  // release: the data before the news of its end
}

bool Execution::when_complete(ContinuationList continuations, ContinuationList& list) noexcept {
  if (!active()) return false;
  continuations_.append(continuations);
  fired_ = &list;
  return true;
}

[[gnu::hot]] void Execution::complete(TaskId id, int code) {
  trace_.completed(id, code);
  if (code != MPI_SUCCESS) [[unlikely]] {
    fail(id, code);
    if (id == kNoTask) return;
  }
  --posted_;
  advance({}, id);
  if (remaining_ == 0) end();
}

[[gnu::hot]] void Execution::complete_rest() noexcept {
  trace_.all_completed();
  remaining_ = 0;
  posted_ = 0;
  if (watch_ != nullptr && !failure_) watch_->end();
  end();
}

void Execution::watch_blocks(BlockWatch& watch) {
  const bool begun = remaining_ > 0;
  if (failure_ || !begun) {
    watch.begin();
    if (!failure_ && !active()) watch.end();
  } else {
    // Between two passes only messages and functions are under way: other tasks that were ready have been run.
    std::vector<TaskId> under_way;
    for (std::size_t place = 0; place < transport_.in_flight(); ++place) {
      const InFlight message = transport_.in_flight_at(place);
      if (message.execution == this) under_way.push_back(message.task);
    }
    ready_functions_.for_each([&](TaskId function) { under_way.push_back(function); });
    // Functions that workers have are under way too: if they were over, they would have been taken back.
    if (worker_graph_ != nullptr)
      worker_graph_->for_each_given([&](TaskId function) { under_way.push_back(function); });
    watch.begin_amid(*schedule_, under_way);
  }
  watch_ = &watch;
}

}  // namespace rondo::internal
