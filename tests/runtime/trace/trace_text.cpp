#include "runtime/trace/trace_text.hpp"

#include <gtest/gtest.h>

#include "runtime/engine/engine.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "runtime/trace/named_event.hpp"
#include "tests/support/trace_reader.hpp"

#include <array>
#include <bit>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::trace_text_test {
namespace {

using nlohmann::json;

/// A block that a rank sends to itself, hop after hop, with a copy between; another copy waits for nothing.
std::shared_ptr<const Schedule> hops(int count = 3) {
  ScheduleBuilder builder;
  BlockId from = builder.block(Space::send, 0, 8);
  for (int hop = 0; hop < count; ++hop) {
    builder.begin_phase();
    const BlockId arrived = builder.transit(8);
    const BlockId copied = hop + 1 == count ? builder.block(Space::recv, 0, 8) : builder.transit(8);
    builder.exchange(0, 0, static_cast<std::uint32_t>(hop), {&from, 1}, {&arrived, 1});
    builder.copy({&arrived, 1}, {&copied, 1});
    from = copied;
  }
  const BlockId own = builder.block(Space::send, 8, 8);
  const BlockId there = builder.block(Space::recv, 8, 8);
  builder.copy({&own, 1}, {&there, 1});
  return std::make_shared<const Schedule>(std::move(builder).build());
}

json parsed(const Trace& trace, const TraceOrigin& origin = {}) {
  std::ostringstream out;
  TraceFileText text(out);
  text.add(trace_part(trace, origin));
  text.end();
  return json::parse(out.str());
}

/// An operation that is traced.
struct Traced {
  explicit Traced(std::shared_ptr<const Schedule> its_schedule, std::size_t events = 1024)
      : schedule(std::move(its_schedule)), trace(events) {
    execution.set_trace({trace, trace.add_operation("an \"operation\"")});
    execution.bind(send.data(), recv.data());
  }
  void run() {
    engine.start(execution);
    engine.wait(execution);
  }
  std::shared_ptr<const Schedule> schedule;
  Trace trace;
  LoopbackNetwork network{1, 3};
  Engine engine{network.transport(0)};
  Execution execution{schedule, network.transport(0), MPI_COMM_NULL, 0};
  std::array<std::int64_t, 2> send{1, 2};
  std::array<std::int64_t, 2> recv{};
};

TEST(TraceText, HasEveryTaskOfEveryStartOnce) {
  Traced traced(hops());
  constexpr int kStarts = 3;
  for (int i = 0; i < kStarts; ++i) traced.run();
  ASSERT_EQ(traced.recv, traced.send);
  const TraceReader reader(parsed(traced.trace));
  for (int start = 1; start <= kStarts; ++start) expect_tasks(reader.tasks(0, 0, start), *traced.schedule);
  ASSERT_EQ(reader.pairs("operation").size(), static_cast<std::size_t>(kStarts));
  for (const TraceReader::Pair& operation : reader.pairs("operation")) {
    EXPECT_EQ(operation.name, "an \"operation\"");
    EXPECT_EQ(operation.args.at("complete"), true);
    EXPECT_EQ(operation.args.at("tasks"), traced.schedule->tasks().size());
  }
  reader.expect_nesting();
}

TEST(TraceText, OperationsContainTheirTasks) {
  Traced traced(hops());
  constexpr int kStarts = 3;
  for (int i = 0; i < kStarts; ++i) traced.run();
  const TraceReader reader(parsed(traced.trace));
  std::map<int, TraceReader::Pair> starts;
  for (const TraceReader::Pair& operation : reader.pairs("operation"))
    starts.emplace(operation.args.at("start").get<int>(), operation);
  ASSERT_EQ(starts.size(), static_cast<std::size_t>(kStarts));
  for (const TraceReader::Pair& message : reader.pairs("message")) {
    const TraceReader::Pair& operation = starts.at(message.args.at("start").get<int>());
    EXPECT_LE(operation.begin, message.begin);
    EXPECT_LE(message.begin, message.end);
    EXPECT_LE(message.end, operation.end);
  }
  for (const TraceReader::Interval& task : reader.intervals("task")) {
    const TraceReader::Pair& operation = starts.at(task.args.at("start").get<int>());
    EXPECT_LE(operation.begin, task.begin);
    EXPECT_LE(task.end, operation.end);
  }
}

TEST(TraceText, OverwrittenEventsAreCountedAndTheRestIsRight) {
  Traced traced(hops(), 16);
  constexpr int kStarts = 20;
  for (int i = 0; i < kStarts; ++i) traced.run();
  const std::size_t lost = traced.trace.of_driver().for_each([](const TraceEvent&) {});
  ASSERT_GT(lost, 0U);
  const TraceReader reader(parsed(traced.trace));
  EXPECT_EQ(reader.process(0).at("overwritten_events"), lost);
  ASSERT_EQ(reader.instants("lost").size(), 1U);
  EXPECT_TRUE(reader.instants("lost").front().starts_with(std::to_string(lost) + " earlier events")) << lost;
  reader.expect_nesting();
  for (const TraceReader::Pair& message : reader.pairs("message")) EXPECT_FALSE(message.args.contains("complete"));
}

TEST(TraceText, MessagesInFlightAtTheEndAreShown) {
  Traced traced(hops());
  traced.engine.start(traced.execution);
  {
    const TraceReader reader(parsed(traced.trace));
    ASSERT_EQ(reader.pairs("operation").size(), 1U);
    EXPECT_EQ(reader.pairs("operation").front().args.at("complete"), false);
    EXPECT_EQ(reader.pairs("message").size(), traced.schedule->root_messages());
    for (const TraceReader::Pair& message : reader.pairs("message"))
      EXPECT_EQ(message.args.at("complete"), false) << message.name;
  }
  traced.engine.wait(traced.execution);
  const TraceReader reader(parsed(traced.trace));
  expect_tasks(reader.tasks(0, 0, 1), *traced.schedule);
}

TEST(TraceText, FailedMessagesSaySo) {
  Traced traced(hops(1));
  traced.engine.start(traced.execution);
  for (const TaskId id : traced.schedule->messages()) traced.execution.trace().completed(id, kPartnerFailed);
  const TraceReader reader(parsed(traced.trace));
  ASSERT_EQ(reader.pairs("message").size(), 2U);
  for (const TraceReader::Pair& message : reader.pairs("message"))
    EXPECT_EQ(message.args.at("error"), "the partner failed earlier in this operation");
  traced.engine.wait(traced.execution);
}

/// All of a phase-synchronous schedule's tasks are there, its joins among them.
TEST(TraceText, ShowsJoins) {
  ScheduleBuilder builder(Ordering::phases);
  const std::vector<BlockId> blocks{builder.block(Space::send, 0, 8), builder.block(Space::recv, 0, 8)};
  const std::vector<BlockId> others{builder.block(Space::send, 8, 8), builder.block(Space::recv, 8, 8)};
  builder.exchange(0, 0, 0, std::span(blocks).first(1), std::span(blocks).last(1));
  builder.begin_phase();
  builder.exchange(0, 0, 1, std::span(others).first(1), std::span(others).last(1));
  Traced traced(std::make_shared<const Schedule>(std::move(builder).build()));
  traced.run();
  const TraceReader reader(parsed(traced.trace));
  expect_tasks(reader.tasks(0, 0, 1), *traced.schedule);
  ASSERT_EQ(reader.intervals("task").size(), 1U);
  EXPECT_EQ(reader.intervals("task").front().name, "join");
}

/// Short copies are timed together: they stand side by side, between what is before and after them, in order.
TEST(TraceText, ShortTasksShareTheTime) {
  ScheduleBuilder builder;
  constexpr std::size_t kCopies = 3 * TaskTimes::kMostTogether + 5;
  std::vector<BlockId> chain{builder.block(Space::send, 0, 8)};
  for (std::size_t i = 0; i < kCopies; ++i) {
    chain.push_back(builder.transit(8));
    builder.copy({&chain[i], 1}, {&chain[i + 1], 1});
  }
  Traced traced(std::make_shared<const Schedule>(std::move(builder).build()));
  traced.run();
  const TraceReader reader(parsed(traced.trace));
  expect_tasks(reader.tasks(0, 0, 1), *traced.schedule);
  const auto& copies = reader.intervals("task");
  ASSERT_EQ(copies.size(), kCopies);
  for (std::size_t i = 1; i < copies.size(); ++i) EXPECT_LE(copies[i - 1].end, copies[i].begin);
}

/// With their own times, and the names that they have.
TEST(TraceText, FunctionsHaveTheirNames) {
  ScheduleBuilder builder;
  const BlockId one = builder.block(Space::recv, 0, 8);
  const BlockId other = builder.block(Space::recv, 8, 8);
  const auto take_time = [](const ComputeBlocks&) {
    const std::int64_t until = monotonic_nanoseconds() + 100'000;
    while (monotonic_nanoseconds() < until) {
    }
  };
  builder.compute({}, {&one, 1}, take_time, "a \"tile\"");
  builder.compute({&one, 1}, {&other, 1}, take_time, "an edge");
  for (const bool named : {true, false}) {
    Traced traced(std::make_shared<const Schedule>(ScheduleBuilder(builder).build()));
    traced.execution.set_function_list(&traced.engine.functions());
    if (named) traced.trace.set_function_names(0, {{0, "a \"tile\""}, {1, "an edge"}});
    traced.run();
    const TraceReader reader(parsed(traced.trace));
    ASSERT_EQ(reader.intervals("compute").size(), 2U);
    std::string names;
    for (const TraceReader::Interval& function : reader.intervals("compute")) {
      names += function.name + ", ";
      EXPECT_GE(function.end - function.begin, 90'000);
      EXPECT_EQ(function.args.at("bytes"), 8);
    }
    EXPECT_EQ(names, named ? "a \"tile\", an edge, " : "compute, compute, ");
    reader.expect_nesting();
  }
}

TEST(TraceText, MarksSpansAndWaits) {
  Traced traced(hops());
  const auto add = [&](TraceKind kind, const char* name, std::uint64_t begin) {
    add_named(traced.trace, kind, name, begin, traced.trace.now());
  };
  const std::uint64_t begin = traced.trace.now();
  add(TraceKind::mark, "step \"1\"\n", begin);
  const std::uint64_t waits = traced.trace.now();
  traced.run();
  traced.execution.trace().waited(waits);
  std::thread([&] { add(TraceKind::span, "elsewhere", traced.trace.now()); }).join();
  add(TraceKind::span, "step", begin);
  const TraceReader reader(parsed(traced.trace));
  EXPECT_EQ(reader.instants("mark"), std::vector<std::string>{"step \"1\"\n"});
  ASSERT_EQ(reader.intervals("span").size(), 2U);
  ASSERT_EQ(reader.intervals("wait").size(), 1U);
  const TraceReader::Interval wait = reader.intervals("wait").front();
  EXPECT_EQ(wait.args.at("operation"), "an \"operation\"");
  for (const TraceReader::Interval& task : reader.intervals("task")) {
    EXPECT_LE(wait.begin, task.begin);
    EXPECT_LE(task.end, wait.end);
    EXPECT_EQ(task.thread, wait.thread);
  }
  for (const TraceReader::Interval& span : reader.intervals("span"))
    EXPECT_EQ(span.thread == wait.thread, span.name == "step") << span.name;
  reader.expect_nesting();
}

TEST(TraceText, NothingAtAllIsAFileToo) {
  const Trace trace(4);
  const TraceReader reader(parsed(trace, {.rank = 7, .host = "h\"1"}));
  EXPECT_EQ(reader.process(7).at("host"), "h\"1");
  EXPECT_EQ(reader.process(7).at("overwritten_events"), 0);
}

/// The times in a file are those of the reference clock, since its zero.
TEST(TraceText, TimesAreThoseOfTheReference) {
  Traced traced(hops());
  traced.run();
  const std::int64_t now = monotonic_nanoseconds();
  const auto first_begin = [&](const TraceOrigin& origin) {
    return TraceReader(parsed(traced.trace, origin)).pairs("operation").front().begin;
  };
  const std::int64_t here = first_begin({});
  constexpr std::int64_t kOffset = -5'000'000'000;
  const ClockLine clock({now, kOffset, 10}, {now, kOffset, 10});
  const std::int64_t there = first_begin({.rank = 0, .host = "", .clock = clock, .zero = 1'000});
  // The ticks are understood better the second time; a thousandth of the run is more than that.
  EXPECT_NEAR(static_cast<double>(there - here), static_cast<double>(kOffset - 1'000), 1e6);
}

}  // namespace
}  // namespace rondo::internal::trace_text_test
