// Which functions workers pass on to each other.
#include "runtime/functions/worker_graph.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::worker_graph_test {
namespace {

using Ids = std::vector<BlockId>;

const auto nothing = [](const ComputeBlocks&) {};

/// By its name.
const Task& find(const Schedule& schedule, const std::string& name) {
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::compute && schedule.computation(task).name == name) return task;
  }
  throw std::out_of_range(name);
}

std::string followers_of(const Schedule& schedule, const WorkerFunction& function) {
  std::string names;
  for (std::uint32_t i = 0; i < function.follower_count; ++i)
    names += schedule.computation(schedule.tasks()[function.followers[i]->task]).name;
  return names;
}

/// a and b are for workers, c waits for both. d waits for c and a message, e for c and what the driving thread runs,
/// and f, which the driving thread runs, for a. g waits for e alone.
TEST(WorkerGraph, FollowersWaitForWorkersAlone) {
  ScheduleBuilder builder;
  Ids blocks;
  for (int i = 0; i < 9; ++i) blocks.push_back(builder.block(Space::recv, 8 * i, 8));
  builder.receive(0, 0, Ids{blocks[7]});
  builder.compute({}, Ids{blocks[0]}, nothing, "a", true);
  builder.compute({}, Ids{blocks[1]}, nothing, "b", true);
  builder.compute(Ids{blocks[0], blocks[1]}, Ids{blocks[2]}, nothing, "c", true);
  builder.compute(Ids{blocks[2], blocks[7]}, Ids{blocks[3]}, nothing, "d", true);
  builder.compute({}, Ids{blocks[8]}, nothing, "x");
  builder.compute(Ids{blocks[2], blocks[8]}, Ids{blocks[4]}, nothing, "e", true);
  builder.compute(Ids{blocks[0]}, Ids{blocks[5]}, nothing, "f");
  builder.compute(Ids{blocks[4]}, Ids{blocks[6]}, nothing, "g", true);
  const Schedule schedule = std::move(builder).build();
  WorkerGraph graph(schedule, {});

  std::string given;
  for (const char* name : {"a", "b", "c", "d", "e", "g"}) {
    const Task& task = find(schedule, name);
    const WorkerFunction* const function = graph.give(task);
    if (function == nullptr) continue;
    given += name + ("(" + followers_of(schedule, *function) + ")");
    EXPECT_EQ(&schedule.tasks()[function->task], &task);
    EXPECT_EQ(function->call, &schedule.call(task));
    EXPECT_EQ(function->awaited, 0U);
  }
  EXPECT_EQ(given, "a(c)b(c)d()e(g)");
  const WorkerFunction& a = *graph.give(find(schedule, "a"));
  EXPECT_EQ(followers_of(schedule, *a.followers[0]), "") << "of c, whose successors wait for more";
  EXPECT_EQ(a.followers[0]->awaited, 2U);
  EXPECT_FALSE(a.followers[0]->is_ready());
  EXPECT_TRUE(a.followers[0]->is_ready());
  EXPECT_FALSE(a.followers[0]->is_ready()) << "in the next start";
}

TEST(WorkerGraph, KnowsWhatWasGiven) {
  ScheduleBuilder builder;
  const BlockId one = builder.block(Space::recv, 0, 8);
  const BlockId other = builder.block(Space::recv, 8, 8);
  builder.compute({}, Ids{one}, nothing, "a", true);
  builder.compute(Ids{one}, Ids{other}, nothing, "b", true);
  const Schedule schedule = std::move(builder).build();
  WorkerGraph graph(schedule, {});
  const auto given = [&] {
    std::string names;
    graph.for_each_given([&](TaskId id) { names += schedule.computation(schedule.tasks()[id]).name; });
    return names;
  };
  EXPECT_EQ(given(), "");
  static_cast<void>(graph.give(find(schedule, "a")));
  EXPECT_EQ(given(), "a");
  static_cast<void>(graph.give(find(schedule, "b")));
  graph.take_back(find(schedule, "a"));
  EXPECT_EQ(given(), "b");
}

}  // namespace
}  // namespace rondo::internal::worker_graph_test
