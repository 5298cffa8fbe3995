/// @file
/// Finds the bytes that a task reads and writes, in the order of its data.
#ifndef RONDO_RUNTIME_SCHEDULE_TASK_ACCESS_HPP
#define RONDO_RUNTIME_SCHEDULE_TASK_ACCESS_HPP

#include "runtime/schedule/computation.hpp"
#include "runtime/schedule/schedule.hpp"

namespace rondo::internal {

/// Calls visit(space, offset, bytes) for each piece of a message's end, in the order of the data.
template <typename Visit>
void for_each_piece(const Schedule& schedule, const Task& message, Visit visit) {
  if (message.first_part == kContiguous) {
    if (message.kind == TaskKind::send)
      visit(message.source_space, message.source_offset, message.bytes);
    else
      visit(message.target_space, message.target_offset, message.bytes);
    return;
  }
  for (const WireLayout::Part& part : schedule.wire_layouts()[message.first_part].parts()) {
    part.layout.for_each_piece([&](std::int64_t offset, std::int64_t bytes) { visit(part.space, offset, bytes); });
  }
}

/// Calls visit(source, target, bytes) for each piece of a copy.
template <typename Visit>
void for_each_piece_of_copy(const Schedule& schedule, const Task& copy, Visit visit) {
  if (copy.part_count == 0) {
    visit(copy.source_offset, copy.target_offset, copy.bytes);
    return;
  }
  for_each_copied_piece(schedule.runs(copy), visit);
}

/// Calls visit(source, target) for the addresses of each pair of operands, in the order in which they are combined.
template <typename Visit>
void for_each_operand_pair(const Schedule& schedule, const Task& reduce, Visit visit) {
  if (reduce.part_count == 0) visit(reduce.source_offset, reduce.target_offset);
  for (const OperandPair& pair : schedule.operand_pairs(reduce)) visit(pair.source, pair.target);
}

/// Calls visit(space, offset, bytes, writes) for everything that a task touches.
template <typename Visit>
void for_each_access(const Schedule& schedule, const Task& task, Visit visit) {
  switch (task.kind) {
    case TaskKind::send:
      for_each_piece(schedule, task, [&](Space space, auto offset, auto bytes) { visit(space, offset, bytes, false); });
      break;
    case TaskKind::receive:
      for_each_piece(schedule, task, [&](Space space, auto offset, auto bytes) { visit(space, offset, bytes, true); });
      break;
    case TaskKind::copy:
      for_each_piece_of_copy(schedule, task, [&](auto source, auto target, auto bytes) {
        visit(task.source_space, source, bytes, false);
        visit(task.target_space, target, bytes, true);
      });
      break;
    case TaskKind::reduce:
      for_each_operand_pair(schedule, task, [&](auto source, auto target) {
        const Layout& operand = schedule.reduction(task).layout();
        operand.for_each_piece([&](auto at, auto bytes) { visit(task.source_space, at, bytes, false); }, source);
        operand.for_each_piece([&](auto at, auto bytes) { visit(task.target_space, at, bytes, true); }, target);
      });
      break;
    case TaskKind::compute:
      schedule.computation(task).for_each_access(visit);
      break;
    case TaskKind::join:
      break;
  }
}

}  // namespace rondo::internal

#endif
