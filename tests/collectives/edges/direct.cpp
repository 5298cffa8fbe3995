// The direct algorithm along the edges of Cartesian topologies and of drawn graphs: checked, and run by the simulation.
#include "collectives/edges/direct.hpp"

#include <gtest/gtest.h>

#include "collectives/proof/arrivals.hpp"
#include "runtime/schedule/scaled_schedule.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/cases/under_way_at_start.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::edges::direct_test {
namespace {

/// The edges of all ranks; how much goes along each; and whether each rank sends one block to all of its targets.
struct EdgesCase {
  std::string name;
  std::vector<Lists> ranks;
  std::function<std::int64_t(int rank, std::size_t i)> bytes;
  bool gathers = false;
};

/// By the definition: the place, in the list of the process that sends, of the edge that ends in source `j` of `rank`.
std::size_t edge_into(const EdgesCase& given, std::size_t rank, std::size_t j) {
  const Edge& into = given.ranks[rank].sources[j];
  const Lists& sender = given.ranks[static_cast<std::size_t>(into.rank)];
  std::size_t i = 0;
  while (sender.targets[i].rank != static_cast<int>(rank) || sender.targets[i].tag != into.tag) ++i;
  return i;
}

CollectiveCase edges_case(const EdgesCase& given, MessageForm form) {
  CollectiveCase made{given.name + (given.gathers ? ", gathers" : "") + describe_building({}, form, 0), {}, {}, {}, {}};
  const std::size_t p = given.ranks.size();
  std::vector<ScatteredBlocks> send(p);
  std::vector<ScatteredBlocks> recv(p);
  std::uint32_t tags = 0;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const Lists& lists = given.ranks[rank];
    tags = std::max(tags, lists.tags());
    // Of blocks in a strange order the last comes first: see ScatteredBlocks.
    for (std::size_t i = given.gathers ? std::min<std::size_t>(1, lists.targets.size()) : lists.targets.size();
         i-- > 0;)
      send[rank].add(given.gathers || lists.targets[i].rank != kNoRank ? given.bytes(lists.rank, i) : 0,
                     static_cast<int>(i));
    for (std::size_t j = lists.sources.size(); j-- > 0;) {
      const int from = lists.sources[j].rank;
      const std::size_t i = from == kNoRank || given.gathers ? 0 : edge_into(given, rank, j);
      recv[rank].add(from == kNoRank ? 0 : given.bytes(from, i), static_cast<int>(j) + 1);
    }
    send[rank].finish();
    recv[rank].finish();
  }
  std::vector<Arrival> arrivals;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const Lists& lists = given.ranks[rank];
    ScheduleBuilder builder({}, form);
    build_direct({lists, send[rank].shapes(), recv[rank].shapes(), tags}, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    made.blocks.push_back(user_blocks(recv[rank].shapes(), send[rank].shapes()));
    made.send_bytes.push_back(send[rank].bytes());
    made.recv_bytes.push_back(recv[rank].bytes());
    for (std::size_t j = 0; j < lists.sources.size(); ++j) {
      const int from = lists.sources[j].rank;
      if (from == kNoRank) continue;
      const std::size_t i = given.gathers ? 0 : edge_into(given, rank, j);
      arrivals.push_back({from, i, lists.rank, j, j});
    }
  }
  std::vector<BlocksOfRank> blocks;
  for (std::size_t rank = 0; rank < p; ++rank) blocks.push_back({send[rank].shapes(), recv[rank].shapes()});
  made.definition = definition_of(arrivals, blocks).placements;
  return made;
}

void check_and_simulate(EdgesCase given) {
  std::uint64_t seed = 0;
  for (const bool gathers : {false, true}) {
    for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
      given.gathers = gathers;
      const CollectiveCase made = edges_case(given, form);
      EXPECT_EQ(checked(made), "") << made.name;
      EXPECT_EQ(simulate({&made, 1}, seed++, 2), "") << made.name;
      for (const auto& schedule : made.schedules) EXPECT_TRUE(under_way_at_start(*schedule)) << made.name;
    }
  }
}

std::int64_t drawn_bytes(int rank, std::size_t i) {
  return std::int64_t{(rank * 7 + static_cast<int>(i) * 5) % 11} * 3;
}

TEST(DirectEdges, OfCartesianTopologies) {
  for (const std::vector<int>& sizes : {std::vector{1}, {2}, {5}, {2, 3}, {1, 2, 2}}) {
    for (const int period : {0, 1}) {
      const std::vector<int> periods(sizes.size(), period);
      EdgesCase given{"grid of " + std::to_string(sizes.size()) + " dimensions", {}, drawn_bytes};
      const int p = Grid(sizes, periods, 0).size();
      for (int rank = 0; rank < p; ++rank) given.ranks.push_back(cartesian_edges(Grid(sizes, periods, rank)));
      check_and_simulate(given);
    }
  }
}

