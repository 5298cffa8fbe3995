#include "runtime/functions/worker_graph.hpp"

#include <span>

namespace rondo::internal {

WorkerGraph::WorkerGraph(const Schedule& schedule, const FunctionHome& home)
    : home_(home),
      places_(schedule.computations().size()),
      functions_(std::make_unique<WorkerFunction[]>(schedule.computations().size())) {
  const std::span<const Task> tasks = schedule.tasks();
  const auto is_for_worker = [&](const Task& task) {
    return task.kind == TaskKind::compute && schedule.computation(task).for_worker;
  };
  std::vector<std::uint32_t> from_workers(tasks.size());  // edges from functions of workers, for each task
  std::size_t edges = 0;
  for (const Task& task : tasks) {
    if (!is_for_worker(task)) continue;
    for (const TaskId next : schedule.successors(task)) ++from_workers[next];
    edges += task.successor_count;
  }
  followers_.reserve(edges);  // functions point into this list, so it must not move
  for (TaskId id = 0; id < tasks.size(); ++id) {
    const Task& task = tasks[id];
    if (!is_for_worker(task)) continue;
    WorkerFunction& function = functions_[task.first_part];
    function.home = &home_;
    function.call = &schedule.call(task);
    function.task = id;
    function.followers = followers_.data() + followers_.size();
    for (const TaskId next : schedule.successors(task)) {
      if (!is_for_worker(tasks[next]) || from_workers[next] != schedule.in_degrees()[next]) continue;
      followers_.push_back(&functions_[tasks[next].first_part]);
      ++function.follower_count;
    }
    if (from_workers[id] == 0 || from_workers[id] != schedule.in_degrees()[id]) continue;
    places_[task.first_part].follows = true;
    function.awaited = from_workers[id];
    function.pending.store(function.awaited, std::memory_order_relaxed);  // relaxed: nobody else is there yet
  }
}

}  // namespace rondo::internal
