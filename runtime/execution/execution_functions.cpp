// The functions of a schedule's compute tasks: the thread that drives runs them when it has looked after messages, or
// oneTBB's workers run them.
#include "runtime/execution/block_watch.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/execution/function_list.hpp"
#include "runtime/schedule/computation.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>

namespace rondo::internal {

/// Queues a function: it runs after progress was made on messages, not before messages that are ready have left. One
/// for a worker goes there even after a failure, and is passed over there, because its followers count on it.
[[gnu::noinline]] void Execution::queue_function(TaskId id, const Task& task) noexcept {
  if (is_for_worker(task)) {
    give_to_worker(task);
    return;
  }
  if (function_list_ != nullptr && ready_functions_.empty() && !in_functions_) function_list_->push(*this);
  ready_functions_.push(id, task);
}

void Execution::give_to_worker(const Task& task) noexcept {
  if (on_workers_++ == 0) function_list_->enter_with_workers(*this);
  ++function_list_->on_workers;
  if (WorkerFunction* const function = worker_graph_->give(task); function != nullptr) crew_->push(*function);
}

void Execution::set_function_crew(std::shared_ptr<FunctionCrew> crew) {
  worker_graph_ =
      std::make_unique<WorkerGraph>(*schedule_, FunctionHome{.execution = this, .bases = &bases_, .trace = &trace_});
  crew_ = std::move(crew);
}

void Execution::complete_function(WorkerFunction& function) {
  const TaskId id = function.task;
  const Task& task = schedule_->tasks()[id];
  worker_graph_->take_back(task);
  if (--on_workers_ == 0) function_list_->leave_with_workers(*this);
  if (function.thrown) [[unlikely]]
    fail_with(id, std::exchange(function.thrown, nullptr));
  trace_.ran_elsewhere(task, id, function.begin, function.end, function.thread);
  advance({}, id);
  if (remaining_ == 0) end();
}

/// Runs a function. An exception is the failure of its task. Returns whether the function did not throw.
[[gnu::hot]] inline bool Execution::run_function(TaskId id, const ComputeCall& call) {
  running_function_ = id;
  try {
    call.run(bases_);
    return true;
  } catch (...) {
    fail_with(id, std::current_exception());
    return false;
  }
}

/// Runs ready functions until `time` is over; if `time` is null, runs one function. Returns how many ran. Values that
/// do not change are kept in locals, because for the compiler a function may change anything. `kObserved` is as in
/// run_ready().
template <bool kObserved>
[[gnu::hot]] std::size_t Execution::run_functions_until(FunctionTime* time) {
  const Task* const tasks = schedule_->tasks().data();
  const ComputeCall* const calls = schedule_->calls().data();
  const TaskId* const successors = schedule_->successors().data();
  Counter* const counters = counters_.get();
  const bool has_crew = crew_ != nullptr;
  bool failed = failure_.has_value();
  std::size_t ran = 0;
  std::size_t counted = 0;  // functions of `ran` already subtracted from remaining_
  for (TaskId id = ready_functions_.pop(); id != kNoTask;) {
    const Task& task = tasks[id];
    const std::uint64_t since = kObserved ? trace_.now() : 0;
    if (!failed) [[likely]]
      failed = !run_function(id, calls[task.first_part]);
    if constexpr (kObserved) {
      trace_.ran(task, id, since);
      if (watch_ != nullptr && !failed) watch_->complete(id);
    }
    ++ran;
    TaskId next = kNoTask;  // the only function that is ready: it need not be queued
    std::uint32_t queued = 0;
    for (const TaskId successor : std::span(successors + task.first_successor, task.successor_count)) {
      Counter& counter = counters[successor];
      if (--counter.pending != 0) continue;
      counter.pending = counter.in_degree;  // as in run_ready()
      if (tasks[successor].kind != TaskKind::compute)
        ready_[queued++] = successor;
      else if (has_crew) [[unlikely]]
        queue_function(successor, tasks[successor]);
      else if (task.successor_count == 1 && ready_functions_.empty())
        next = successor;
      else
        ready_functions_.push(successor, tasks[successor]);
    }
    if (queued > 0) {
      running_function_ = kNoTask;
      remaining_ -= static_cast<std::uint32_t>(ran - std::exchange(counted, ran));
      run_queued(queued);
      failed = failure_.has_value();
    }
    if (time == nullptr || time->is_over()) {
      if (next != kNoTask) ready_functions_.push(next, tasks[next]);
      break;
    }
    id = next != kNoTask ? next : ready_functions_.pop();
  }
  running_function_ = kNoTask;
  remaining_ -= static_cast<std::uint32_t>(ran - counted);
  return ran;
}

Execution::Ran Execution::run_functions(FunctionTime* time) {
  in_functions_ = true;
  const std::size_t ran =
      watch_ == nullptr && !trace_.on() ? run_functions_until<false>(time) : run_functions_until<true>(time);
  in_functions_ = false;
  const bool more = !ready_functions_.empty();
  if (remaining_ == 0) end();
  return {ran, more};
}

}  // namespace rondo::internal
