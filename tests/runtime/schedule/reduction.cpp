// Reduce tasks: what they do with operands, what the builder makes of them, and how they run.
#include "runtime/schedule/reduction.hpp"

#include <gtest/gtest.h>

#include <rondo/error.hpp>
#include "tests/support/edges.hpp"

#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/expect_complaint.hpp"
#include "tests/support/large_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

/// The call of MPI_Reduce_local that fails, counted from now.
std::optional<int> failing_call;

}  // namespace

extern "C" int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  if (failing_call && (*failing_call)-- == 0) return MPI_ERR_OP;
  return PMPI_Reduce_local(in, inout, count, type, op);
}

namespace rondo::internal::reduction_test {
namespace {

std::shared_ptr<const Reduction> sum_of(int count) {
  return std::make_shared<const Reduction>(MPI_SUM, MPI_INT, count, flatten(MPI_INT));
}

/// Runs a schedule of one rank from one buffer to another.
std::unique_ptr<Execution> run(ScheduleBuilder&& builder, LoopbackNetwork& network, const void* send, void* recv) {
  auto execution = std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()),
                                               network.transport(0), MPI_COMM_NULL, 0);
  execution->bind(send, recv);
  execution->start();
  while (execution->active()) {
    for (const Completion& completion : network.transport(0).poll())
      execution->complete(completion.task, completion.code);
  }
  return execution;
}

TEST(Reduction, KnowsTheBytesOfAnOperand) {
  const auto three_ints = sum_of(3);
  EXPECT_EQ(three_ints->layout().size(), 12);
  EXPECT_TRUE(three_ints->layout().is_contiguous());
  EXPECT_EQ(three_ints->alignment(), 4);
  const Reduction pairs(MPI_MINLOC, MPI_DOUBLE_INT, 2, flatten(MPI_DOUBLE_INT));
  EXPECT_EQ(pairs.layout().size(), 24);
  EXPECT_EQ(pairs.layout().pieces(), 2);
  EXPECT_EQ(pairs.alignment(), 16);
}

/// The datatype that a user-defined operation was given.
MPI_Datatype given_type = MPI_DATATYPE_NULL;

TEST(Reduction, ADerivedDatatypeMayBeFreed) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype* type) {
        given_type = *type;
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Type_get_extent(*type, &lower, &extent);
        for (int i = 0; i < *length; ++i) {
          const MPI_Aint at = i * extent;
          int sum = 0;
          std::memcpy(&sum, static_cast<char*>(inout) + at, sizeof sum);
          int added = 0;
          std::memcpy(&added, static_cast<char*>(in) + at, sizeof added);
          sum += added;
          std::memcpy(static_cast<char*>(inout) + at, &sum, sizeof sum);
        }
      },
      1, &op);
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 12, &spread);
  MPI_Type_commit(&spread);
  const Reduction reduction(op, spread, 2, flatten(spread));
  const MPI_Datatype handle = spread;
  MPI_Type_free(&spread);
  MPI_Datatype other = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 16, &other);  // which must not get the handle
  const std::array source{1, 20, 30, 4};
  std::array target{10, 21, 31, 40};
  EXPECT_EQ(
      reduction.run(reinterpret_cast<const std::byte*>(source.data()), reinterpret_cast<std::byte*>(target.data())),
      MPI_SUCCESS);
  EXPECT_EQ(target, (std::array{11, 21, 31, 44})) << "the holes are not touched";
  EXPECT_EQ(given_type, handle) << "the operation must see the handle that its user has";
  MPI_Type_free(&other);
  MPI_Op_free(&op);
}

/// What a user-defined operation was called for, without touching it.
struct Visited {
  std::vector<std::pair<const char*, const char*>> places;
  std::vector<std::int64_t> lengths;
};
Visited visited;

/// MPI's counts are ints.
TEST(Reduction, GivesMpiMoreElementsThanAnIntCountsInParts) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        visited.places.emplace_back(static_cast<const char*>(in), static_cast<const char*>(inout));
        visited.lengths.push_back(*length);
      },
      1, &op);
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_BYTE, 0, 3, &spread);
  MPI_Type_commit(&spread);
  constexpr std::int64_t kCount = (std::int64_t{5} << 30) + 11;
  const SparseMemory source(3 * kCount);
  const SparseMemory target(3 * kCount);
  const Reduction reduction(op, spread, kCount, flatten(spread));
  EXPECT_EQ(reduction.layout().size(), kCount);
  const auto run = [&] {
    visited = {};
    return reduction.run(reinterpret_cast<const std::byte*>(source.data()),
                         reinterpret_cast<std::byte*>(target.data()));
  };
  ASSERT_EQ(run(), MPI_SUCCESS);
  std::int64_t done = 0;
  for (std::size_t i = 0; i < visited.lengths.size(); ++i) {
    EXPECT_EQ(visited.places[i].first - source.data(), 3 * done);
    EXPECT_EQ(visited.places[i].second - target.data(), 3 * done);
    done += visited.lengths[i];
  }
  EXPECT_EQ(done, kCount);
  failing_call = 1;
  EXPECT_EQ(run(), MPI_ERR_OP);
  EXPECT_EQ(visited.lengths.size(), 1U) << "nothing after the part that failed";
  failing_call.reset();
  MPI_Type_free(&spread);
  MPI_Op_free(&op);
}

