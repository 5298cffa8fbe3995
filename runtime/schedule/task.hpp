/// @file
/// Task: one node of a schedule.
#ifndef RONDO_RUNTIME_SCHEDULE_TASK_HPP
#define RONDO_RUNTIME_SCHEDULE_TASK_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rondo::internal {

enum class TaskKind : std::uint8_t {
  send,
  receive,
  copy,
  reduce,   ///< target = source OP target, as the schedule's Reduction says
  compute,  ///< runs a function of the user's, as the schedule's Computation says
  join      ///< does nothing: stands between two phases of a phase-synchronous schedule, or two batches of exchanges
};

/// The three buffers on which a schedule works. Their addresses are bound when the schedule is executed, so that one
/// schedule serves any buffers.
enum class Space : std::uint8_t { send, recv, scratch };
inline constexpr std::size_t kSpaces = 3;

using TaskId = std::uint32_t;
inline constexpr TaskId kNoTask = std::numeric_limits<TaskId>::max();
/// Task::first_part of a message that is one piece of memory.
inline constexpr std::uint32_t kContiguous = std::numeric_limits<std::uint32_t>::max();

/// Offsets of the two operands of a reduce, in the spaces of its task.
struct OperandPair {
  std::int64_t source;
  std::int64_t target;
};
static_assert(sizeof(OperandPair) == 16 && std::is_trivially_copyable_v<OperandPair>);

struct Task {
  TaskKind kind;
  Space source_space;      ///< space that a send, copy or reduce reads
  Space target_space;      ///< space that a receive, copy or reduce writes
  std::uint8_t reduction;  ///< reduce: its number among Schedule::reductions()
  std::int32_t peer;       ///< rank in the schedule's communicator; -1 for local tasks
  std::int64_t
      source_offset;  ///< bytes; 0 for a copy of several runs or a reduce of several pairs, which have their own
  std::int64_t target_offset;
  std::int64_t bytes;        ///< bytes that the task moves; compute: bytes that it writes
  std::uint32_t first_part;  ///< copy: its first run; reduce: its first pair; message: its wire layout, or kContiguous;
                             ///< compute: its computation
  std::uint32_t part_count;  ///< runs or pairs, 0 when the task itself says all; message: number of blocks
  std::uint32_t first_successor;
  std::uint32_t successor_count;
  std::uint32_t round;
  std::uint32_t phase;
  std::uint32_t tag;      ///< direction within the operation, added to the operation's first tag
  std::uint32_t message;  ///< number of a message task: position in Schedule::messages(); compute: see is_urgent()
};
static_assert(sizeof(Task) == 64, "a task must fit a cache line");
static_assert(std::is_trivially_copyable_v<Task>);

[[nodiscard]] constexpr bool is_message(TaskKind kind) noexcept {
  return kind == TaskKind::send || kind == TaskKind::receive;
}
[[nodiscard]] constexpr bool is_message(const Task& task) noexcept { return is_message(task.kind); }
/// Returns whether messages wait for a compute task, directly or through tasks that are not compute tasks. Only for a
/// task of a schedule.
[[nodiscard]] constexpr bool is_urgent(const Task& task) noexcept { return task.message != 0; }
/// Returns "send to", "receive from", "copy", "reduce", "compute" or "join".
[[nodiscard]] const char* verb(TaskKind kind);
/// Returns "send", "receive" or "scratch".
[[nodiscard]] const char* name(Space space);

}  // namespace rondo::internal

#endif
