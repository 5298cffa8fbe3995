// Which blocks an operation is done with: precisely on small schedules, and for every algorithm against the bytes.
#include "runtime/execution/block_watch.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/allgather_case.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/halo_case.hpp"
#include "tests/support/cases/reduction_case.hpp"
#include "tests/support/cases/simulation.hpp"

#include <string>
#include <vector>

namespace rondo::internal::block_watch_test {
namespace {

UserBlock bytes_at(std::int64_t offset, std::int64_t bytes) { return {offset, Layout::contiguous(bytes)}; }

/// Every second of `count` bytes.
UserBlock combed(std::int64_t offset, std::int64_t count) {
  UserBlock block{offset, {}};
  block.layout.append({0, 1, count, 2});
  return block;
}

UserBlocks blocks_of(std::vector<UserBlock> received, std::vector<UserBlock> sent) {
  const auto list = [](std::vector<UserBlock> blocks) {
    return [blocks = std::move(blocks)](int i) { return blocks.at(static_cast<std::size_t>(i)); };
  };
  const auto count = [](const std::vector<UserBlock>& blocks) { return static_cast<int>(blocks.size()); };
  return {count(received), count(sent), list(received), list(sent)};
}

bool arrived(const BlockWatch& watch, int block) { return watch.is_done(BlockSide::received, block); }
bool sent(const BlockWatch& watch, int block) { return watch.is_done(BlockSide::sent, block); }

/// The number of the only task of a kind with a peer.
TaskId task_of(const Schedule& schedule, TaskKind kind, int peer) {
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    if (schedule.tasks()[id].kind == kind && schedule.tasks()[id].peer == peer) return id;
  }
  return kNoTask;
}

/// Two blocks are exchanged with two neighbors.
Schedule two_neighbors() {
  ScheduleBuilder builder;
  for (int i = 0; i < 2; ++i) {
    const BlockId outgoing = builder.block(Space::send, 8 * i, 8);
    const BlockId incoming = builder.block(Space::recv, 8 * i, 8);
    builder.send(1 + i, 0, {&outgoing, 1});
    builder.receive(1 + i, 0, {&incoming, 1});
  }
  return std::move(builder).build();
}

TEST(BlockWatch, ABlockIsThereWithItsOwnTasks) {
  const Schedule schedule = two_neighbors();
  BlockWatch watch(schedule,
                   blocks_of({bytes_at(0, 8), bytes_at(8, 8), bytes_at(16, 8)}, {bytes_at(0, 8), bytes_at(8, 8)}));
  EXPECT_FALSE(arrived(watch, 0));
  EXPECT_TRUE(arrived(watch, 2)) << "nobody writes it";
  watch.complete(task_of(schedule, TaskKind::receive, 2));
  EXPECT_FALSE(arrived(watch, 0));
  EXPECT_TRUE(arrived(watch, 1));
  EXPECT_FALSE(sent(watch, 1));
  watch.complete(task_of(schedule, TaskKind::send, 1));
  EXPECT_TRUE(sent(watch, 0));
  EXPECT_FALSE(sent(watch, 1));
  EXPECT_EQ(watch.claim(), 2) << "in the order of arrival";
  EXPECT_EQ(watch.claim(), 1);
  EXPECT_EQ(watch.claim(), std::nullopt);
  EXPECT_FALSE(watch.all_claimed());
  watch.end();
  EXPECT_TRUE(arrived(watch, 0));
  EXPECT_TRUE(sent(watch, 1));
  EXPECT_EQ(watch.claim(), 0);
  EXPECT_TRUE(watch.all_claimed());
  watch.begin();
  EXPECT_FALSE(arrived(watch, 1));
  EXPECT_FALSE(sent(watch, 0));
  EXPECT_EQ(watch.claim(), 2);
  EXPECT_EQ(watch.claim(), std::nullopt);
}

TEST(BlockWatch, ABlockOfManyTasksWaitsForAll) {
  const Schedule schedule = two_neighbors();
  BlockWatch watch(schedule, blocks_of({bytes_at(4, 8), bytes_at(7, 1), bytes_at(0, 0)}, {bytes_at(0, 16)}));
  EXPECT_TRUE(arrived(watch, 2)) << "no bytes";
  watch.complete(task_of(schedule, TaskKind::receive, 1));
  EXPECT_FALSE(arrived(watch, 0));
  EXPECT_TRUE(arrived(watch, 1));
  watch.complete(task_of(schedule, TaskKind::receive, 2));
  EXPECT_TRUE(arrived(watch, 0));
  watch.complete(task_of(schedule, TaskKind::send, 2));
  EXPECT_FALSE(sent(watch, 0));
  watch.complete(task_of(schedule, TaskKind::send, 1));
  EXPECT_TRUE(sent(watch, 0));
}

/// Bytes that lie between each other's are not confused, even where all of a block's are between another's.
TEST(BlockWatch, InterleavedBlocksAreApart) {
  const Layout comb = combed(0, 8).layout;
  for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
    ScheduleBuilder builder(Ordering::dependencies, form);
    const BlockId even = builder.block(Space::recv, 0, comb);
    const BlockId odd = builder.block(Space::recv, 1, comb);
    const BlockId even_sent = builder.block(Space::send, 0, comb);
    const BlockId odd_sent = builder.block(Space::send, 1, comb);
    builder.copy({&even_sent, 1}, {&even, 1});
    builder.copy({&odd_sent, 1}, {&odd, 1});
    const Schedule schedule = std::move(builder).build();
    ASSERT_EQ(schedule.tasks().size(), 2U);
    BlockWatch watch(
        schedule, blocks_of({combed(0, 8), combed(1, 8), bytes_at(3, 1), combed(20, 3)}, {combed(1, 8), combed(0, 8)}));
    EXPECT_TRUE(arrived(watch, 3)) << "beyond both";
    watch.complete(1);
    EXPECT_FALSE(arrived(watch, 0));
    EXPECT_TRUE(arrived(watch, 1));
    EXPECT_TRUE(arrived(watch, 2));
    EXPECT_TRUE(sent(watch, 0));
    EXPECT_FALSE(sent(watch, 1));
  }
}