TEST(ReduceTasks, ReadOneBlockAndUpdateTheOther) {
  ScheduleBuilder builder;
  const auto reduction = sum_of(2);
  builder.set_reduction(reduction);
  const BlockId own = builder.block(Space::send, 0, reduction->layout());
  const BlockId sum = builder.operand();
  const std::vector result{builder.block(Space::recv, 0, reduction->layout())};
  builder.copy({&own, 1}, {&sum, 1});  // 0
  builder.send(1, 0, {&sum, 1});       // 1
  const BlockId arriving = builder.operand();
  builder.receive(2, 0, {&arriving, 1});  // 2
  builder.reduce(arriving, sum);          // 3
  builder.reduce(own, sum);               // 4
  builder.receive(3, 1, {&arriving, 1});  // 5, and 6, as the block has its place by now
  builder.copy({&sum, 1}, result);        // 7
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 7U);
  EXPECT_EQ(edges_of(schedule), (Edges{{0, 1},  // what is sent was copied
                                       {1, 3},  // and is sent before it changes
                                       {2, 3},  // what is reduced has arrived
                                       {3, 4},  // program order
                                       {3, 5},  // what was reduced may be overwritten
                                       {4, 6}}));
  EXPECT_EQ(schedule.tasks()[3].kind, TaskKind::reduce);
  EXPECT_EQ(schedule.tasks()[3].bytes, 8);
  ASSERT_EQ(schedule.reductions().size(), 1U);
  EXPECT_EQ(&schedule.reduction(schedule.tasks()[3]), reduction.get());
}

TEST(ReduceTasks, PairsOfTheSameSpacesAreOneTask) {
  ScheduleBuilder builder;
  const auto reduction = sum_of(1);
  builder.set_reduction(reduction);
  const std::vector own{builder.block(Space::send, 0, 4), builder.block(Space::send, 4, 4),
                        builder.block(Space::send, 8, 4)};
  const std::vector sums{builder.block(Space::recv, 0, 4), builder.block(Space::recv, 4, 4)};
  const BlockId kept = builder.operand();
  builder.copy(std::span(own).first(2), sums);
  builder.copy(std::span(own).last(1), {&kept, 1});
  builder.reduce(std::vector{own[1], own[2], sums[0], kept}, std::vector{sums[0], sums[0], sums[1], sums[1]});
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 5U);
  EXPECT_EQ(schedule.operand_pairs(schedule.tasks()[2]).size(), 2U);
  EXPECT_EQ(edges_of(schedule), (Edges{{0, 2}, {0, 3}, {2, 3}, {1, 4}, {3, 4}}));
  EXPECT_EQ(schedule.tasks()[3].round, schedule.tasks()[2].round);
}

TEST(ReduceTasks, EachDoesWhatWasSetLast) {
  ScheduleBuilder builder;
  const auto longer = sum_of(3);
  const auto shorter = sum_of(2);
  const auto greatest = std::make_shared<const Reduction>(MPI_MAX, MPI_INT, 2, flatten(MPI_INT));
  const BlockId three = builder.block(Space::send, 0, 12);
  const BlockId two = builder.block(Space::send, 12, 8);
  builder.set_reduction(longer);
  const BlockId sum_of_three = builder.operand();
  builder.set_reduction(shorter);
  const BlockId of_two = builder.operand();
  builder.copy({&three, 1}, {&sum_of_three, 1});
  builder.copy({&two, 1}, {&of_two, 1});
  builder.reduce(two, of_two);
  builder.set_reduction(longer);
  builder.reduce(three, sum_of_three);
  builder.set_reduction(greatest);
  builder.reduce(two, of_two);  // as long as the operands of this one are
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 5U);
  EXPECT_EQ(schedule.reductions().size(), 3U);
  EXPECT_EQ(&schedule.reduction(schedule.tasks()[2]), shorter.get());
  EXPECT_EQ(schedule.tasks()[2].bytes, 8);
  EXPECT_EQ(&schedule.reduction(schedule.tasks()[3]), longer.get());
  EXPECT_EQ(schedule.tasks()[3].bytes, 12);
  EXPECT_EQ(&schedule.reduction(schedule.tasks()[4]), greatest.get());
}