TEST(DirectEdges, OfAnyGraph) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const std::size_t p = 1 + seed % 6;
    std::vector<std::vector<int>> targets(p);
    std::vector<std::vector<int>> sources(p);
    for (std::size_t edge = 0; edge < 3 * p; ++edge) {
      const std::size_t from = random() % p;
      const std::size_t to = random() % p;
      targets[from].push_back(static_cast<int>(to));
      sources[to].push_back(static_cast<int>(from));
    }
    EdgesCase given{"graph of seed " + std::to_string(seed), {}, drawn_bytes};
    for (std::size_t rank = 0; rank < p; ++rank) {
      std::ranges::shuffle(targets[rank], random);
      std::ranges::shuffle(sources[rank], random);
      if (rank % 2 == 1) targets[rank].insert(targets[rank].begin(), MPI_PROC_NULL);
      given.ranks.push_back(graph_edges(static_cast<int>(rank), sources[rank], targets[rank]));
    }
    check_and_simulate(given);
  }
}

/// Returns blocks of these sizes, with the last one first in memory.
std::vector<PlacedBlock> place_blocks(const std::vector<std::int64_t>& bytes) {
  std::vector<PlacedBlock> blocks(bytes.size());
  std::int64_t begin = 8;
  for (std::size_t i = bytes.size(); i-- > 0; begin += bytes[i] + 1) blocks[i] = {begin, bytes[i]};
  return blocks;
}

/// Returns what a schedule moves, a line for each task that moves something.
std::string moves_of(const Schedule& schedule) {
  std::string told;
  for (const TaskId id : schedule.roots()) {
    const Task& task = schedule.tasks()[id];
    if (task.bytes == 0) continue;
    told += std::string(verb(task.kind)) + " " + std::to_string(task.peer) + " tag " + std::to_string(task.tag);
    if (task.kind != TaskKind::receive) told += " from " + std::to_string(task.source_offset);
    if (task.kind != TaskKind::send) told += " to " + std::to_string(task.target_offset);
    told += " bytes " + std::to_string(task.bytes) + "\n";
  }
  return told;
}

Schedule build_for(const Lists& lists, const std::vector<PlacedBlock>& send, const std::vector<PlacedBlock>& recv) {
  std::deque<Layout> layouts;
  const auto shapes = [&](const std::vector<PlacedBlock>& blocks) {
    std::vector<BlockShape> made;
    for (const PlacedBlock& block : blocks) {
      layouts.push_back(Layout::contiguous(block.bytes));
      made.push_back({block.begin, &layouts.back()});
    }
    return made;
  };
  const std::vector<BlockShape> sent = shapes(send);
  const std::vector<BlockShape> received = shapes(recv);
  ScheduleBuilder builder;
  build_direct({lists, sent, received, lists.tags()}, builder);
  return std::move(builder).build();
}

/// A schedule for blocks of one size that is placed again and again moves what one does that is built for these blocks.
TEST(DirectEdges, ServeBlocksOfAnySizesAndPlaces) {
  constexpr std::int64_t kBytes = 64;
  int placed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<int> sources(random() % 6);
    std::vector<int> targets(random() % 6);
    for (int& rank : sources) rank = 1 + static_cast<int>(random() % 3);
    for (int& rank : targets) rank = random() % 4 == 0 ? MPI_PROC_NULL : 1 + static_cast<int>(random() % 3);
    if (seed % 2 == 0) {
      sources.push_back(0);
      targets.insert(targets.begin(), 0);
    }
    const Lists lists = graph_edges(0, sources, targets);
    const auto row = [&](std::size_t count) {
      std::vector<PlacedBlock> blocks;
      for (std::size_t i = 0; i < count; ++i) blocks.push_back({static_cast<std::int64_t>(i) * kBytes, kBytes});
      return blocks;
    };
    const Schedule regular = build_for(lists, row(targets.size()), row(sources.size()));
    ASSERT_TRUE(ScaledSchedule::is_of_single_blocks(regular, kBytes));
    ScaledSchedule scaled(regular, kBytes);
    for (int call = 0; call < 5; ++call) {
      std::vector<std::int64_t> sent(targets.size());
      std::vector<std::int64_t> received(sources.size());
      for (std::int64_t& bytes : sent) bytes = static_cast<std::int64_t>(random() % 5) * 7;
      for (std::int64_t& bytes : received) bytes = static_cast<std::int64_t>(random() % 5) * 7;
      if (seed % 2 == 0) received.back() = sent.front();
      const std::vector<PlacedBlock> send = place_blocks(sent);
      const std::vector<PlacedBlock> recv = place_blocks(received);
      if (scaled.place(send, recv)) ++placed;
      EXPECT_FALSE(scaled.place(send, recv));
      EXPECT_EQ(moves_of(*scaled.schedule()), moves_of(build_for(lists, send, recv))) << seed;
    }
  }
  EXPECT_GT(placed, 200);
}

/// Blocks that stay on the process are copied by one task if there are several of them.
TEST(DirectEdges, DoNotServeSeveralBlocksToThemselves) {
  const std::vector<int> itself{0, 0};
  const Schedule regular = build_for(graph_edges(0, itself, itself), {{0, 64}, {64, 64}}, {{0, 64}, {64, 64}});
  EXPECT_FALSE(ScaledSchedule::is_of_single_blocks(regular, 64));
}

}  // namespace
}  // namespace rondo::internal::edges::direct_test
