#include "runtime/check/event_graph.hpp"

#include <algorithm>
#include <limits>

namespace rondo::internal {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

EventGraph::EventGraph(std::span<const Schedule* const> schedules) : schedules_(schedules) {
  std::uint32_t tasks = 0;
  for (const Schedule* schedule : schedules) {
    first_of_rank_.push_back(tasks);
    tasks += static_cast<std::uint32_t>(schedule->tasks().size());
  }
  first_of_rank_.push_back(tasks);
  partners_.assign(tasks, kNone);
  visited_.assign(std::size_t{2} * tasks, 0);
}

std::uint32_t EventGraph::number_of(TaskOfRank task) const {
  return first_of_rank_[static_cast<std::size_t>(task.rank)] + task.task;
}

TaskOfRank EventGraph::task_of(std::uint32_t number) const {
  const auto rank = std::ranges::upper_bound(first_of_rank_, number) - first_of_rank_.begin() - 1;
  return {static_cast<std::int32_t>(rank), number - first_of_rank_[static_cast<std::size_t>(rank)]};
}

const Task& EventGraph::at(TaskOfRank task) const {
  return schedules_[static_cast<std::size_t>(task.rank)]->tasks()[task.task];
}

void EventGraph::match(TaskOfRank send, TaskOfRank receive) {
  partners_[number_of(send)] = number_of(receive);
  partners_[number_of(receive)] = number_of(send);
}

TaskOfRank EventGraph::partner(TaskOfRank message) const { return task_of(partners_[number_of(message)]); }

template <typename Visit>
void EventGraph::visit_next_locally(Node node, TaskOfRank task, Visit visit) const {
  if (node % 2 == 0) {
    visit(node + 1);
    return;
  }
  const std::uint32_t first = first_of_rank_[static_cast<std::size_t>(task.rank)];
  for (const TaskId next : schedules_[static_cast<std::size_t>(task.rank)]->successors(at(task))) {
    visit(2 * (first + next));
  }
}

template <typename Visit>
void EventGraph::visit_next(Node node, Sends sends, Visit visit) const {
  const TaskOfRank task = task_of(node / 2);
  visit_next_locally(node, task, visit);
  const std::uint32_t partner = partners_[node / 2];
  if (node % 2 != 0 || partner == kNone) return;
  if (at(task).kind == TaskKind::send || sends == Sends::wait) visit(2 * partner + 1);
}

bool EventGraph::sort() {
  const std::size_t nodes = 2 * partners_.size();
  std::vector<std::uint32_t> waits_for(nodes);
  for (Node node = 0; node < nodes; ++node) visit_next(node, Sends::wait, [&](Node next) { ++waits_for[next]; });
  std::vector<Node> sorted;
  sorted.reserve(nodes);
  for (Node node = 0; node < nodes; ++node) {
    if (waits_for[node] == 0) sorted.push_back(node);
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    visit_next(sorted[i], Sends::wait, [&](Node next) {
      if (--waits_for[next] == 0) sorted.push_back(next);
    });
  }
  place_.assign(nodes, kNone);
  order_.clear();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    place_[sorted[i]] = static_cast<std::uint32_t>(i);
    if (sorted[i] % 2 == 1) order_.push_back(task_of(sorted[i] / 2));
  }
  return sorted.size() == nodes;
}

std::vector<EventGraph::Event> EventGraph::cycle() const {
  // Events that have no place, as they never happen, are on a cycle or come after one. A breadth-first search from each
  // finds the shortest way back.
  std::vector<Node> shortest;
  std::vector<Node> came_from(place_.size());
  for (Node start = 0; start < place_.size(); ++start) {
    if (place_[start] != kNone) continue;
    ++search_;
    std::vector<Node> queue{start};
    bool closed = false;
    for (std::size_t i = 0; i < queue.size() && !closed; ++i) {
      const Node node = queue[i];
      visit_next(node, Sends::wait, [&](Node next) {
        if (closed || place_[next] != kNone) return;
        if (next == start) {
          closed = true;
          came_from[start] = node;
        } else if (visited_[next] != search_) {
          visited_[next] = search_;
          came_from[next] = node;
          queue.push_back(next);
        }
      });
    }
    if (!closed) continue;
    std::vector<Node> found{start};
    for (Node node = came_from[start]; node != start; node = came_from[node]) found.push_back(node);
    if (shortest.empty() || found.size() < shortest.size()) shortest = found;
    if (shortest.size() <= 4) break;  // no cycle is shorter
  }
  std::vector<Event> events;
  for (auto node = shortest.rbegin(); node != shortest.rend(); ++node) {
    events.push_back({task_of(*node / 2), *node % 2 == 1});
  }
  return events;
}

bool EventGraph::ordered(TaskOfRank first, TaskOfRank second) const {
  const Node from = 2 * number_of(first) + 1;
  const Node to = 2 * number_of(second);
  ++search_;
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const Node node = stack_.back();
    stack_.pop_back();
    bool found = false;
    visit_next(node, Sends::may_end_early, [&](Node next) {
      if (next == to) found = true;
      if (place_[next] >= place_[to] || visited_[next] == search_) return;
      visited_[next] = search_;
      stack_.push_back(next);
    });
    if (found) return true;
  }
  return false;
}

bool EventGraph::begins_before(std::int32_t rank, TaskId first, TaskId second) const {
  const Node to = 2 * number_of({rank, second});
  ++search_;
  stack_.assign(1, 2 * number_of({rank, first}));
  while (!stack_.empty()) {
    const Node node = stack_.back();
    stack_.pop_back();
    if (node == to) return true;
    visit_next_locally(node, task_of(node / 2), [&](Node next) {
      if (next > to || visited_[next] == search_) return;  // edges go from lower to higher tasks
      visited_[next] = search_;
      stack_.push_back(next);
    });
  }
  return false;
}

}  // namespace rondo::internal
