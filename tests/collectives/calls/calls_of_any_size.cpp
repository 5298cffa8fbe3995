// Every plan that is said to move whole blocks: some ranks run a schedule for longer blocks, scaled down, the others
// one for the blocks that there are. Through the checker and the simulation.
#include "collectives/calls/calls_of_any_size.hpp"

#include <gtest/gtest.h>

#include "collectives/broadcast/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/earlier_calls/scaled_calls.hpp"
#include "collectives/proof/arrivals.hpp"
#include "runtime/schedule/scaled_schedule.hpp"
#include "tests/support/cases/simulation.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::calls_of_any_size_test {
namespace {

/// Blocks of one size, one after the other.
struct Row {
  Row(int count, std::int64_t bytes) : layout(std::make_unique<Layout>(Layout::contiguous(bytes))) {
    for (int i = 0; i < count; ++i) blocks.push_back({i * bytes, layout.get()});
  }
  std::unique_ptr<Layout> layout;
  std::vector<BlockShape> blocks;
};

/// What a rank of p is given.
struct Given {
  int rank;
  int size;
  std::int64_t bytes;
  bool in_place;
  Row send;
  Row recv;
};

/// Builds a plan of a collective, the one with this number among those that move whole blocks; returns its name, and
/// nothing where there is none.
using Build = std::function<std::string(const Given&, std::size_t number, ScheduleBuilder&)>;

template <typename Problem>
std::string build_from(const Registry<Problem>& registry, const Problem& problem, std::size_t number,
                       ScheduleBuilder& builder) {
  for (const Algorithm<Problem>& row : registry.algorithms) {
    for (const Plan<Problem>& plan : row.plans(problem)) {
      if (!plan.whole_blocks || number-- > 0) continue;
      plan.build(problem, builder);
      return plan.name;
    }
  }
  return {};
}

const CostModel& costs() {
  static const CostModel model(1.0);
  return model;
}

std::string build_broadcast(const Given& given, std::size_t number, ScheduleBuilder& builder) {
  const int root = given.size / 2;
  const BlockShape block{0, given.send.layout.get()};
  return build_from(
      broadcast::registry(),
      broadcast::Problem{.rank = given.rank, .size = given.size, .root = root, .block = block, .costs = costs()},
      number, builder);
}

std::string build_allgather(const Given& given, std::size_t number, ScheduleBuilder& builder) {
  const BlockShape own{0, given.send.layout.get()};
  return build_from(dense_allgather::registry(),
                    dense_allgather::Problem{.rank = given.rank,
                                             .size = given.size,
                                             .send = own,
                                             .recv = given.recv.blocks,
                                             .costs = costs(),
                                             .in_place = given.in_place},
                    number, builder);
}

std::string build_alltoall(const Given& given, std::size_t number, ScheduleBuilder& builder) {
  return build_from(dense::registry(),
                    dense::Problem{.rank = given.rank,
                                   .size = given.size,
                                   .send = given.send.blocks,
                                   .recv = given.recv.blocks,
                                   .uniform = true,
                                   .costs = costs(),
                                   .largest = given.bytes,
                                   .smallest = given.bytes,
                                   .in_place = given.in_place},
                    number, builder);
}

std::string build_reduction(dense_reduction::Kind kind, const Given& given, std::size_t number,
                            ScheduleBuilder& builder) {
  const Layout element = Layout::contiguous(1);
  const std::vector<std::int64_t> counts(given.send.blocks.size(), given.bytes);
  return build_from(dense_reduction::registry(),
                    dense_reduction::Problem{.rank = given.rank,
                                             .size = given.size,
                                             .kind = kind,
                                             .send = given.send.blocks,
                                             .counts = counts,
                                             .recv = given.recv.blocks[0],
                                             .op = {byte_sum().op, MPI_BYTE, &element, true},
                                             .costs = costs(),
                                             .in_place = given.in_place},
                    number, builder);
}

/// Which ranks have scaled schedules: one bit each.
using Ranks = std::uint32_t;

struct Scaled {
  CollectiveCase of_all;  ///< without schedules: there is no such plan
  int scaled = 0;         ///< ranks that have a scaled one
};

Scaled make_case(const Call& call, int p, std::int64_t bytes, const Build& build, std::size_t number, Ranks wanted) {
  Scaled made{{{}, {}, {}, {}, {}}};
  const bool in_place = call.in_place();
  std::vector<Given> given;
  std::vector<BlocksOfRank> blocks;
  const auto blocks_at = [&](int rank, std::int64_t size) {
    Call here = call;
    here.at_root = rank == call.root;
    return Given{rank, p, size, in_place, Row(here.sent_blocks(p), size), Row(here.received_blocks(p), size)};
  };
  for (int rank = 0; rank < p; ++rank) given.push_back(blocks_at(rank, bytes));
  for (const Given& it : given) {
    const auto sent = static_cast<std::int64_t>(it.send.blocks.size()) * bytes;
    const auto received = static_cast<std::int64_t>(it.recv.blocks.size()) * bytes;
    blocks.push_back({it.send.blocks, it.recv.blocks});
    made.of_all.send_bytes.push_back(in_place ? 0 : sent);
    made.of_all.recv_bytes.push_back(in_place ? std::max(sent, received) : received);
    const auto build_for = [&](const Given& of) {
      ScheduleBuilder builder(Ordering::dependencies, MessageForm::automatic);
      made.of_all.name = build(of, number, builder);
      return std::make_shared<const Schedule>(std::move(builder).build());
    };
    const std::int64_t largest = SizeClass::of(bytes).largest;
    const std::shared_ptr<const Schedule> longer = build_for(blocks_at(it.rank, largest));
    if (made.of_all.name.empty()) return made;
    if ((wanted >> it.rank & 1U) != 0 && ScaledSchedule::is_possible(*longer, largest)) {
      ScaledSchedule scaled(*longer, largest);
      scaled.scale_to(1);
      scaled.scale_to(bytes);
      made.of_all.schedules.push_back(scaled.schedule());
      ++made.scaled;
    } else {
      made.of_all.schedules.push_back(build_for(it));
    }
  }
  made.of_all.name += ", p " + std::to_string(p) + ", bytes " + std::to_string(bytes) + ", scaled on " +
                      std::to_string(wanted) + (in_place ? ", in place" : "");
  Definition definition = definition_of(dense_arrivals(p, call), blocks);
  made.of_all.definition = std::move(definition.placements);
  made.of_all.combinations = std::move(definition.combinations);
  if (call.reduces()) made.of_all.op = &byte_sum();
  return made;
}

/// Returns how many schedules were scaled.
int expect_right(const Call& given, const Build& build, bool may_be_in_place) {
  int scaled = 0;
  std::uint64_t seed = 0;
  for (const bool in_place : {false, true}) {
    if (in_place && !may_be_in_place) continue;
    Call call = given;
    if (in_place) call.send.buffer = MPI_IN_PLACE;
    for (int p = 2; p <= 9; ++p) {
      call.root = call.collective == Collective::broadcast ? p / 2 : 0;
      for (const std::int64_t bytes : {1, 16, 100, 129, 1000, 5000}) {
        for (const Ranks ranks : {Ranks{0x5555}, Ranks{0xFFFF}, Ranks{0x36}}) {
          for (std::size_t number = 0;; ++number) {
            const Scaled made = make_case(call, p, bytes, build, number, ranks);
            if (made.of_all.schedules.empty()) break;
            scaled += made.scaled;
            EXPECT_EQ(checked(made.of_all), "");
            EXPECT_EQ(simulate({&made.of_all, 1}, seed++, 2), "");
            if (::testing::Test::HasFailure()) return scaled;
          }
        }
      }
    }
  }
  return scaled;
}

Call call_of(Collective collective) { return {"call", collective, {}, {}}; }

TEST(CallsOfAnySize, BroadcastsAreRight) {
  EXPECT_GT(expect_right(call_of(Collective::broadcast), build_broadcast, false), 1000);
}

TEST(CallsOfAnySize, AllgathersAreRight) {
  EXPECT_GT(expect_right(call_of(Collective::allgather), build_allgather, true), 1000);
}

TEST(CallsOfAnySize, AlltoallsAreRight) {
  EXPECT_GT(expect_right(call_of(Collective::alltoall), build_alltoall, true), 1000);
}

TEST(CallsOfAnySize, ReductionsAreRight) {
  const auto build_allreduce = [](const Given& given, std::size_t number, ScheduleBuilder& builder) {
    return build_reduction(dense_reduction::Kind::allreduce, given, number, builder);
  };
  EXPECT_GT(expect_right(call_of(Collective::reduce), build_allreduce, true), 1000);
  const auto build_scatter = [](const Given& given, std::size_t number, ScheduleBuilder& builder) {
    return build_reduction(dense_reduction::Kind::reduce_scatter, given, number, builder);
  };
  EXPECT_GT(expect_right(call_of(Collective::scatter_reduce), build_scatter, true), 1000);
}

/// A reduce-scatter whose parts have different sizes: some ranks run a schedule for longer parts, which is placed.
CollectiveCase placed_scatter(int p, std::int64_t bytes, Ranks wanted) {
  CollectiveCase made{{}, {}, {}, {}, {}};
  made.name = "reduce-scatter, p " + std::to_string(p) + ", bytes " + std::to_string(bytes) + ", placed on " +
              std::to_string(wanted);
  std::vector<Layout> layouts;
  std::vector<BlockShape> parts;
  std::vector<PlacedBlock> sent;
  std::vector<std::int64_t> counts;
  layouts.reserve(static_cast<std::size_t>(p));
  std::int64_t all = 0;
  for (int i = 0; i < p; ++i) {
    counts.push_back(bytes + i * 5 % 4);
    parts.push_back({all, &layouts.emplace_back(Layout::contiguous(counts.back()))});
    sent.push_back({all, counts.back()});
    all += counts.back();
  }
  std::vector<BlockShape> results;
  for (const Layout& layout : layouts) results.push_back({0, &layout});
  std::vector<BlocksOfRank> blocks;
  const Layout element = Layout::contiguous(1);
  const auto build = [&](int rank, std::span<const BlockShape> send, std::span<const std::int64_t> of,
                         BlockShape recv) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::automatic);
    dense_reduction::build_direct({.rank = rank,
                                   .size = p,
                                   .kind = dense_reduction::Kind::reduce_scatter,
                                   .send = send,
                                   .counts = of,
                                   .recv = recv,
                                   .op = {byte_sum().op, MPI_BYTE, &element, true},
                                   .costs = costs()},
                                  builder);
    return std::make_shared<const Schedule>(std::move(builder).build());
  };
  const std::int64_t largest = SizeClass::of(bytes + 3).largest;
  const Row longer(p, largest);
  const std::vector<std::int64_t> longer_counts(static_cast<std::size_t>(p), largest);
  for (int rank = 0; rank < p; ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    blocks.push_back({parts, {&results[place], 1}});
    made.send_bytes.push_back(all);
    made.recv_bytes.push_back(counts[place]);
    if ((wanted >> rank & 1U) == 0) {
      made.schedules.push_back(build(rank, parts, counts, results[place]));
      continue;
    }
    const std::shared_ptr<const Schedule> regular = build(rank, longer.blocks, longer_counts, {0, longer.layout.get()});
    EXPECT_TRUE(ScaledSchedule::is_of_single_blocks(*regular, largest));
    ScaledSchedule scaled(*regular, largest);
    EXPECT_EQ(scaled.has_room_for(std::array{PlacedBlock{0, largest + 1}}), regular->scratch_bytes() == 0);
    const std::array received{PlacedBlock{0, counts[place]}};
    EXPECT_TRUE(scaled.has_room_for(received));
    EXPECT_TRUE(scaled.place(std::vector<PlacedBlock>(sent.size(), {0, 1}), std::array{PlacedBlock{0, 1}}));
    EXPECT_TRUE(scaled.place(sent, received));
    made.schedules.push_back(scaled.schedule());
  }
  Definition definition = definition_of(dense_arrivals(p, call_of(Collective::scatter_reduce)), blocks);
  made.definition = std::move(definition.placements);
  made.combinations = std::move(definition.combinations);
  made.op = &byte_sum();
  return made;
}

