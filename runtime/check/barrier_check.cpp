#include "runtime/check/barrier_check.hpp"

#include <rondo/error.hpp>

#include "runtime/check/event_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace rondo::internal {
namespace {

/// Matches sends and receives: messages between two ranks with one tag meet in the order of posting.
void match_all(std::span<const Schedule* const> schedules, EventGraph& graph) {
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, std::vector<TaskOfRank>> sends;
  const auto visit = [&](TaskKind kind, auto use) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      for (const TaskId id : schedules[rank]->messages()) {
        const Task& task = schedules[rank]->tasks()[id];
        if (task.kind == kind)
          use(rank, static_cast<std::size_t>(task.peer), task.tag, {static_cast<std::int32_t>(rank), id});
      }
    }
  };
  visit(TaskKind::send, [&](std::size_t source, std::size_t target, std::uint32_t tag, TaskOfRank send) {
    sends[{source, target, tag}].push_back(send);
  });
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, std::size_t> received;
  visit(TaskKind::receive, [&](std::size_t target, std::size_t source, std::uint32_t tag, TaskOfRank receive) {
    graph.match(sends.at({source, target, tag}).at(received[{source, target, tag}]++), receive);
  });
}

}  // namespace

std::string find_early_end(std::span<const Schedule* const> schedules) {
  EventGraph graph(schedules);
  match_all(schedules, graph);
  if (!graph.sort()) throw Error(MPI_ERR_INTERN, "a barrier's schedules wait for each other in a circle");
  // Ranks that are known to have begun when a task begins, or when a receive ends.
  using Known = std::vector<bool>;
  std::vector<std::vector<Known>> known(schedules.size());
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    Known own(schedules.size());
    own[rank] = true;
    known[rank].assign(schedules[rank]->tasks().size() + 1, own);  // the last entry: known when all tasks have ended
  }
  const auto add = [](Known& to, const Known& from) {
    for (std::size_t rank = 0; rank < to.size(); ++rank) to[rank] = to[rank] || from[rank];
  };
  for (const TaskOfRank& ending : graph.order()) {
    const auto rank = static_cast<std::size_t>(ending.rank);
    const Task& task = schedules[rank]->tasks()[ending.task];
    Known& here = known[rank][ending.task];
    if (task.kind == TaskKind::receive) {
      const TaskOfRank send = graph.partner(ending);
      add(here, known[static_cast<std::size_t>(send.rank)][send.task]);
    }
    for (const TaskId next : schedules[rank]->successors(task)) add(known[rank][next], here);
    add(known[rank].back(), here);
  }
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    for (std::size_t other = 0; other < schedules.size(); ++other) {
      if (!known[rank].back()[other])
        return "rank " + std::to_string(rank) + " may end before rank " + std::to_string(other) + " has begun";
    }
  }
  return {};
}

}  // namespace rondo::internal
