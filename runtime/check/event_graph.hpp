/// @file
/// EventGraph: a graph of the events in the schedules of all ranks, and of their order.
#ifndef RONDO_RUNTIME_CHECK_EVENT_GRAPH_HPP
#define RONDO_RUNTIME_CHECK_EVENT_GRAPH_HPP

#include "runtime/schedule/schedule.hpp"

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// A task of one of the ranks.
struct TaskOfRank {
  std::int32_t rank;
  TaskId task;

  friend auto operator<=>(const TaskOfRank&, const TaskOfRank&) = default;
};

/// A graph of the events of all ranks. Every task is two events: it begins (is posted, or starts to copy) and it ends.
/// A task begins after its predecessors have ended; a receive ends after its send began. MPI does not promise that a
/// send ends only after its receive began, so nothing may be concluded from that. But a send may behave so, so a
/// schedule must not depend on the contrary.
class EventGraph {
 public:
  /// Makes a graph without messages: see match(). `schedules`: those of ranks 0 to p-1, which must outlive the graph.
  explicit EventGraph(std::span<const Schedule* const> schedules);

  /// Records that `receive` gets the data of `send`.
  void match(TaskOfRank send, TaskOfRank receive);
  /// Returns the other end of a message for which match() was called.
  [[nodiscard]] TaskOfRank partner(TaskOfRank message) const;

  /// Sorts all tasks into an order in which they can happen even if every send waits for its receive. Returns false if
  /// there is no such order; cycle() then says why. Call this only when all messages are matched.
  [[nodiscard]] bool sort();
  /// Returns the tasks in the order of their ends that sort() found.
  [[nodiscard]] std::span<const TaskOfRank> order() const noexcept { return order_; }
  /// The beginning or the end of a task, in the result of cycle().
  struct Event {
    TaskOfRank task;
    bool ends;  ///< false: the task begins
  };
  /// Returns a shortest cycle of events, each of which must happen before the next, and the last before the first. Call
  /// this only after sort() returned false.
  [[nodiscard]] std::vector<Event> cycle() const;

  /// Returns whether `first` has ended before `second` begins, whatever the messages' speed. Call this only after
  /// sort() returned true.
  [[nodiscard]] bool ordered(TaskOfRank first, TaskOfRank second) const;
  /// Returns whether `first` begins before `second` on one rank, because of the rank's own edges alone.
  [[nodiscard]] bool begins_before(std::int32_t rank, TaskId first, TaskId second) const;

 private:
  using Node = std::uint32_t;  ///< twice the number of the task among those of all ranks, plus one for its end
  enum class Sends : std::uint8_t { may_end_early, wait };

  [[nodiscard]] std::uint32_t number_of(TaskOfRank task) const;
  [[nodiscard]] TaskOfRank task_of(std::uint32_t number) const;
  [[nodiscard]] const Task& at(TaskOfRank task) const;
  template <typename Visit>
  void visit_next(Node node, Sends sends, Visit visit) const;
  template <typename Visit>
  void visit_next_locally(Node node, TaskOfRank task, Visit visit) const;

  std::span<const Schedule* const> schedules_;
  std::vector<std::uint32_t> first_of_rank_;
  std::vector<std::uint32_t> partners_;  ///< by number of task
  std::vector<std::uint32_t> place_;     ///< place of each node in a topological order
  std::vector<TaskOfRank> order_;
  mutable std::vector<std::uint32_t> visited_;  ///< the last search that saw each node
  mutable std::vector<Node> stack_;
  mutable std::uint32_t search_ = 0;
};

}  // namespace rondo::internal

#endif
