// Compute tasks as the builder makes them, and the blocks that their functions are given.
#include "runtime/schedule/computation.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "runtime/schedule/dot.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "runtime/schedule/schedule_stream.hpp"
#include "tests/support/bad_input.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::computation_test {
namespace {

using Ids = std::vector<BlockId>;
const ComputeFunction kNothing = [](const ComputeBlocks&) {};

std::vector<TaskId> successors_of(const Schedule& schedule, TaskId id) {
  const auto successors = schedule.successors(schedule.tasks()[id]);
  return {successors.begin(), successors.end()};
}

TEST(Computation, WaitsForWhatItReadsAndForReadersOfWhatItWrites) {
  ScheduleBuilder builder;
  const BlockId own = builder.block(Space::send, 0, 8);
  const BlockId one = builder.block(Space::recv, 0, 8);
  const BlockId other = builder.block(Space::recv, 8, 8);
  const BlockId passing = builder.transit(8);
  builder.receive(1, 0, Ids{one});                                     // 0
  builder.receive(2, 0, Ids{other});                                   // 1
  builder.compute(Ids{one}, Ids{passing}, kNothing, "first");          // 2
  builder.send(1, 0, Ids{passing});                                    // 3
  builder.compute(Ids{other, own}, Ids{passing}, kNothing, "");        // 4
  builder.compute(Ids{passing}, Ids{passing, one}, kNothing, "last");  // 5
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(successors_of(schedule, 0), (std::vector<TaskId>{2}));
  EXPECT_EQ(successors_of(schedule, 1), (std::vector<TaskId>{4}));
  EXPECT_EQ(successors_of(schedule, 2), (std::vector<TaskId>{3, 5})) << "sent, and read before it is overwritten";
  EXPECT_EQ(successors_of(schedule, 3), (std::vector<TaskId>{4}));
  EXPECT_EQ(successors_of(schedule, 4), (std::vector<TaskId>{5}));
  EXPECT_EQ(schedule.tasks()[5].bytes, 16);
  EXPECT_EQ(describe(schedule, 5), "compute \"last\" (task 5, phase 0, round 5)");
}

/// Those that an edge is waiting for by messages go first, also where something is packed in between; what only
/// another function waits for does not.
TEST(Computation, IsUrgentWhereMessagesWait) {
  ScheduleBuilder builder(Ordering::dependencies, MessageForm::staged);
  std::vector<BlockId> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(builder.block(Space::recv, 16 * i, 8));
  const auto write = [&](std::size_t i, const char* name) { builder.compute({}, Ids{blocks[i]}, kNothing, name); };
  write(0, "sent");
  builder.send(1, 0, Ids{blocks[0]});
  write(1, "packed");
  write(2, "packed");
  builder.send(1, 1, Ids{blocks[1], blocks[2]});
  write(3, "kept");
  builder.compute(Ids{blocks[3]}, Ids{blocks[4]}, kNothing, "sent");
  builder.send(1, 2, Ids{blocks[4]});
  const Schedule schedule = std::move(builder).build();
  int copies = 0;
  for (const Task& task : schedule.tasks()) {
    copies += task.kind == TaskKind::copy ? 1 : 0;
    if (task.kind == TaskKind::compute) {
      EXPECT_EQ(is_urgent(task), schedule.computation(task).name != "kept");
    }
  }
  EXPECT_EQ(copies, 1);
}

void expect_refused(const char* words,
                    const std::function<void(ScheduleBuilder&, BlockId sent, BlockId received)>& body) {
  ScheduleBuilder builder;
  const BlockId sent = builder.block(Space::send, 0, 8);
  const BlockId received = builder.block(Space::recv, 0, 8);
  try {
    body(builder, sent, received);
    ADD_FAILURE() << "accepted, instead of: " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Computation, RefusesWhatCannotBe) {
  using Builder = ScheduleBuilder;
  expect_refused("without blocks", [](Builder& it, BlockId, BlockId) { it.compute({}, {}, kNothing, ""); });
  expect_refused("receive block 1 is read before anything wrote it",
                 [](Builder& it, BlockId, BlockId received) { it.compute(Ids{received}, {}, kNothing, ""); });
  expect_refused("block 2 is read before anything wrote it",
                 [](Builder& it, BlockId, BlockId) { it.compute(Ids{it.transit(8)}, {}, kNothing, ""); });
  expect_refused("block 1 is updated before anything wrote it", [](Builder& it, BlockId, BlockId received) {
    it.compute(Ids{received}, Ids{received}, kNothing, "");
  });
  expect_refused("send block 0 is written",
                 [](Builder& it, BlockId sent, BlockId) { it.compute({}, Ids{sent}, kNothing, ""); });
  expect_refused("send block 0 is updated",
                 [](Builder& it, BlockId sent, BlockId) { it.compute(Ids{sent}, Ids{sent}, kNothing, ""); });
  expect_refused("block 1 is written twice by one compute task", [](Builder& it, BlockId, BlockId received) {
    it.compute({}, Ids{received, received}, kNothing, "");
  });
  expect_refused("written twice without order", [](Builder& it, BlockId, BlockId received) {
    it.compute({}, Ids{received}, kNothing, "");
    it.compute({}, Ids{received}, kNothing, "");
  });
  expect_refused("out of range", [](Builder& it, BlockId, BlockId) { it.compute({}, Ids{{7}}, kNothing, ""); });
}

/// Blocks of a send, a receive and a scratch buffer: 16 bytes, 8 of an element in two pieces, none, 4 bytes.
struct Blocks {
  Blocks() {
    combed.append({0, 4, 2, 12});
    ScheduleBuilder builder;
    const BlockId sent = builder.block(Space::send, 8, 16);
    const BlockId gaps = builder.block(Space::send, 0, combed);
    const BlockId empty = builder.transit(0);
    const BlockId received = builder.block(Space::recv, 4, 4);
    const BlockId passing = builder.transit(8);
    builder.compute(Ids{sent, gaps, empty}, Ids{received, passing}, kNothing, "it");
    schedule.emplace(std::move(builder).build());
    bases = {reinterpret_cast<std::byte*>(send.data()), reinterpret_cast<std::byte*>(recv.data()),
             reinterpret_cast<std::byte*>(scratch.data())};
  }
  [[nodiscard]] const Computation& computation() const { return *schedule->computations().front(); }
  [[nodiscard]] ComputeBlocks blocks() const {
    return {computation().blocks.data(), computation().reads, computation().writes(), bases.data()};
  }

  Layout combed;
  std::optional<Schedule> schedule;
  std::array<double, 4> send{0, 1, 2, 3};
  std::array<double, 4> recv{};
  std::array<double, 8> scratch{};
  std::array<std::byte*, kSpaces> bases{};
};

TEST(Computation, ShowsItsBlocksWhereTheyAre) {
  const Blocks it;
  const ComputeBlocks blocks = it.blocks();
  EXPECT_EQ(blocks.reads(), 3U);
  EXPECT_EQ(blocks.writes(), 2U);
  const auto read = blocks.read<double>(0);
  EXPECT_EQ(std::vector<double>(read.begin(), read.end()), (std::vector<double>{1, 2}));
  EXPECT_EQ(blocks.read<char>(0).size(), 16U);
  EXPECT_EQ(blocks.read_address(0), &it.send[1]);
  EXPECT_EQ(blocks.read_address(1), it.send.data());
  EXPECT_TRUE(blocks.read<double>(2).empty());
  EXPECT_EQ(blocks.write<float>(0).size(), 1U);
  EXPECT_EQ(blocks.write_address(0), reinterpret_cast<const char*>(it.recv.data()) + 4);
  EXPECT_EQ(blocks.write<double>(1).data(), it.scratch.data());
}

TEST(Computation, RefusesWhatItsBlocksAreNot) {
  const Blocks it;
  const ComputeBlocks blocks = it.blocks();
  const auto expect = [](const char* words, const auto& body) {
    try {
      body();
      ADD_FAILURE() << "accepted, instead of: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
      EXPECT_STREQ(error.what(), words);
    }
  };
  expect("read: block 3, must be in [0, 3)", [&] { static_cast<void>(blocks.read<char>(3)); });
  expect("write_address: block 2, must be in [0, 2)", [&] { static_cast<void>(blocks.write_address(2)); });
  expect("read: block 1 has gaps, must lie in one piece, or be asked for by its address",
         [&] { static_cast<void>(blocks.read<float>(1)); });
  expect("write: block 0 has 4 bytes, must have whole elements of 8",
         [&] { static_cast<void>(blocks.write<double>(0)); });
  struct alignas(16) Wide {
    double values[2];
  };
  const bool aligned = reinterpret_cast<std::uintptr_t>(&it.send[1]) % alignof(Wide) == 0;
  if (!aligned) {
    expect("read: block 0 is not aligned, must lie at a multiple of 16 bytes",
           [&] { static_cast<void>(blocks.read<Wide>(0)); });
  }
}

TEST(Computation, TravelsWithoutItsFunction) {
  const Blocks it;
  ByteWriter writer;
  write_schedule(writer, *it.schedule);
  ByteReader reader(writer.bytes());
  const Schedule there = read_schedule(reader);
  ASSERT_EQ(there.computations().size(), 1U);
  const Computation& computation = *there.computations().front();
  EXPECT_FALSE(computation.function);
  EXPECT_EQ(computation.name, "it");
  EXPECT_EQ(computation.reads, 3U);
  const auto accesses = [](const Computation& of) {
    std::vector<std::array<std::int64_t, 4>> found;
    of.for_each_access([&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
      found.push_back({static_cast<std::int64_t>(space), offset, bytes, writes ? 1 : 0});
    });
    return found;
  };
  const std::vector<std::array<std::int64_t, 4>> expected{
      {0, 8, 16, 0}, {0, 0, 4, 0}, {0, 12, 4, 0}, {1, 4, 4, 1}, {2, 0, 8, 1}};
  EXPECT_EQ(accesses(it.computation()), expected);
  EXPECT_EQ(accesses(computation), expected);
}

TEST(Computation, IsDrawnWithItsName) {
  ScheduleBuilder builder;
  const BlockId block = builder.block(Space::recv, 0, 8);
  builder.compute({}, Ids{block}, kNothing, "a \"tile\"");
  const std::string text = to_dot(std::move(builder).build(), "it");
  EXPECT_NE(text.find("label=\"compute\\na \\\"tile\\\"\\n8 bytes\""), std::string::npos) << text;
}

}  // namespace
}  // namespace rondo::internal::computation_test
