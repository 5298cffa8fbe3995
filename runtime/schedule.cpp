#include "runtime/schedule.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace rondo {
namespace {

/// A copy that nothing waits for runs after the messages are posted, to hide behind them, when it is shorter than this.
/// Measured (bench halo, 27-point, 2 ranks, 64 KiB): a long one between posting and waiting costs a seventh of the
/// exchange, and before posting nothing.
constexpr std::int64_t kLongCopy = 64 * 1024;

/// Position of a root in a start: what other ranks or tasks wait for goes first.
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
    case TaskKind::join:
      break;
  }
  if (task.successor_count > 0) return StartOrder::awaited_copy;
  return task.bytes >= kLongCopy ? StartOrder::long_copy : StartOrder::other;
}

/// Lays arrays out one after the other in one block of memory.
class Carver {
 public:
  template <typename T>
  void plan(std::size_t count) {
    size_ = aligned(size_, alignof(T)) + count * sizeof(T);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <typename T>
  std::span<T> carve(std::byte* storage, std::size_t count) {
    const std::size_t begin = aligned(used_, alignof(T));
    used_ = begin + count * sizeof(T);
    T* first = reinterpret_cast<T*>(storage + begin);
    std::uninitialized_default_construct_n(first, count);  // all of it is written next
    return {first, count};
  }

 private:
  static std::size_t aligned(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

}  // namespace

Schedule::Schedule(ScheduleParts parts)
    : wire_layouts_(std::move(parts.wire_layouts)),
      reduction_(std::move(parts.reduction)),
      scratch_bytes_(parts.scratch_bytes),
      staged_blocks_(parts.staged_blocks),
      staged_bytes_(parts.staged_bytes),
      phases_(parts.phases),
      tags_(parts.tags),
      in_place_(parts.in_place) {
  std::vector<std::uint32_t> in_degrees(parts.tasks.size());
  for (const auto& [from, to] : parts.edges) {
    ++parts.tasks[from].successor_count;
    ++in_degrees[to];
  }
  const auto roots = static_cast<std::size_t>(std::count(in_degrees.begin(), in_degrees.end(), 0U));
  const auto messages = static_cast<std::size_t>(std::ranges::count_if(parts.tasks, is_message));

  Carver carver;
  carver.plan<Task>(parts.tasks.size());
  carver.plan<CopyRun>(parts.runs.size());
  carver.plan<OperandPair>(parts.operand_pairs.size());
  carver.plan<TaskId>(parts.edges.size());
  carver.plan<std::uint32_t>(in_degrees.size());
  carver.plan<TaskId>(roots);
  carver.plan<TaskId>(messages);
  storage_ = std::make_unique_for_overwrite<std::byte[]>(carver.size());
  tasks_ = carver.carve<Task>(storage_.get(), parts.tasks.size());
  runs_ = carver.carve<CopyRun>(storage_.get(), parts.runs.size());
  operand_pairs_ = carver.carve<OperandPair>(storage_.get(), parts.operand_pairs.size());
  successors_ = carver.carve<TaskId>(storage_.get(), parts.edges.size());
  in_degrees_ = carver.carve<std::uint32_t>(storage_.get(), in_degrees.size());
  roots_ = carver.carve<TaskId>(storage_.get(), roots);
  messages_ = carver.carve<TaskId>(storage_.get(), messages);

  std::ranges::copy(parts.runs, runs_.begin());
  std::ranges::copy(parts.operand_pairs, operand_pairs_.begin());
  std::ranges::copy(in_degrees, in_degrees_.begin());
  std::uint32_t first_successor = 0;
  for (Task& task : parts.tasks) {
    task.first_successor = first_successor;
    first_successor += task.successor_count;
  }
  std::vector<std::uint32_t> next(parts.tasks.size());
  for (const auto& [from, to] : parts.edges) successors_[parts.tasks[from].first_successor + next[from]++] = to;
  std::ranges::copy(parts.tasks, tasks_.begin());

  // By start order, and in program order where that is the same.
  std::array<std::size_t, kStartOrders> next_root{};
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    if (in_degrees_[id] == 0) ++next_root[static_cast<std::size_t>(start_order(tasks_[id]))];
  }
  std::exclusive_scan(next_root.begin(), next_root.end(), next_root.begin(), std::size_t{0});
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    if (in_degrees_[id] == 0) roots_[next_root[static_cast<std::size_t>(start_order(tasks_[id]))]++] = id;
  }
  std::uint32_t number = 0;
  const auto number_message = [&](TaskId id) {
    tasks_[id].message = number;
    messages_[number++] = id;
  };
  for (const TaskId id : roots_) {
    if (is_message(tasks_[id]))
      number_message(id);
    else if (number == 0 && start_order(tasks_[id]) == StartOrder::long_copy)
      ++first_message_;
  }
  root_messages_ = number;
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    if (in_degrees_[id] != 0 && is_message(tasks_[id])) number_message(id);
  }
}

ScheduleParts Schedule::parts() const {
  ScheduleParts parts{.tasks = {tasks_.begin(), tasks_.end()},
                      .edges = {},
                      .runs = {runs_.begin(), runs_.end()},
                      .operand_pairs = {operand_pairs_.begin(), operand_pairs_.end()},
                      .wire_layouts = wire_layouts_,
                      .reduction = reduction_,
                      .scratch_bytes = scratch_bytes_,
                      .staged_blocks = staged_blocks_,
                      .staged_bytes = staged_bytes_,
                      .phases = phases_,
                      .tags = tags_,
                      .in_place = in_place_};
  for (TaskId id = 0; id < tasks_.size(); ++id) {
    for (const TaskId next : successors(tasks_[id])) parts.edges.emplace_back(id, next);
    parts.tasks[id].successor_count = 0;  // counted anew from the edges
  }
  return parts;
}

}  // namespace rondo