TEST(ReduceTasks, OperandsStayWhereTheyArriveWhereTheyMay) {
  const auto scratch_of = [](const std::shared_ptr<const Reduction>& reduction) {
    ScheduleBuilder builder;
    builder.set_reduction(reduction);
    const std::vector arriving{builder.operand(), builder.operand()};
    builder.receive(1, 0, arriving);
    builder.reduce(arriving[0], arriving[1]);
    return std::move(builder).build();
  };
  const Schedule packed = scratch_of(sum_of(3));
  EXPECT_EQ(packed.tasks().size(), 2U);
  EXPECT_EQ(packed.scratch_bytes(), 24);
  // One double and one int are 12 bytes in a row, and a second double 12 bytes further would lie askew.
  const Schedule apart =
      scratch_of(std::make_shared<const Reduction>(MPI_MINLOC, MPI_DOUBLE_INT, 1, flatten(MPI_DOUBLE_INT)));
  EXPECT_EQ(apart.tasks().size(), 3U);
  EXPECT_EQ(apart.tasks().back().source_offset % 16, 0);
  EXPECT_EQ(apart.tasks().back().target_offset % 16, 0);
  const Schedule spread =
      scratch_of(std::make_shared<const Reduction>(MPI_MINLOC, MPI_DOUBLE_INT, 2, flatten(MPI_DOUBLE_INT)));
  EXPECT_EQ(spread.tasks().size(), 3U);
  EXPECT_EQ(spread.tasks().back().source_offset % 64, 0);
  EXPECT_EQ(spread.tasks().back().target_offset % 64, 0);
}

TEST(ReduceTasks, BuilderSaysWhatIsWrong) {
  const auto expect_complaint_beside_sum = [](const std::string& part, const auto& body) {
    expect_complaint(part, [&](ScheduleBuilder& it) {
      it.set_reduction(sum_of(2));
      body(it);
    });
  };
  const auto own = [](ScheduleBuilder& it) { return it.block(Space::send, 0, 8); };
  const auto written = [&](ScheduleBuilder& it) {
    const std::vector from{own(it)};
    const std::vector to{it.operand()};
    it.copy(from, to);
    return to.front();
  };
  expect_complaint("an operand without a reduction", [](ScheduleBuilder& it) { static_cast<void>(it.operand()); });
  expect_complaint("a reduce without a reduction", [&](ScheduleBuilder& it) { it.reduce(own(it), own(it)); });
  expect_complaint_beside_sum("a reduction that is null", [](ScheduleBuilder& it) { it.set_reduction(nullptr); });
  expect_complaint_beside_sum("is not an operand", [&](ScheduleBuilder& it) {
    const BlockId of_two = written(it);
    it.set_reduction(sum_of(1));
    it.reduce(it.block(Space::send, 0, 4), of_two);
  });
  expect_complaint("more than 256 reductions", [](ScheduleBuilder& it) {
    for (int count = 1; count <= 257; ++count) it.set_reduction(sum_of(count));
  });
  expect_complaint_beside_sum("a reduce without blocks", [](ScheduleBuilder& it) {
    it.reduce(std::span<const BlockId>{}, std::span<const BlockId>{});
  });
  expect_complaint_beside_sum("a reduce of 1 block into 2", [&](ScheduleBuilder& it) {
    it.reduce(std::vector{own(it)}, std::vector{written(it), written(it)});
  });
  expect_complaint_beside_sum("block 9 to reduce is out of range: there are",
                              [&](ScheduleBuilder& it) { it.reduce(BlockId{9}, written(it)); });
  expect_complaint_beside_sum("is reduced into, but it belongs to the user",
                              [&](ScheduleBuilder& it) { it.reduce(own(it), own(it)); });
  expect_complaint_beside_sum(" is reduced into before anything wrote it",
                              [&](ScheduleBuilder& it) { it.reduce(own(it), it.block(Space::recv, 0, 8)); });
  expect_complaint_beside_sum("scratch block 2 is read before anything wrote it", [&](ScheduleBuilder& it) {
    const BlockId into = written(it);
    it.reduce(it.operand(), into);
  });
  expect_complaint_beside_sum("is reduced into itself", [&](ScheduleBuilder& it) {
    const BlockId block = written(it);
    it.reduce(block, block);
  });
  expect_complaint_beside_sum("block 2 is not an operand", [&](ScheduleBuilder& it) {
    const BlockId into = written(it);
    it.reduce(it.block(Space::send, 0, 4), into);
  });
  expect_complaint_beside_sum("is not an operand", [&](ScheduleBuilder& it) {
    const std::vector from{own(it)};
    const std::vector through{it.transit(8)};
    it.copy(from, through);
    it.reduce(from.front(), through.front());
  });
  expect_complaint_beside_sum("is read and written by one task", [&](ScheduleBuilder& it) {
    const std::vector block{written(it)};
    it.copy(block, block);
  });
  ScheduleBuilder empty;
  empty.set_reduction(sum_of(0));
  EXPECT_THROW(empty.reduce(empty.block(Space::send, 0, 0), empty.operand()), Error);
}

