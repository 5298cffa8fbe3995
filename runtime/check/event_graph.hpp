/// @file
/// EventGraph: the schedules of all ranks as one graph of what happens before what.
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

/// Every task is two events: it begins (is posted, or starts to copy) and it ends. A task begins after its predecessors
/// have ended; a receive ends after its send began. That a send ends only after its receive began is not promised by
/// MPI, so nothing may be concluded from it, but it may be so, so a schedule must not depend on the contrary.
class EventGraph {
 public:
  /// The schedules of ranks 0 to p-1, which must outlive the graph.
  explicit EventGraph(std::span<const Schedule* const> schedules);

  /// Says that `receive` gets what `send` sends.
  void match(TaskOfRank send, TaskOfRank receive);
  /// The other end of a message that was matched.
  [[nodiscard]] TaskOfRank partner(TaskOfRank message) const;

  /// Puts all tasks in an order in which they can happen even if every send waits for its receive. False: there is
  /// none, and cycle() says why. To be called once all messages are matched.
  [[nodiscard]] bool sort();
  /// Tasks in the order of their ends.
  [[nodiscard]] std::span<const TaskOfRank> order() const noexcept { return order_; }
  /// After sort() failed: a shortest circle of events, each of which must happen before the next and the last before
  /// the first.
  struct Event {
    TaskOfRank task;
    bool ends;  ///< or begins
  };
  [[nodiscard]] std::vector<Event> cycle() const;

  /// Whether `first` has ended before `second` begins, whatever the messages' speed. After sort().
  [[nodiscard]] bool ordered(TaskOfRank first, TaskOfRank second) const;
  /// Whether `first` begins before `second` on one rank, by its own edges alone.
  [[nodiscard]] bool begins_before(std::int32_t rank, TaskId first, TaskId second) const;

 private:
  using Node = std::uint32_t;  ///< twice the number of the task among those of all ranks, plus one if it ends
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
  std::vector<std::uint32_t> partners_;  ///< by number
  std::vector<std::uint32_t> place_;     ///< of each node in a topological order
  std::vector<TaskOfRank> order_;
  mutable std::vector<std::uint32_t> visited_;  ///< search in which a node was last seen
  mutable std::vector<Node> stack_;
  mutable std::uint32_t search_ = 0;
};

}  // namespace rondo::internal

#endif
