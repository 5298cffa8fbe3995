// Time per task of starting and advancing a schedule of 8-byte copies, beside oneTBB's flow graph and a loop written by
// hand over the same graph, and what it costs to trace them. The same of compute tasks, whose functions do the copies,
// beside plain calls of these functions and the flow graph. Figures: at most 6 ns a task, for a function at most 12 ns
// over a call, and 250 on a worker, at least 5x less than the flow graph, and at most 20 ns an event of a trace; a mark
// of the application's at most 12 ns more than reading the clock.
#include <benchmark/benchmark.h>
#include <mpi.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <rondo/trace.hpp>

#include "runtime/engine/engine.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "runtime/trace/trace.hpp"

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace internal = rondo::internal;

namespace {

using rondo::internal::BlockId;
using rondo::internal::Schedule;
using rondo::internal::ScheduleBuilder;
using rondo::internal::Space;
using rondo::internal::TaskId;

constexpr int kChain = 1024;
constexpr int kWide = 1024;
constexpr int kLayers = 16;
constexpr int kWidth = 64;

std::span<const BlockId> one(const BlockId& block) { return {&block, 1}; }

/// What a task does with its 8 bytes: the schedule copies them, or a function does.
enum class Kind : std::uint8_t { copy, compute, compute_on_worker };

[[gnu::noinline]] void move_word(const std::int64_t* from, std::int64_t* to) { *to = *from; }

void add(ScheduleBuilder& builder, Kind kind, const BlockId& from, const BlockId& to) {
  if (kind == Kind::copy) {
    builder.copy(one(from), one(to));
    return;
  }
  const auto move = [](const rondo::ComputeBlocks& blocks) {
    move_word(blocks.read<std::int64_t>(0).data(), blocks.write<std::int64_t>(0).data());
  };
  builder.compute(one(from), one(to), move, "move", kind == Kind::compute_on_worker);
}

/// Each task reads what the one before wrote.
Schedule chain(Kind kind) {
  ScheduleBuilder builder;
  BlockId from = builder.block(Space::send, 0, 8);
  for (int i = 0; i < kChain; ++i) {
    const BlockId to = builder.transit(8);
    add(builder, kind, from, to);
    from = to;
  }
  return std::move(builder).build();
}

/// All tasks are independent.
Schedule wide(Kind kind) {
  ScheduleBuilder builder;
  for (int i = 0; i < kWide; ++i) {
    const BlockId from = builder.block(Space::send, 8 * i, 8);
    const BlockId to = builder.block(Space::recv, 8 * i, 8);
    add(builder, kind, from, to);
  }
  return std::move(builder).build();
}

/// Layer after layer, between two rows of blocks: each task reads what one task of the layer before wrote and
/// overwrites what another one read, so that each has two predecessors and two successors.
Schedule layered(Kind kind) {
  ScheduleBuilder builder;
  std::vector<BlockId> rows[2];
  for (int i = 0; i < kWidth; ++i) {
    rows[0].push_back(builder.block(Space::send, 8 * i, 8));
    rows[1].push_back(builder.transit(8));
  }
  std::vector<BlockId> third;
  for (int i = 0; i < kWidth; ++i) third.push_back(builder.transit(8));
  const auto layer = [&](const std::vector<BlockId>& from, const std::vector<BlockId>& to) {
    for (std::size_t i = 0; i < kWidth; ++i) add(builder, kind, from[i], to[(i + 1) % kWidth]);
  };
  layer(rows[0], rows[1]);
  layer(rows[1], third);
  for (int k = 2; k < kLayers; ++k) layer(k % 2 == 0 ? third : rows[1], k % 2 == 0 ? rows[1] : third);
  return std::move(builder).build();
}

Schedule make(int shape, Kind kind = Kind::copy) {
  return shape == 0 ? chain(kind) : shape == 1 ? wide(kind) : layered(kind);
}

const char* name(int shape) { return shape == 0 ? "chain 1024" : shape == 1 ? "wide 1024" : "layered 16x64"; }

void finish(benchmark::State& state, const Schedule& schedule) {
  state.SetLabel(name(static_cast<int>(state.range(0))));
  state.counters["s/task"] =
      benchmark::Counter(static_cast<double>(schedule.tasks().size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void engine(benchmark::State& state) {
  internal::LoopbackNetwork network(1, 1);
  const auto schedule = std::make_shared<const Schedule>(make(static_cast<int>(state.range(0))));
  internal::Execution execution(schedule, network.transport(0), MPI_COMM_NULL, 0);
  std::vector<std::byte> send(8 * kWide);
  std::vector<std::byte> recv(8 * kWide);
  execution.bind(send.data(), recv.data());
  for (auto _ : state) {
    execution.start();
    benchmark::ClobberMemory();
  }
  finish(state, *schedule);
}

/// The same with a trace, into which each task puts an event.
void traced(benchmark::State& state) {
  internal::LoopbackNetwork network(1, 1);
  const auto schedule = std::make_shared<const Schedule>(make(static_cast<int>(state.range(0))));
  internal::Trace trace(internal::Trace::kDefaultEvents);
  internal::Execution execution(schedule, network.transport(0), MPI_COMM_NULL, 0);
  execution.set_trace({trace, trace.add_operation("copies")});
  std::vector<std::byte> send(8 * kWide);
  std::vector<std::byte> recv(8 * kWide);
  execution.bind(send.data(), recv.data());
  for (auto _ : state) {
    execution.start();
    benchmark::ClobberMemory();
  }
  finish(state, *schedule);
}

/// Functions, in passes of progress with all that belongs to them.
void compute(benchmark::State& state, Kind kind) {
  internal::LoopbackNetwork network(1, 1);
  internal::Engine engine(network.transport(0));
  const auto schedule = std::make_shared<const Schedule>(make(static_cast<int>(state.range(0)), kind));
  internal::Execution execution(schedule, network.transport(0), MPI_COMM_NULL, 0);
  execution.set_function_list(&engine.functions());
  if (kind == Kind::compute_on_worker) {
    execution.set_function_crew(
        std::make_shared<internal::FunctionCrew>(schedule->computations().size(), engine.functions().done));
  }
  std::vector<std::byte> send(8 * kWide);
  std::vector<std::byte> recv(8 * kWide);
  execution.bind(send.data(), recv.data());
  for (auto _ : state) {
    engine.start(execution);
    engine.wait(execution);
    benchmark::ClobberMemory();
  }
  finish(state, *schedule);
}

void computing(benchmark::State& state) { compute(state, Kind::compute); }
void on_workers(benchmark::State& state) { compute(state, Kind::compute_on_worker); }

/// The same functions called one after the other, in the order of the program.
void calls(benchmark::State& state) {
  const Schedule schedule = make(static_cast<int>(state.range(0)));
  std::vector<std::byte> spaces[3] = {std::vector<std::byte>(8 * kWide), std::vector<std::byte>(8 * kWide),
                                      std::vector<std::byte>(static_cast<std::size_t>(schedule.scratch_bytes()))};
  struct Call {
    const std::int64_t* from;
    std::int64_t* to;
  };
  std::vector<Call> all;
  for (const internal::Task& task : schedule.tasks()) {
    all.push_back({reinterpret_cast<const std::int64_t*>(spaces[static_cast<std::size_t>(task.source_space)].data() +
                                                         task.source_offset),
                   reinterpret_cast<std::int64_t*>(spaces[static_cast<std::size_t>(task.target_space)].data() +
                                                   task.target_offset)});
  }
  for (auto _ : state) {
    for (const Call& call : all) move_word(call.from, call.to);
    benchmark::ClobberMemory();
  }
  finish(state, schedule);
}

/// What a trace's time stamp costs.
void clock_reading(benchmark::State& state) {
  const internal::TraceClock clock;
  for (auto _ : state) benchmark::DoNotOptimize(clock.ticks());
  state.SetLabel("clock");
  state.counters["s/task"] =
      benchmark::Counter(1.0, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// A mark of the application's, where this process is traced and where it is not: RONDO_TRACE says which.
void mark(benchmark::State& state) {
  for (auto _ : state) rondo::trace::mark("a mark");
  state.SetLabel(rondo::trace::on() ? "traced mark" : "untraced mark");
  state.counters["s/task"] =
      benchmark::Counter(1.0, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void building(benchmark::State& state) {
  std::size_t tasks = 0;
  for (auto _ : state) tasks = make(static_cast<int>(state.range(0))).tasks().size();
  state.SetLabel(name(static_cast<int>(state.range(0))));
  state.counters["s/task"] = benchmark::Counter(
      static_cast<double>(tasks), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// What one would write without a library: the graph in compressed rows, a stack of ready tasks, nothing but copies.
void by_hand(benchmark::State& state) {
  const Schedule schedule = make(static_cast<int>(state.range(0)));
  const auto tasks = schedule.tasks();
  std::vector<std::byte> spaces[3] = {std::vector<std::byte>(8 * kWide), std::vector<std::byte>(8 * kWide),
                                      std::vector<std::byte>(static_cast<std::size_t>(schedule.scratch_bytes()))};
  std::vector<std::uint32_t> pending(schedule.in_degrees().begin(), schedule.in_degrees().end());
  std::vector<TaskId> ready(tasks.size());
  for (auto _ : state) {
    std::size_t count = 0;
    for (const TaskId root : schedule.roots()) ready[count++] = root;
    while (count > 0) {
      const TaskId id = ready[--count];
      const internal::Task& task = tasks[id];
      std::memcpy(spaces[static_cast<std::size_t>(task.target_space)].data() + task.target_offset,
                  spaces[static_cast<std::size_t>(task.source_space)].data() + task.source_offset, 8);
      pending[id] = schedule.in_degrees()[id];
      for (const TaskId successor : schedule.successors(task)) {
        if (--pending[successor] == 0) ready[count++] = successor;
      }
    }
    benchmark::ClobberMemory();
  }
  finish(state, schedule);
}

void flow_graph(benchmark::State& state) {
  namespace flow = oneapi::tbb::flow;
  const oneapi::tbb::global_control one_thread(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  const Schedule schedule = make(static_cast<int>(state.range(0)));
  const auto tasks = schedule.tasks();
  std::vector<std::byte> spaces[3] = {std::vector<std::byte>(8 * kWide), std::vector<std::byte>(8 * kWide),
                                      std::vector<std::byte>(static_cast<std::size_t>(schedule.scratch_bytes()))};
  flow::graph graph;
  std::deque<flow::continue_node<flow::continue_msg>> nodes;
  for (const internal::Task& task : tasks) {
    nodes.emplace_back(graph, [&task, &spaces](const flow::continue_msg&) {
      std::memcpy(spaces[static_cast<std::size_t>(task.target_space)].data() + task.target_offset,
                  spaces[static_cast<std::size_t>(task.source_space)].data() + task.source_offset, 8);
    });
  }
  for (TaskId id = 0; id < tasks.size(); ++id) {
    for (const TaskId successor : schedule.successors(tasks[id])) flow::make_edge(nodes[id], nodes[successor]);
  }
  for (auto _ : state) {
    for (const TaskId root : schedule.roots()) nodes[root].try_put(flow::continue_msg());
    graph.wait_for_all();
  }
  finish(state, schedule);
}

BENCHMARK(engine)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(traced)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(clock_reading)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(mark)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(by_hand)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(flow_graph)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(computing)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(on_workers)->DenseRange(0, 2)->UseRealTime()->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(calls)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(building)->DenseRange(0, 2)->Repetitions(7)->ReportAggregatesOnly();

}  // namespace

BENCHMARK_MAIN();