TEST(ReduceTasks, RunInProgramOrderAgainAndAgain) {
  // Not associative: a wrong order is seen.
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        for (int i = 0; i < *length; ++i) {
          int& result = static_cast<int*>(inout)[i];
          result = 3 * (result + static_cast<const int*>(in)[i]) + 1;
        }
      },
      1, &op);
  const auto f = [](int a, int b) { return 3 * (a + b) + 1; };
  ScheduleBuilder builder;
  const auto reduction = std::make_shared<const Reduction>(op, MPI_INT, 2, flatten(MPI_INT));
  builder.set_reduction(reduction);
  std::vector<BlockId> own;
  for (int i = 0; i < 4; ++i) own.push_back(builder.block(Space::send, 8 * i, reduction->layout()));
  const std::vector result{builder.block(Space::recv, 0, reduction->layout())};
  const std::vector arrived{builder.operand(), builder.operand()};
  builder.copy(std::span(own).first(1), result);
  builder.exchange(0, 0, 0, std::span(own).subspan(1, 2), arrived);
  builder.reduce(arrived, std::vector{result[0], result[0]});
  builder.reduce(own[3], result[0]);
  const auto schedule = std::make_shared<const Schedule>(std::move(builder).build());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    LoopbackNetwork network(1, seed);
    Execution execution(schedule, network.transport(0), MPI_COMM_NULL, 0);
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::array<int, 8> send{};
      for (int i = 0; i < 8; ++i) send[static_cast<std::size_t>(i)] = 100 * repetition + i;
      std::array<int, 2> recv{};
      execution.bind(send.data(), recv.data());
      execution.start();
      while (execution.active()) {
        for (const Completion& it : network.transport(0).poll()) execution.complete(it.task, it.code);
      }
      EXPECT_EQ(recv[0], f(f(f(send[0], send[2]), send[4]), send[6]));
      EXPECT_EQ(recv[1], f(f(f(send[1], send[3]), send[5]), send[7]));
    }
  }
  MPI_Op_free(&op);
}

/// Elements with holes, before their address, in all three forms of messages and from every space to every space.
TEST(ReduceTasks, OperandsWithHoles) {
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> places{-8, 4};
  MPI_Type_create_hindexed(2, lengths.data(), places.data(), MPI_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        for (int i = 0; i < *length; ++i) {
          for (const int place : {-2, 1})
            static_cast<int*>(inout)[4 * i + place] += static_cast<int*>(in)[4 * i + place];
        }
      },
      1, &op);
  for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    SCOPED_TRACE(static_cast<int>(form));
    ScheduleBuilder builder(Ordering::dependencies, form);
    const auto reduction = std::make_shared<const Reduction>(op, spread, 2, flatten(spread));
    builder.set_reduction(reduction);
    const std::vector own{builder.block(Space::send, 8, reduction->layout()),
                          builder.block(Space::send, 48, reduction->layout())};
    const std::vector result{builder.block(Space::recv, 8, reduction->layout()),
                             builder.block(Space::recv, 48, reduction->layout())};
    const std::vector arrived{builder.operand(), builder.operand()};
    const std::vector copied{builder.operand()};
    builder.exchange(0, 0, 0, own, arrived);                              // 1, 2
    builder.copy(std::span(arrived).first(1), copied);                    // copied = 1
    builder.reduce(arrived[1], copied[0]);                                // copied = 1 + 2
    builder.copy(copied, std::span(result).first(1));                     // result 0 = 1 + 2
    builder.copy(std::span(result).first(1), std::span(result).last(1));  // result 1 = 1 + 2
    builder.reduce(result[0], copied[0]);                                 // copied = 2*1 + 2*2
    builder.exchange(0, 0, 1, copied, std::span(arrived).first(1));       // a block that has its place by now
    builder.reduce(std::vector{arrived[0], own[0]}, std::vector{result[1], result[1]});  // result 1 = 4*1 + 3*2
    LoopbackNetwork network(1, 1);
    std::array<int, 20> send{};
    for (int i = 0; i < 20; ++i) send[static_cast<std::size_t>(i)] = 1 << i;
    std::array<int, 20> recv{};
    recv.fill(-1);
    const auto execution = run(std::move(builder), network, send.data(), recv.data());
    EXPECT_EQ(execution->describe_failure(), "");
    for (int i = 0; i < 20; ++i) {
      const int place = i % 10;
      const bool data = place == 0 || place == 3 || place == 4 || place == 7;
      const int one = 1 << place;
      const int two = 1 << (place + 10);
      const int sum = i < 10 ? one + two : 4 * one + 3 * two;
      EXPECT_EQ(recv[static_cast<std::size_t>(i)], data ? sum : -1) << i;
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&spread);
}