TEST(BlockWatch, BegunAmidItFindsWhatIsComplete) {
  ScheduleBuilder builder;
  const BlockId outgoing = builder.block(Space::send, 0, 8);
  const BlockId first = builder.block(Space::recv, 0, 8);
  const BlockId second = builder.block(Space::recv, 8, 8);
  const BlockId third = builder.block(Space::recv, 16, 8);
  builder.receive(1, 0, {&first, 1});
  builder.copy({&first, 1}, {&second, 1});
  builder.send(2, 0, {&second, 1});
  builder.copy({&outgoing, 1}, {&third, 1});
  const Schedule schedule = std::move(builder).build();
  const UserBlocks blocks = blocks_of({bytes_at(0, 8), bytes_at(8, 8), bytes_at(16, 8)}, {bytes_at(0, 8)});
  BlockWatch watch(schedule, blocks);
  const TaskId receive = task_of(schedule, TaskKind::receive, 1);
  watch.begin_amid(schedule, {&receive, 1});
  EXPECT_FALSE(arrived(watch, 0));
  EXPECT_FALSE(arrived(watch, 1)) << "it depends on what is in flight";
  EXPECT_TRUE(arrived(watch, 2));
  EXPECT_TRUE(sent(watch, 0));
  EXPECT_EQ(watch.claim(), 2);
  EXPECT_EQ(watch.claim(), std::nullopt);
  const TaskId send = task_of(schedule, TaskKind::send, 2);
  watch.begin_amid(schedule, {&send, 1});
  for (int block = 0; block < 3; ++block) {
    EXPECT_TRUE(arrived(watch, block));
    EXPECT_EQ(watch.claim(), block);
  }
  EXPECT_TRUE(watch.all_claimed());
}

