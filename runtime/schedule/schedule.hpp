/// @file
/// Schedule: the immutable dependency graph of one collective operation on one rank.
#ifndef RONDO_RUNTIME_SCHEDULE_SCHEDULE_HPP
#define RONDO_RUNTIME_SCHEDULE_SCHEDULE_HPP

#include "datatypes/copying/copy_program.hpp"
#include "runtime/base/text_line.hpp"
#include "runtime/schedule/computation.hpp"
#include "runtime/schedule/reduction.hpp"
#include "runtime/schedule/task.hpp"
#include "runtime/schedule/wire_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// The parts of a schedule as ScheduleBuilder hands them over, in any order that is convenient to build.
struct ScheduleParts {
  std::vector<Task> tasks;  ///< in program order: every edge goes from a lower to a higher index
  std::vector<std::pair<TaskId, TaskId>> edges;
  std::vector<CopyRun> runs;
  std::vector<OperandPair> operand_pairs;
  std::vector<WireLayout> wire_layouts;
  std::vector<std::shared_ptr<const Reduction>> reductions;      ///< by number; none is null
  std::vector<std::shared_ptr<const Computation>> computations;  ///< one for each compute task; none is null
  std::int64_t scratch_bytes = 0;
  std::int64_t staged_blocks = 0;
  std::int64_t staged_bytes = 0;
  std::uint32_t phases = 0;
  std::uint32_t tags = 0;
  bool in_place = false;
};

/// A Schedule keeps tasks, copy runs and pairs of operands as they were built, and in one more allocation the
/// successors in compressed rows, in-degrees, roots and messages. It is immutable after construction, relocatable
/// (buffers are spaces and offsets), and shared by any number of executions and threads.
class Schedule {
 public:
  explicit Schedule(ScheduleParts parts);

  /// Returns the parts of which an equal schedule can be made.
  [[nodiscard]] ScheduleParts parts() const;

  [[nodiscard]] std::span<const Task> tasks() const noexcept { return tasks_; }
  [[nodiscard]] std::span<const TaskId> successors(const Task& task) const noexcept {
    return successors_.subspan(task.first_successor, task.successor_count);
  }
  /// Returns the successors of all tasks: those of a task begin at its first_successor.
  [[nodiscard]] std::span<const TaskId> successors() const noexcept { return successors_; }
  /// Returns the number of predecessors of each task.
  [[nodiscard]] std::span<const std::uint32_t> in_degrees() const noexcept { return in_degrees_; }
  /// Returns the tasks without predecessors in the order in which a start runs them: long copies for which nothing
  /// waits, receives, sends, copies for which something waits, the other copies.
  [[nodiscard]] std::span<const TaskId> roots() const noexcept { return roots_; }
  [[nodiscard]] std::span<const TaskId> roots_before_messages() const noexcept { return roots_.first(first_message_); }
  [[nodiscard]] std::span<const TaskId> roots_after_messages() const noexcept {
    return roots_.subspan(first_message_ + root_messages_);
  }
  [[nodiscard]] std::span<const CopyRun> runs(const Task& task) const noexcept {
    return runs().subspan(task.first_part, task.part_count);
  }
  [[nodiscard]] std::span<const CopyRun> runs() const noexcept { return runs_; }
  /// Returns the pairs of a reduce of several pairs, to be combined in this order.
  [[nodiscard]] std::span<const OperandPair> operand_pairs(const Task& task) const noexcept {
    return operand_pairs().subspan(task.first_part, task.part_count);
  }
  [[nodiscard]] std::span<const OperandPair> operand_pairs() const noexcept { return operand_pairs_; }
  /// Returns the reductions of reduce tasks, by number.
  [[nodiscard]] std::span<const std::shared_ptr<const Reduction>> reductions() const noexcept { return reductions_; }
  /// Returns the reduction of a reduce task.
  [[nodiscard]] const Reduction& reduction(const Task& task) const noexcept { return *reductions_[task.reduction]; }
  /// Returns the computations of compute tasks: one for each.
  [[nodiscard]] std::span<const std::shared_ptr<const Computation>> computations() const noexcept {
    return computations_;
  }
  /// Returns the computation of a compute task.
  [[nodiscard]] const Computation& computation(const Task& task) const noexcept {
    return *computations_[task.first_part];
  }
  /// Returns the computation of a compute task in the form in which it is called.
  [[nodiscard]] const ComputeCall& call(const Task& task) const noexcept { return calls_[task.first_part]; }
  /// Returns the calls of all compute tasks, by computation.
  [[nodiscard]] std::span<const ComputeCall> calls() const noexcept { return calls_; }
  /// Returns the layouts of the messages that are not one piece of memory.
  [[nodiscard]] std::span<const WireLayout> wire_layouts() const noexcept { return wire_layouts_; }
  /// Returns the bytes of scratch space.
  [[nodiscard]] std::int64_t scratch_bytes() const noexcept { return scratch_bytes_; }
  /// Returns the number of blocks, and of their bytes, that are copied into or out of messages of several blocks, as
  /// far as their sizes tell. Blocks that happen to lie well in memory are counted too, so that all ranks count alike.
  [[nodiscard]] std::int64_t staged_blocks() const noexcept { return staged_blocks_; }
  [[nodiscard]] std::int64_t staged_bytes() const noexcept { return staged_bytes_; }
  [[nodiscard]] std::uint32_t phases() const noexcept { return phases_; }
  /// Returns the number of tags that an execution reserves; equal on all ranks.
  [[nodiscard]] std::uint32_t tags() const noexcept { return tags_; }
  /// Returns whether one buffer, the receive space, holds both the data that are sent and the data that are received.
  /// The send space is not used then.
  [[nodiscard]] bool in_place() const noexcept { return in_place_; }
  /// Returns the send and receive tasks by number: the roots among them first, in the order of roots().
  [[nodiscard]] std::span<const TaskId> messages() const noexcept { return messages_; }
  /// Returns the number of messages that a start posts at once.
  [[nodiscard]] std::uint32_t root_messages() const noexcept { return root_messages_; }

 private:
  friend class ScaledSchedule;  // changes the sizes in its own schedule
  void prepare_calls();
  void find_urgent();

  std::vector<Task> tasks_;
  std::vector<CopyRun> runs_;
  std::vector<OperandPair> operand_pairs_;
  std::unique_ptr<std::uint32_t[]> storage_;  ///< memory of the lists that follow
  std::span<TaskId> successors_;
  std::span<std::uint32_t> in_degrees_;
  std::span<TaskId> roots_;
  std::span<TaskId> messages_;
  std::vector<WireLayout> wire_layouts_;
  std::vector<std::shared_ptr<const Reduction>> reductions_;
  std::vector<std::shared_ptr<const Computation>> computations_;
  std::vector<ComputedBlock> called_blocks_;  ///< blocks of all calls
  std::vector<ComputeCall> calls_;            ///< by computation
  std::int64_t scratch_bytes_;
  std::int64_t staged_blocks_;
  std::int64_t staged_bytes_;
  std::uint32_t phases_;
  std::uint32_t tags_;
  bool in_place_;
  std::uint32_t first_message_ = 0;  ///< position among the roots
  std::uint32_t root_messages_ = 0;
};

/// Describes, for people, a task: its kind, its peer, and its position in the schedule. append_description() is safe in
/// a signal handler.
TextLine& append_description(TextLine& line, const Schedule& schedule, TaskId id) noexcept;
[[nodiscard]] std::string describe(const Schedule& schedule, TaskId id);

}  // namespace rondo::internal

#endif