/// An int and the bytes that fill a struct up.
struct Filled {
  int value;
  std::array<int, 2> filling;
};

/// Operations assign structs as wholes, as in C++ they do.
TEST(ReduceTasks, OperandsHaveRoomForWholeElements) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, sizeof(Filled), &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        for (int i = 0; i < *length; ++i) {
          const int sum = static_cast<Filled*>(inout)[i].value + static_cast<const Filled*>(in)[i].value;
          static_cast<Filled*>(inout)[i] = {sum, {-7, -7}};
        }
      },
      1, &op);
  for (const int count : {1, 2}) {
    ScheduleBuilder builder;
    const auto reduction = std::make_shared<const Reduction>(op, type, count, flatten(type));
    builder.set_reduction(reduction);
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(Filled));
    std::vector<BlockId> own;
    std::vector<BlockId> result;
    for (int i = 0; i < 3; ++i) {
      own.push_back(builder.block(Space::send, i * bytes, reduction->layout()));
      result.push_back(builder.block(Space::recv, i * bytes, reduction->layout()));
    }
    const std::vector arrived{builder.operand(), builder.operand(), builder.operand()};
    builder.exchange(0, 0, 0, own, arrived);
    for (std::size_t i = 0; i < 3; ++i) builder.reduce(own[i], arrived[i]);
    builder.copy(arrived, result);
    std::vector<Filled> send(static_cast<std::size_t>(3 * count));
    for (std::size_t i = 0; i < send.size(); ++i) send[i] = {static_cast<int>(i) + 1, {-1, -1}};
    std::vector<Filled> recv(send.size(), Filled{0, {-2, -2}});
    LoopbackNetwork network(1, 1);
    const auto execution = run(std::move(builder), network, send.data(), recv.data());
    EXPECT_GE(execution->schedule().scratch_bytes(), 3 * bytes);
    for (std::size_t i = 0; i < recv.size(); ++i) {
      EXPECT_EQ(recv[i].value, 2 * send[i].value) << i;
      EXPECT_EQ(recv[i].filling, (std::array{-2, -2})) << i;
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

TEST(ReduceTasks, AFailureIsToldAndNothingIsReducedAfterIt) {
  for (int good = 0; good < 4; ++good) {
    ScheduleBuilder builder;
    const auto reduction = sum_of(1);
    builder.set_reduction(reduction);
    const BlockId own = builder.block(Space::send, 0, 4);
    const std::vector result{builder.block(Space::recv, 0, 4)};
    const std::vector arrived{builder.operand()};
    builder.copy({&own, 1}, result);
    builder.reduce(own, result[0]);
    builder.reduce(std::vector{own, own}, std::vector{result[0], result[0]});
    builder.exchange(0, 0, 0, result, arrived);
    builder.reduce(arrived[0], result[0]);
    LoopbackNetwork network(1, 1);
    const int send = 1;
    int recv = 0;
    failing_call = good;
    const auto execution = run(std::move(builder), network, &send, &recv);
    failing_call.reset();
    ASSERT_TRUE(execution->failure().has_value());
    EXPECT_EQ(execution->failure()->code, MPI_ERR_OP);
    EXPECT_EQ(execution->failure_class(), MPI_ERR_OP);
    EXPECT_EQ(recv, 1 + good);
    EXPECT_NE(execution->describe_failure().find("reduce (task"), std::string::npos) << execution->describe_failure();
    EXPECT_TRUE(execution->usable());
    execution->start();
    while (execution->active()) {
      for (const Completion& it : network.transport(0).poll()) execution->complete(it.task, it.code);
    }
    EXPECT_FALSE(execution->failure().has_value());
    EXPECT_EQ(recv, 8);
  }
}

}  // namespace
}  // namespace rondo::internal::reduction_test
