#include "collectives/own/own_builder.hpp"
#include "collectives/binding/message_balance.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>
#include <rondo/schedule.hpp>

#include "collectives/own/lowering.hpp"
#include "runtime/check/schedule_checker.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace rondo::internal::own_builder_test {
namespace {

using Build = rondo::ScheduleBuilder;
using Body = std::function<void(Build&)>;

OwnBuilder builder_of(int rank, int size) {
  return {rank, size, Ordering::dependencies, MessageForm::automatic, measured_form_costs()};
}

/// Rank 1 of 4.
OwnSchedule built(const Body& body) {
  OwnBuilder own = builder_of(1, 4);
  lower_own([&](Build& build, int, int) { body(build); }, own);
  const std::uint32_t tags = own.tags();
  return std::move(own).build(tags);
}

void expect_refused(int error_class, std::initializer_list<const char*> words, const Body& body) {
  try {
    static_cast<void>(built(body));
    ADD_FAILURE() << "accepted, instead of: " << *words.begin();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), error_class) << error.what();
    for (const char* word : words) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

std::vector<Task> tasks_of(const OwnSchedule& made, TaskKind kind) {
  std::vector<Task> found;
  for (const Task& task : made.schedule->tasks()) {
    if (task.kind == kind) found.push_back(task);
  }
  return found;
}

TEST(OwnBuilder, HandsOnWhatALoweringSays) {
  const OwnSchedule made = built([](Build& build) {
    build.exchange(2, 0, build.send_block(8, 16), build.recv_block(32, 4));
    build.begin_phase();
    const Block passing = build.transit(4);
    build.copy(build.recv_block(32, 4), passing);
    build.send(3, passing);
  });
  EXPECT_EQ(tasks_of(made, TaskKind::send).size(), 2U);
  EXPECT_EQ(tasks_of(made, TaskKind::receive).size(), 1U);
  EXPECT_EQ(tasks_of(made, TaskKind::copy).size(), 1U);
  EXPECT_EQ(made.schedule->phases(), 2U);
  EXPECT_EQ(made.send.begin, 8);
  EXPECT_EQ(made.send.end, 24);
  EXPECT_EQ(made.recv.begin, 32);
  EXPECT_EQ(made.recv.end, 36);
  const UserBlocks blocks = user_blocks_of(made.blocks);
  EXPECT_EQ(blocks.sent, 1);
  EXPECT_EQ(blocks.received, 1);
  EXPECT_EQ(blocks.received_block(0).offset, 32);
  EXPECT_EQ(blocks.received_block(0).layout.size(), 4);
}

TEST(OwnBuilder, TheSameBytesAreTheSameBlock) {
  static_cast<void>(built([](Build& build) {
    EXPECT_EQ(build.recv_block(0, 8), build.recv_block(0, 8));
    EXPECT_EQ(build.recv_block(0, 8), build.recv_block(0, 2, MPI_INT));
    EXPECT_NE(build.recv_block(0, 8), build.send_block(0, 8));
    EXPECT_NE(build.transit(8), build.transit(8));
    EXPECT_EQ(build.bytes(build.recv_block(0, 2, MPI_INT)), 8);
  }));
}

TEST(OwnBuilder, ADatatypeMayBeFreedAfterwards) {
  const OwnSchedule made = built([](Build& build) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    const Block block = build.recv_block(4, 1, column);
    EXPECT_EQ(block, build.recv_block(4, 1, column));
    EXPECT_EQ(build.bytes(block), 12);
    MPI_Type_free(&column);
    build.receive(0, block);
  });
  EXPECT_EQ(made.recv.begin, 4);
  EXPECT_EQ(made.recv.end, 4 + 2 * 16 + 4);
  EXPECT_EQ(tasks_of(made, TaskKind::receive).front().bytes, 12);
}