/// In place a block is sent when what arrives in it is there, too: before, it is not the user's.
TEST(BlockWatch, InPlaceNothingIsLeftThatTouchesASentBlock) {
  ScheduleBuilder builder;
  builder.set_in_place();
  const BlockId block = builder.block(Space::recv, 0, 8);
  builder.set_filled(block);
  const BlockId aside = builder.transit(8);
  builder.copy({&block, 1}, {&aside, 1});
  builder.send(1, 0, {&aside, 1});
  builder.receive(1, 0, {&block, 1});
  const Schedule schedule = std::move(builder).build();
  BlockWatch watch(schedule, blocks_of({bytes_at(0, 8)}, {bytes_at(0, 8)}));
  watch.complete(0);
  EXPECT_FALSE(sent(watch, 0));
  watch.complete(task_of(schedule, TaskKind::receive, 1));
  EXPECT_TRUE(arrived(watch, 0));
  EXPECT_TRUE(sent(watch, 0)) << "the message has left from a copy";
}

/// Runs every case of a test under several adversaries. Who looks at its blocks reads what has arrived, and overwrites
/// what was sent.
class BlocksOnVirtualRanks : public ::testing::Test {
 protected:
  void expect_right(const CollectiveCase& collective) {
    if (HasFatalFailure()) return;
    for (int i = 0; i < 2; ++i) {
      Simulation simulation({&collective, 1}, ++seed_, 3);
      simulation.watch_blocks();
      ASSERT_EQ(simulation.run(), "");
    }
  }
  [[nodiscard]] auto expectation() {
    return [this](const CollectiveCase& collective) { expect_right(collective); };
  }

 private:
  std::uint64_t seed_ = 0;
};

struct Place {
  std::vector<int> sizes;
  std::vector<int> periods;
  Neighborhood neighborhood;
};

std::vector<Place> places() {
  return {{{1}, {1}, moore(1, 2)},        {{5}, {1}, moore(1, 2)},       {{4}, {0}, box(1, 4, -1)},
          {{3, 3}, {1, 1}, moore(2, 1)},  {{2, 2}, {1, 1}, moore(2, 1)}, {{3, 4}, {0, 1}, moore(2, 1)},
          {{2, 3}, {1, 1}, box(2, 3, 0)}, {{3, 1}, {0, 0}, moore(2, 1)}, {{2, 3, 2}, {1, 1, 0}, von_neumann(3, 1)}};
}

TEST_F(BlocksOnVirtualRanks, Alltoalls) {
  std::uint64_t seed = 0;
  for (const Place& place : places()) {
    AlltoallCase given{.sizes = place.sizes, .neighborhood = place.neighborhood, .periods = place.periods, .bytes = {}};
    given.bytes = [](int, int i) { return std::int64_t{i % 4 * 9}; };
    for_each_alltoall(given, true, seed, expectation());
    given.bytes = [](int rank, int i) { return std::int64_t{(rank + i) % 4 * 7}; };
    for_each_alltoall(given, false, ++seed, expectation());
  }
}

TEST_F(BlocksOnVirtualRanks, Allgathers) {
  std::uint64_t seed = 0;
  for (const Place& place : places()) {
    for (const KnownSizes known : {KnownSizes::one_for_all, KnownSizes::by_rank, KnownSizes::none}) {
      const bool same = known == KnownSizes::one_for_all;
      const auto bytes = [same](int rank) { return std::int64_t{same ? 9 : rank % 3 * 11}; };
      for_each_allgather({place.sizes, place.periods, place.neighborhood, bytes, known}, seed++, expectation());
    }
  }
}

