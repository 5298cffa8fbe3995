#include "runtime/schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace rondo::internal {
namespace {

/// Bytes from which on a copy for which nothing waits runs before the messages are posted. A shorter one runs
/// afterwards, to hide behind the messages. Measured (bench halo, 27-point, 2 ranks, 64 KiB): a long copy between
/// posting and waiting costs a seventh of the exchange, and before posting nothing.
constexpr std::int64_t kLongCopy = 64 * 1024;

/// Position of a root in a start: after long copies (see kLongCopy), roots for which other ranks or tasks wait come
/// first. All messages are adjacent.
enum class StartOrder : std::uint8_t { long_copy, receive, send, awaited_copy, other };
constexpr std::size_t kStartOrders = 5;

StartOrder start_order(const Task& task) {
  switch (task.kind) {
    case TaskKind::receive:
      return StartOrder::receive;
    case TaskKind::send:
      return StartOrder::send;
    case TaskKind::copy:
    case TaskKind::reduce:
    case TaskKind::compute:
    case TaskKind::join:
      break;
  }
  if (task.successor_count > 0) return StartOrder::awaited_copy;
  return task.kind == TaskKind::copy && task.bytes >= kLongCopy ? StartOrder::long_copy : StartOrder::other;
}

/// Returns a list that is kept as it was built, without much unused capacity.
template <typename T>
std::vector<T> kept(std::vector<T>& built) {
  if (built.capacity() > built.size() + built.size() / 8) built.shrink_to_fit();
  return std::move(built);
}

}  // namespace

Schedule::Schedule(ScheduleParts parts)
    : tasks_(kept(parts.tasks)),
      runs_(kept(parts.runs)),
      operand_pairs_(kept(parts.operand_pairs)),
      wire_layouts_(std::move(parts.wire_layouts)),
      reductions_(std::move(parts.reductions)),
      computations_(std::move(parts.computations)),
      scratch_bytes_(parts.scratch_bytes),
      staged_blocks_(parts.staged_blocks),
      staged_bytes_(parts.staged_bytes),
      phases_(parts.phases),
      tags_(parts.tags),
      in_place_(parts.in_place) {
  // Roots and messages are at most as many as the tasks.
  const std::size_t most = parts.edges.size() + 3 * tasks_.size();
  storage_ = std::make_unique_for_overwrite<std::uint32_t[]>(most);
  std::span rest(storage_.get(), most);
  const auto take = [&](std::size_t count) {
    const std::span<std::uint32_t> taken = rest.first(count);
    rest = rest.subspan(count);
    return taken;
  };
  successors_ = take(parts.edges.size());
  in_degrees_ = take(tasks_.size());
  std::ranges::fill(in_degrees_, 0U);
  for (const auto& [from, to] : parts.edges) {
    ++tasks_[from].successor_count;
    ++in_degrees_[to];
  }

  std::array<std::uint32_t, kStartOrders> next_root{};
  std::uint32_t messages = 0;
  std::uint32_t end = 0;
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    Task& task = tasks_[id];
    end += task.successor_count;
    task.first_successor = end;
    if (is_message(task)) ++messages;
    if (in_degrees_[id] == 0) ++next_root[static_cast<std::size_t>(start_order(task))];
  }
  for (std::size_t edge = parts.edges.size(); edge-- > 0;) {  // backwards, so that successors stay in order
    const auto& [from, to] = parts.edges[edge];
    successors_[--tasks_[from].first_successor] = to;
  }

  // Roots are sorted by start order, and within it in program order. So all messages among them are adjacent.
  first_message_ = next_root[static_cast<std::size_t>(StartOrder::long_copy)];
  root_messages_ =
      next_root[static_cast<std::size_t>(StartOrder::receive)] + next_root[static_cast<std::size_t>(StartOrder::send)];
  roots_ = take(std::accumulate(next_root.begin(), next_root.end(), std::size_t{0}));
  messages_ = take(messages);
  std::exclusive_scan(next_root.begin(), next_root.end(), next_root.begin(), 0U);
  std::uint32_t next_message = root_messages_;
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    Task& task = tasks_[id];
    const bool root = in_degrees_[id] == 0;
    const std::uint32_t place = root ? next_root[static_cast<std::size_t>(start_order(task))]++ : 0;
    if (root) roots_[place] = id;
    if (!is_message(task)) continue;
    task.message = root ? place - first_message_ : next_message++;
    messages_[task.message] = id;
  }
  if (computations_.empty()) return;
  prepare_calls();
  find_urgent();
}

void Schedule::prepare_calls() {
  std::size_t blocks = 0;
  for (const auto& computation : computations_) blocks += computation->blocks.size();
  called_blocks_.reserve(blocks);  // reserved, because calls point to the blocks
  calls_.reserve(computations_.size());
  for (const auto& computation : computations_) {
    const ComputedBlock* const first = called_blocks_.data() + called_blocks_.size();
    called_blocks_.insert(called_blocks_.end(), computation->blocks.begin(), computation->blocks.end());
    calls_.push_back({computation->function, first, computation->reads, computation->writes()});
  }
}

/// Finds the compute tasks for which messages wait, directly or through tasks of other kinds, which are short.
void Schedule::find_urgent() {
  std::vector<bool> awaited(tasks_.size());  // by messages
  for (TaskId id = static_cast<TaskId>(tasks_.size()); id-- > 0;) {
    Task& task = tasks_[id];
    for (const TaskId next : successors(task)) {
      const TaskKind kind = tasks_[next].kind;
      if (is_message(kind) || (kind != TaskKind::compute && awaited[next])) awaited[id] = true;
    }
    if (task.kind == TaskKind::compute) task.message = awaited[id] ? 1 : 0;
  }
}

ScheduleParts Schedule::parts() const {
  ScheduleParts parts{.tasks = tasks_,
                      .edges = {},
                      .runs = runs_,
                      .operand_pairs = operand_pairs_,
                      .wire_layouts = wire_layouts_,
                      .reductions = reductions_,
                      .computations = computations_,
                      .scratch_bytes = scratch_bytes_,
                      .staged_blocks = staged_blocks_,
                      .staged_bytes = staged_bytes_,
                      .phases = phases_,
                      .tags = tags_,
                      .in_place = in_place_};
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    for (const TaskId next : successors(tasks_[id])) parts.edges.emplace_back(id, next);
    parts.tasks[id].successor_count = 0;  // the constructor counts successors again, from the edges
  }
  return parts;
}

TextLine& append_description(TextLine& line, const Schedule& schedule, TaskId id) noexcept {
  const Task& task = schedule.tasks()[id];
  line << verb(task.kind);
  if (is_message(task)) line << " rank " << task.peer;
  if (task.kind == TaskKind::compute) line << " \"" << schedule.computation(task).name << "\"";
  return line << " (task " << id << ", phase " << task.phase << ", round " << task.round << ")";
}

std::string describe(const Schedule& schedule, TaskId id) {
  TextLine line;
  return std::string(append_description(line, schedule, id).view());
}

}  // namespace rondo::internal