TEST(OwnBuilder, MessagesBetweenTwoRanksAreCounted) {
  const OwnSchedule made = built([](Build& build) {
    for (int i = 0; i < 3; ++i) build.send(2, build.send_block(i * 8, 8));
    build.send(3, build.send_block(0, 8));
    build.receive(2, build.recv_block(0, 8));
  });
  std::vector<std::uint32_t> tags;
  for (const Task& task : tasks_of(made, TaskKind::send)) tags.push_back(task.tag);
  EXPECT_EQ(tags, (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(tasks_of(made, TaskKind::receive).front().tag, 0U);
  EXPECT_EQ(made.schedule->tags(), 3U);
}

TEST(OwnBuilder, WhatHasNoBytesIsLeftOut) {
  const OwnSchedule made = built([](Build& build) {
    const Block nothing = build.recv_block(0, 0);
    const Block something = build.recv_block(0, 8);
    build.exchange(2, 2, build.send_block(0, 0), nothing);
    build.receive(3, {nothing, something});
    build.copy(nothing, build.transit(0));
    build.send(2, {nothing, something, build.send_block(4, 0)});
    build.send(3, std::vector<Block>{});
    build.set_reduction(0, MPI_INT, MPI_SUM);
    build.reduce(build.operand(), build.operand());
  });
  EXPECT_EQ(made.schedule->tasks().size(), 2U);
  EXPECT_EQ(tasks_of(made, TaskKind::send).front().tag, 0U);
}

TEST(OwnBuilder, NobodyIsAPartner) {
  const OwnSchedule made = built([](Build& build) {
    build.set_window(1);
    const Block block = build.recv_block(0, 8);
    build.exchange(MPI_PROC_NULL, 0, build.send_block(0, 8), block);
    build.exchange(2, MPI_PROC_NULL, block, build.recv_block(8, 8));
    build.exchange(MPI_PROC_NULL, build.send_block(0, 8), build.recv_block(8, 8));
  });
  EXPECT_EQ(made.schedule->messages().size(), 2U);
}

TEST(OwnBuilder, AnExchangeEndsAlsoWhereAHalfIsMissing) {
  expect_refused(MPI_ERR_ARG, {"outside an exchange"}, [](Build& build) {
    build.set_window(2);
    build.exchange(MPI_PROC_NULL, 2, build.send_block(0, 8), build.recv_block(0, 8));
    build.send(2, build.send_block(0, 8));
  });
}

TEST(OwnBuilder, RanksThatAreNot) {
  for (const int rank : {-5, 4}) {
    const std::string is = "is " + std::to_string(rank) + ", must be in [0, 4)";
    expect_refused(MPI_ERR_RANK, {"target: ", is.c_str()},
                   [&](Build& build) { build.send(rank, build.send_block(0, 1)); });
    expect_refused(MPI_ERR_RANK, {"source: ", is.c_str()},
                   [&](Build& build) { build.receive(rank, build.recv_block(0, 1)); });
    expect_refused(MPI_ERR_RANK, {"target: "}, [&](Build& build) { build.send(rank, build.send_block(0, 0)); });
  }
}

TEST(OwnBuilder, BlocksThatAreNot) {
  expect_refused(MPI_ERR_COUNT, {"bytes: is -1, must be at least 0"},
                 [](Build& build) { return build.send_block(0, -1); });
  expect_refused(MPI_ERR_COUNT, {"bytes: is -1"}, [](Build& build) { return build.transit(-1); });
  expect_refused(MPI_ERR_COUNT, {"bytes: is -1"}, [](Build& build) { return build.reserve_scratch(-1); });
  expect_refused(MPI_ERR_COUNT, {"count: is -2"}, [](Build& build) { return build.send_block(0, -2, MPI_INT); });
  expect_refused(MPI_ERR_COUNT, {"fewer than 2^56 bytes"},
                 [](Build& build) { return build.recv_block(0, std::int64_t{1} << 55U, MPI_DOUBLE); });
  expect_refused(MPI_ERR_ARG, {"offset: is"}, [](Build& build) { return build.recv_block(std::int64_t{1} << 60U, 1); });
  expect_refused(MPI_ERR_TYPE, {"type: is MPI_DATATYPE_NULL"},
                 [](Build& build) { return build.send_block(0, 1, MPI_DATATYPE_NULL); });
  expect_refused(MPI_ERR_ARG, {"send: is no block of this builder, which has 1"}, [](Build& build) {
    static_cast<void>(build.send_block(0, 8));
    build.send(0, Block());
  });
  expect_refused(MPI_ERR_ARG, {"8 bytes at 60 of scratch memory, which was not reserved"}, [](Build& build) {
    EXPECT_EQ(build.reserve_scratch(64), 0);
    static_cast<void>(build.scratch_block(56, 8));
    static_cast<void>(build.scratch_block(60, 8));
  });
}

TEST(OwnBuilder, BlocksThatShareBytes) {
  expect_refused(MPI_ERR_ARG,
                 {"8 bytes of the receive buffer at 0", "8 bytes of the receive buffer at 4", "share 4 bytes at 4"},
                 [](Build& build) {
                   build.receive(0, build.recv_block(0, 8));
                   build.receive(0, build.recv_block(4, 8));
                 });
  expect_refused(MPI_ERR_ARG, {"scratch memory", "share"}, [](Build& build) {
    const std::int64_t at = build.reserve_scratch(16);
    build.receive(0, build.scratch_block(at, 16));
    build.receive(0, build.scratch_block(at + 8, 8));
  });
  EXPECT_NO_THROW(static_cast<void>(built([](Build& build) {
    build.send(0, build.send_block(0, 8));
    build.send(0, build.send_block(4, 8));
  })));
}

TEST(OwnBuilder, WhatNothingWrote) {
  expect_refused(MPI_ERR_ARG, {"send: ", "read before anything wrote it", "8 bytes of the receive buffer at 16"},
                 [](Build& build) { build.send(0, build.recv_block(16, 8)); });
  expect_refused(MPI_ERR_ARG, {"receive: ", "written twice"}, [](Build& build) {
    build.receive(0, build.recv_block(0, 8));
    build.receive(0, build.recv_block(0, 8));
  });
  expect_refused(MPI_ERR_ARG, {"receive: ", "belongs to the user"},
                 [](Build& build) { build.receive(0, build.send_block(0, 8)); });
}

TEST(OwnBuilder, Copies) {
  expect_refused(MPI_ERR_ARG,
                 {"8 bytes of the send buffer at 0", "4 bytes of the receive buffer at 0", "as many bytes"},
                 [](Build& build) { build.copy(build.send_block(0, 8), build.recv_block(0, 4)); });
  expect_refused(MPI_ERR_ARG, {"of 2 blocks to 1"}, [](Build& build) {
    build.copy({build.send_block(0, 8), build.send_block(8, 8)}, build.recv_block(0, 8));
  });
}

/// Blocks may be cut differently at both ends. What no copy can be stays a message.
TEST(OwnBuilder, AnExchangeWithOneselfIsACopy) {
  const OwnSchedule made = built([](Build& build) {
    build.exchange(1, {build.send_block(0, 8), build.send_block(16, 4)},
                   {build.recv_block(0, 6), build.recv_block(8, 6), build.recv_block(20, 0)});
  });
  EXPECT_TRUE(made.schedule->messages().empty());
  ASSERT_EQ(tasks_of(made, TaskKind::copy).size(), 1U);
  EXPECT_EQ(tasks_of(made, TaskKind::copy)[0].bytes, 12);
  const auto messages_of = [](const Body& body) { return built(body).schedule->messages().size(); };
  EXPECT_EQ(messages_of([](Build& build) { build.exchange(1, build.send_block(0, 8), build.recv_block(0, 4)); }), 2U);
  EXPECT_EQ(messages_of([](Build& build) {
              const Block passing = build.transit(4);
              build.copy(build.send_block(0, 4), passing);
              build.exchange(1, {build.send_block(0, 4), passing}, build.recv_block(0, 8));
            }),
            2U);
  EXPECT_EQ(messages_of([](Build& build) {
              build.send(1, build.send_block(0, 4));
              build.exchange(1, build.send_block(4, 4), build.recv_block(0, 4));
              build.receive(1, build.recv_block(4, 4));
            }),
            4U);
}

TEST(OwnBuilder, Reductions) {
  expect_refused(MPI_ERR_ARG, {"operand: ", "set_reduction() comes first"},
                 [](Build& build) { static_cast<void>(build.operand()); });
  expect_refused(MPI_ERR_OP, {"op: is MPI_OP_NULL"},
                 [](Build& build) { build.set_reduction(1, MPI_INT, MPI_OP_NULL); });
  expect_refused(MPI_ERR_OP, {"MPI_BAND", "MPI_DOUBLE"},
                 [](Build& build) { build.set_reduction(1, MPI_DOUBLE, MPI_BAND); });
  expect_refused(MPI_ERR_COUNT, {"count: is -1"}, [](Build& build) { build.set_reduction(-1, MPI_INT, MPI_SUM); });
  const OwnSchedule made = built([](Build& build) {
    for (const int count : {1, 2, 1, 2}) build.set_reduction(count, MPI_INT, MPI_SUM);
    EXPECT_EQ(build.bytes(build.operand()), 8);
    build.set_reduction(2, MPI_INT, MPI_MAX);
    build.set_reduction(1, MPI_INT, MPI_SUM);
    EXPECT_EQ(build.bytes(build.operand()), 4);
  });
  EXPECT_EQ(made.schedule->reductions().size(), 3U);
  expect_refused(MPI_ERR_ARG, {"more than 256 reductions"}, [](Build& build) {
    for (int count = 1; count < 300; ++count) build.set_reduction(count, MPI_INT, MPI_SUM);
  });
  expect_refused(MPI_ERR_ARG, {"not an operand", "16 bytes of the receive buffer"}, [](Build& build) {
    build.set_reduction(2, MPI_INT, MPI_SUM);
    const Block arriving = build.operand();
    build.receive(0, {arriving, build.recv_block(0, 16)});
    build.reduce(arriving, build.recv_block(0, 16));
  });
}

TEST(OwnBuilder, InPlace) {
  const OwnSchedule made = built([](Build& build) {
    build.set_in_place();
    const Block own = build.recv_block(0, 8);
    build.set_filled(own);
    build.exchange(2, own, build.recv_block(8, 8));
  });
  EXPECT_TRUE(made.schedule->in_place());
  // What is there from the start waits for nobody but the operand.
  const OwnSchedule sum = built([](Build& build) {
    build.set_in_place();
    build.set_reduction(1, MPI_INT, MPI_SUM);
    const Block own = build.recv_block(0, 1, MPI_INT);
    build.set_filled(own);
    const Block arriving = build.operand();
    build.receive(2, arriving);
    build.reduce(arriving, own);
  });
  const auto degrees = sum.schedule->in_degrees();
  ASSERT_EQ(degrees.size(), 2U);
  EXPECT_EQ(degrees[1], 1U);
  expect_refused(MPI_ERR_ARG, {"set_in_place", "call it first"}, [](Build& build) {
    static_cast<void>(build.send_block(0, 8));
    build.set_in_place();
  });
  expect_refused(MPI_ERR_ARG, {"send_block", "set_in_place()"}, [](Build& build) {
    build.set_in_place();
    static_cast<void>(build.send_block(0, 8));
  });
  expect_refused(MPI_ERR_ARG, {"set_filled", "not in place"},
                 [](Build& build) { build.set_filled(build.recv_block(0, 8)); });
}

TEST(OwnBuilder, WindowsAndBatches) {
  expect_refused(MPI_ERR_ARG, {"exchanges: is 0, must be at least 1"}, [](Build& build) { build.set_window(0); });
  expect_refused(MPI_ERR_ARG, {"exchanges: is -3"}, [](Build& build) { build.set_batches(-3); });
  expect_refused(MPI_ERR_ARG, {"end_batch", "set_batches() comes first"}, [](Build& build) { build.end_batch(); });
  expect_refused(MPI_ERR_ARG, {"set_window", "too late"}, [](Build& build) {
    build.send(0, build.send_block(0, 8));
    build.set_window(1);
  });
}

TEST(OwnBuilder, WhatALoweringThrows) {
  OwnBuilder own = builder_of(0, 1);
  EXPECT_THROW(lower_own([](Build&, int, int) { throw std::runtime_error("no idea"); }, own), std::runtime_error);
  EXPECT_THROW(lower_own({}, own), Error);
}

TEST(OwnBuilder, IsDrawnWithoutARun) {
  const Lowering lower = [](Build& build, int rank, int size) {
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 8), build.recv_block(0, 8));
  };
  const std::string text = rondo::to_dot(lower, 1, 4);
  for (const char* words : {"digraph", "rank 1 of 4", "send to 2", "receive from 0"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
  EXPECT_THROW(static_cast<void>(rondo::to_dot(lower, 4, 4)), Error);
  EXPECT_THROW(static_cast<void>(rondo::to_dot(lower, -1, 4)), Error);
}

/// Each rank sends to all the others, a block of its own to each, in any order of partners.
OwnSchedule all_to_all(int rank, int size, int bytes_of_rank_0) {
  OwnBuilder own = builder_of(rank, size);
  lower_own(
      [&](Build& build, int, int) {
        for (int shift = 1; shift < size; ++shift) {
          const int target = (rank + shift) % size;
          const int source = (rank + size - shift) % size;
          build.exchange(target, source, build.send_block(target * 8, rank == 0 ? bytes_of_rank_0 : 8),
                         build.recv_block(source * 8, 8));
        }
      },
      own);
  return std::move(own).build(1);
}

TEST(OwnBuilder, MessagesBalanceWhereTheyMatch) {
  for (const int size : {1, 2, 5}) {
    std::uint64_t right = 0;
    std::uint64_t wrong = 0;
    for (int rank = 0; rank < size; ++rank) {
      right += message_balance(*all_to_all(rank, size, 8).schedule, rank);
      wrong += message_balance(*all_to_all(rank, size, 4).schedule, rank);
    }
    EXPECT_EQ(right, 0U);
    EXPECT_EQ(wrong == 0, size == 1);
  }
}

TEST(OwnBuilder, Buffers) {
  const OwnSchedule made = all_to_all(0, 2, 8);  // sends bytes [8, 16), receives [8, 16)
  std::vector<std::byte> memory(64);
  const auto expect_wrong = [&](const OwnBuffer& send, const OwnBuffer& recv, const char* words) {
    try {
      check_own_buffers(made, send, recv);
      ADD_FAILURE() << "accepted, instead of: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_BUFFER);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  check_own_buffers(made, {memory.data(), 16}, {memory.data() + 16, 16});
  check_own_buffers(made, {memory.data(), -1}, {memory.data() + 8, -1});
  expect_wrong({nullptr, 16}, {memory.data(), 16}, "send: is null, must point to 16 bytes");
  expect_wrong({memory.data(), 16}, {nullptr, -1}, "recv: is null, must point to 16 bytes");
  expect_wrong({memory.data(), 15}, {memory.data() + 16, 16}, "send: has 15 bytes, must have at least 16");
  expect_wrong({memory.data(), 16}, {memory.data() + 4, 16}, "4 bytes at recv + 8 are both sent and received");
  expect_wrong({MPI_IN_PLACE, -1}, {memory.data(), 16}, "does not set_in_place()");
}

TEST(OwnBuilder, HandsOnFunctions) {
  const OwnSchedule made = built([](Build& build) {
    const Block own = build.send_block(0, 4);
    const Block nothing = build.recv_block(0, 0);
    build.compute({own, nothing}, {nothing, build.recv_block(8, 8)}, [](const ComputeBlocks&) {});
    build.compute(
        {}, build.transit(4), [](const ComputeBlocks&) {}, "last");
  });
  ASSERT_EQ(tasks_of(made, TaskKind::compute).size(), 2U);
  const Computation& first = *made.schedule->computations()[0];
  EXPECT_EQ(first.name, "function");
  EXPECT_EQ(first.reads, 2U);
  EXPECT_EQ(first.writes(), 2U);
  EXPECT_EQ(made.schedule->computations()[1]->name, "last");
  EXPECT_EQ(made.schedule->computations()[1]->writes(), 1U);
}

TEST(OwnBuilder, RefusesFunctionsThatCannotBe) {
  const ComputeFunction function = [](const ComputeBlocks&) {};
  expect_refused(MPI_ERR_ARG, {"compute: function: is empty"},
                 [](Build& build) { build.compute(build.send_block(0, 4), {}, ComputeFunction()); });
  expect_refused(MPI_ERR_ARG, {"compute: reads and writes: are both empty, must name a block"},
                 [&](Build& build) { build.compute({}, {}, function); });
  expect_refused(MPI_ERR_ARG, {"compute: is no block of this builder, which has 0 of them"},
                 [&](Build& build) { build.compute(Block(), {}, function); });
  expect_refused(MPI_ERR_ARG, {"compute: ", "read before anything wrote it", "4 bytes of the receive buffer at 8"},
                 [&](Build& build) { build.compute(build.recv_block(8, 4), {}, function); });
  expect_refused(MPI_ERR_ARG, {"compute: ", "belongs to the user", "4 bytes of the send buffer at 0"},
                 [&](Build& build) { build.compute({}, build.send_block(0, 4), function); });
}

}  // namespace
}  // namespace rondo::internal::own_builder_test