TEST(CallsOfAnySize, PlacedReduceScattersAreRight) {
  std::uint64_t seed = 0;
  for (int p = 2; p <= 9; ++p) {
    for (const std::int64_t bytes : {1, 60, 1000, 5000}) {
      for (const Ranks ranks : {Ranks{0x5555}, Ranks{0xFFFF}, Ranks{0x36}}) {
        const CollectiveCase made = placed_scatter(p, bytes, ranks);
        EXPECT_EQ(checked(made), "");
        EXPECT_EQ(simulate({&made, 1}, seed++, 2), "");
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Each size is in one class only, of which it is at least four fifths, and classes come in the order of sizes.
TEST(CallsOfAnySize, SizesAreInClasses) {
  SizeClass before{0, SizeClass::kStep};
  for (std::int64_t bytes = 1; bytes <= SizeClass::kLongest; ++bytes) {
    const SizeClass found = SizeClass::of(bytes);
    ASSERT_EQ(found.number, before.number + (bytes > before.largest ? 1 : 0)) << bytes;
    ASSERT_GE(found.largest, bytes);
    ASSERT_LT(found.largest, bytes + std::max(SizeClass::kStep, bytes / 4)) << bytes;
    ASSERT_EQ(found.largest % SizeClass::kStep, 0) << bytes;
    before = found;
  }
}

}  // namespace
}  // namespace rondo::internal::calls_of_any_size_test
