#include "runtime/execution.hpp"

#include <algorithm>

namespace rondo {
namespace {

const char* verb(TaskKind kind) {
  switch (kind) {
    case TaskKind::send:
      return "send to";
    case TaskKind::receive:
      return "receive from";
    case TaskKind::copy:
      return "copy on";
    case TaskKind::join:
      return "join on";
  }
  return "?";
}

}  // namespace

Execution::Execution(std::shared_ptr<const Schedule> schedule, Transport& transport, MPI_Comm comm, int ticket)
    : schedule_(std::move(schedule)),
      transport_(transport),
      comm_(comm),
      ticket_(ticket),
      pending_(std::make_unique<std::uint32_t[]>(schedule_->tasks().size())),
      ready_(std::make_unique<TaskId[]>(schedule_->tasks().size())),
      scratch_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(schedule_->scratch_bytes()))) {
  std::ranges::copy(schedule_->in_degrees(), pending_.get());
  bases_[static_cast<std::size_t>(Space::scratch)] = scratch_.get();
  for (const Layout& layout : schedule_->wire_layouts()) wire_types_.emplace_back(layout);
  transport_.reserve(schedule_->messages());
}

Execution::~Execution() {
  for (const MPI_Request prepared : prepared_) transport_.discard(prepared);
  transport_.release(schedule_->messages());
}

void Execution::bind(const void* send, void* recv) noexcept {
  // The send buffer is only read: the builder refuses schedules that write it.
  bases_[static_cast<std::size_t>(Space::send)] = static_cast<std::byte*>(const_cast<void*>(send));
  bases_[static_cast<std::size_t>(Space::recv)] = static_cast<std::byte*>(recv);
}

Message Execution::message(const Task& task, TaskId id) const {
  const bool sends = task.kind == TaskKind::send;
  std::byte* base = bases_[static_cast<std::size_t>(sends ? task.source_space : task.target_space)];
  const MPI_Request prepared = prepared_.empty() ? MPI_REQUEST_NULL : prepared_[id];
  const int tag = ticket_ + static_cast<int>(task.tag);
  if (task.first_part == kContiguous) [[likely]] {
    return {base + (sends ? task.source_offset : task.target_offset),
            task.bytes,
            nullptr,
            MPI_BYTE,
            comm_,
            task.peer,
            tag,
            prepared};
  }
  return {base,
          task.bytes,
          &schedule_->wire_layouts()[task.first_part],
          wire_types_[task.first_part].get(),
          comm_,
          task.peer,
          tag,
          prepared};
}

void Execution::prepare() {
  const auto tasks = schedule_->tasks();
  prepared_.assign(tasks.size(), MPI_REQUEST_NULL);
  for (TaskId id = 0; id < tasks.size(); ++id) {
    const TaskKind kind = tasks[id].kind;
    if (kind == TaskKind::send || kind == TaskKind::receive)
      prepared_[id] = transport_.prepare(message(tasks[id], id), kind);
  }
}

/// Runs or posts a task; true when it is complete at once.
bool Execution::run(const Task& task, TaskId id) {
  if (failure_) [[unlikely]]
    return true;
  switch (task.kind) {
    case TaskKind::copy: {
      const std::byte* source = bases_[static_cast<std::size_t>(task.source_space)];
      std::byte* target = bases_[static_cast<std::size_t>(task.target_space)];
      if (task.part_count == 0) {
        copy_bytes(target + task.target_offset, source + task.source_offset, static_cast<std::size_t>(task.bytes));
      } else {
        run_copies(schedule_->runs(task), source, target);
      }
      return true;
    }
    case TaskKind::join:
      return true;
    case TaskKind::send:
    case TaskKind::receive:
      break;
  }
  const int code = task.kind == TaskKind::send ? transport_.send(message(task, id), *this, id)
                                               : transport_.receive(message(task, id), *this, id);
  if (code == MPI_SUCCESS) [[likely]] {
    ++posted_;
    --unposted_;
    return false;
  }
  fail(id, code);
  return true;
}

/// Counts a task as complete and releases its successors: one is returned to be run next, the others become ready.
TaskId Execution::finish(const Task& task) {
  --remaining_;
  TaskId next = kNoTask;
  for (const TaskId successor : schedule_->successors(task)) {
    if (--pending_[successor] != 0) continue;
    if (next != kNoTask) ready_[ready_count_++] = next;
    next = successor;
  }
  return next;
}

void Execution::run_from(TaskId first) {
  const std::span<const Task> tasks = schedule_->tasks();
  for (TaskId id = first;;) {
    const Task& task = tasks[id];
    // A task puts its own counter back before it releases its successors, so that the next start has nothing to reset.
    pending_[id] = schedule_->in_degrees()[id];
    TaskId next = run(task, id) ? finish(task) : kNoTask;
    if (next == kNoTask) {
      if (ready_count_ == 0) return;
      next = ready_[--ready_count_];
    }
    id = next;
  }
}

void Execution::start() {
  failure_.reset();
  unposted_ = schedule_->messages();
  remaining_ = static_cast<std::uint32_t>(schedule_->tasks().size());
  // relaxed: the token orders the start against every thread that drives; waiters look only after start returned.
  active_.store(remaining_ != 0, std::memory_order_relaxed);
  for (const TaskId root : schedule_->roots()) run_from(root);
  if (remaining_ == 0) active_.store(false, std::memory_order_release);  // release: the data before the news of its end
}

void Execution::complete(TaskId id, int code) {
  --posted_;
  if (code != MPI_SUCCESS) [[unlikely]]
    fail(id, code);
  const TaskId next = finish(schedule_->tasks()[id]);
  if (next != kNoTask) run_from(next);                                   // leaves nothing ready behind
  if (remaining_ == 0) active_.store(false, std::memory_order_release);  // as in start()
}

void Execution::complete_rest() noexcept {
  remaining_ = 0;
  posted_ = 0;
  active_.store(false, std::memory_order_release);  // as in start()
}

void Execution::fail(TaskId task, int code) {
  if (failure_) return;  // later ones are mostly the cancellations that this one causes
  failure_ = Failure{task, code};
  transport_.cancel(*this);
}

std::string Execution::describe_failure() const {
  if (!failure_) return {};
  const Task& task = schedule_->tasks()[failure_->task];
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(failure_->code, text.data(), &length);
  return std::string(verb(task.kind)) + " rank " + std::to_string(task.peer) + " (task " +
         std::to_string(failure_->task) + ", phase " + std::to_string(task.phase) + ", round " +
         std::to_string(task.round) + "): " + std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace rondo