TEST_F(BlocksOnVirtualRanks, Reductions) {
  for (const Place& place : places()) {
    for (const reduction::Kind kind : {reduction::Kind::reduce, reduction::Kind::scatter_reduce}) {
      for (const bool with_holes : {false, true}) {
        ReductionCase given{.sizes = place.sizes, .periods = place.periods, .neighborhood = place.neighborhood};
        given.kind = kind;
        given.reduction = byte_reduction(byte_fold(), with_holes);
        given.foreign = with_holes;
        if (with_holes) given.nodes = test::some_nodes(Grid(place.sizes, 0).size(), 1);
        for_each_plan(given, byte_fold(), expectation());
      }
    }
  }
}

TEST_F(BlocksOnVirtualRanks, DenseAlltoalls) {
  for (const int p : {1, 2, 5, 8}) {
    for (const bool in_place : {false, true}) {
      for (const int radix : {2, 3}) {
        DenseCase given{.size = p, .bytes = [](int, int) { return std::int64_t{10}; }, .in_place = in_place};
        given.options.radix = radix;
        for_each_dense(given, expectation());
        given.uniform = false;
        given.bytes = [](int source, int target) { return std::int64_t{(source + target) % 3 * 7}; };
        for_each_dense(given, expectation());
      }
    }
  }
}

TEST_F(BlocksOnVirtualRanks, Halos) {
  struct Shape {
    std::vector<int> sizes;
    std::vector<int> periods;
    std::vector<int> low;
    std::vector<int> high;
  };
  const std::vector<Shape> shapes{{{3}, {1}, {2}, {1}},
                                  {{2, 3}, {1, 1}, {1, 2}, {2, 1}},
                                  {{2, 2}, {0, 1}, {2, 1}, {0, 1}},
                                  {{1, 2}, {1, 0}, {1, 1, 0}, {1, 1, 0}},
                                  {{2, 2, 2}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}}};
  for (const Shape& shape : shapes) {
    for (const Stencil stencil : {Stencil::box, Stencil::star}) {
      HaloCase given{.sizes = shape.sizes, .periods = shape.periods, .low = shape.low, .high = shape.high};
      given.stencil = stencil;
      given.order = stencil == Stencil::box ? StorageOrder::row_major : StorageOrder::column_major;
      given.inside = [](int axis, int coordinate) { return std::int64_t{2 + (axis + coordinate) % 2}; };
      given.element = stencil == Stencil::box ? element_of(3) : element_with_gaps();
      given.nodes = test::some_nodes(Grid(shape.sizes, 0).size(), 1);
      for_each_halo(given, expectation());
    }
  }
}

/// A block that has arrived before something goes wrong stays right, and no other one arrives after that.
TEST_F(BlocksOnVirtualRanks, NoBlockArrivesAfterAFault) {
  using Fault = LoopbackNetwork::Fault;
  const AlltoallCase given{
      .sizes = {2, 3}, .neighborhood = moore(2, 1), .bytes = [](int, int) { return std::int64_t{9}; }};
  for (const char* algorithm : {"direct", "combining"}) {
    const CollectiveCase collective = alltoall_case(given, alltoall_way(algorithm));
    for (const Fault::Of of : {Fault::Of::post, Fault::Of::every_post, Fault::Of::completion}) {
      for (std::size_t after = 0;; ++after) {
        Simulation simulation({&collective, 1}, after, 2, Fault{of, 1, after});
        simulation.watch_blocks();
        ASSERT_EQ(simulation.run(), "");
        if (!simulation.fault_struck()) break;
      }
    }
  }
}

TEST_F(BlocksOnVirtualRanks, NoBlockArrivesAfterATimeout) {
  const AlltoallCase given{
      .sizes = {2, 3}, .neighborhood = moore(2, 1), .bytes = [](int, int) { return std::int64_t{9}; }};
  const CollectiveCase collective = alltoall_case(given, alltoall_way("combining"));
  for (std::size_t steps = 0; steps < 60; ++steps) {
    Simulation simulation({&collective, 1}, steps, 2);
    simulation.watch_blocks();
    simulation.give_up_after(5 * steps);
    ASSERT_EQ(simulation.run(), "");
  }
}

}  // namespace
}  // namespace rondo::internal::block_watch_test
