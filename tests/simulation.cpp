// Several collectives at once on virtual ranks, under an adversary.
#include "tests/support/simulation.hpp"

#include <gtest/gtest.h>

#include "tests/support/alltoall_case.hpp"
#include "tests/support/ring_reduction.hpp"

#include <cstdio>
#include <random>
#include <set>
#include <string>

namespace rondo {
namespace {

/// One to four operations on the same ranks, drawn from the seed: mostly alltoalls, with neighborhoods, block sizes and
/// algorithms, and some reductions.
std::vector<CollectiveCase> draw_collectives(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const int d = draw(1, 3);
  std::vector<int> sizes;
  for (int k = 0; k < d; ++k) sizes.push_back(draw(1, d == 1 ? 8 : 3));
  std::vector<CollectiveCase> collectives;
  int ranks = 1;
  for (const int size : sizes) ranks *= size;
  for (int count = draw(1, 4); count > 0; --count) {
    if (draw(0, 4) == 0) {
      const auto way = static_cast<RingReduction::Way>(draw(0, 1));
      const bool direct = way == RingReduction::Way::direct;
      collectives.push_back(ring_reduction({.ranks = ranks,
                                            .blocks = direct ? draw(1, 6) : 1 << draw(1, 3),
                                            .way = way,
                                            .holes = draw(0, 1) == 0,
                                            .ordering = static_cast<Ordering>(draw(0, 1)),
                                            .form = static_cast<MessageForm>(draw(0, 2)),
                                            .window = static_cast<std::uint32_t>(draw(0, 4))},
                                           direct ? byte_fold() : byte_sum()));
      continue;
    }
    AlltoallCase given{.sizes = sizes, .neighborhood = Neighborhood(d), .bytes = {}};
    for (int i = draw(0, 6); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-3, 3));
      given.neighborhood.add(offset);
    }
    std::vector<std::int64_t> bytes;
    for (int i = 0; i < given.neighborhood.size(); ++i) bytes.push_back(draw(0, 4) == 0 ? 0 : draw(1, 100));
    given.bytes = [&](int, int i) { return bytes[static_cast<std::size_t>(i)]; };
    given.ordering = draw(0, 3) == 0 ? Ordering::phases : Ordering::dependencies;
    given.form = static_cast<MessageForm>(draw(0, 2));
    const auto rows = alltoall_registry().algorithms;
    const auto& row = rows[static_cast<std::size_t>(draw(0, static_cast<int>(rows.size()) - 1))];
    // Some have nothing to offer for some neighborhoods.
    const bool offers = count_plans(given, row, true) > 0;
    collectives.push_back(alltoall_case(given, alltoall_way(offers ? row.name : "combining")));
  }
  return collectives;
}

/// A combining alltoall in which nothing waits for what was received.
CollectiveCase racing_case() {
  AlltoallCase given{.sizes = {4, 4}, .neighborhood = box(2, 3, -1), .bytes = [](int, int) { return 8; }};
  CollectiveCase made = alltoall_case(given, alltoall_way("combining"));
  for (auto& schedule : made.schedules) {
    ScheduleParts parts = schedule->parts();
    std::erase_if(parts.edges, [&](const auto& edge) { return parts.tasks[edge.first].kind == TaskKind::receive; });
    schedule = std::make_shared<const Schedule>(std::move(parts));
  }
  return made;
}

TEST(Simulation, AFailingSeedIsNamedAndReplaysExactly) {
  const CollectiveCase racing = racing_case();
  std::set<std::string> endings;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string story = simulate({&racing, 1}, seed, 3);
    EXPECT_EQ(simulate({&racing, 1}, seed, 3), story);
    const std::string named = "RONDO_SEED=" + std::to_string(seed) + ": ";
    ASSERT_TRUE(story.empty() || story.starts_with(named)) << story;
    endings.insert(story.empty() ? story : story.substr(named.size()));
  }
  EXPECT_GT(endings.size(), 5U) << "seeds do not differ";
}

TEST(Simulation, SeveralOperationsAtOnce) {
  for (const std::uint64_t seed : seeds(30000)) ASSERT_EQ(simulate(draw_collectives(seed), seed, 3), "");
}

/// Fewer under a sanitizer.
TEST(Simulation, FourThousandRanks) {
  const int side = test_scale() < 1 ? 16 : 64;
  const AlltoallCase given{
      .sizes = {side, side}, .neighborhood = moore(2, 1), .bytes = [](int, int) { return std::int64_t{8}; }};
  for_each_alltoall(given, true, 0, [&](const CollectiveCase& collective) {
    EXPECT_EQ(checked(collective), "");
    EXPECT_EQ(simulate({&collective, 1}, 4096, 1), "");
  });
}

using Fault = LoopbackNetwork::Fault;

/// Calls visit(simulation) after a run for each place at which `of` can go wrong on some rank.
template <typename Visit>
void for_each_fault(Fault::Of of, std::uint64_t seed, Visit visit) {
  const std::vector<CollectiveCase> collectives = draw_collectives(seed);
  for (int rank = 0; rank < collectives.front().ranks(); ++rank) {
    for (std::size_t after = 0;; ++after) {
      Simulation simulation(collectives, seed, 2, Fault{of, rank, after});
      ASSERT_EQ(simulation.run(), "") << "after " << after << " on rank " << rank;
      if (!simulation.fault_struck()) break;
      visit(simulation, rank);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The waiter of the rank on which something went wrong hears of it; no rank hangs; whoever has wrong data hears of it
/// too; other operations and the next start of this one are right.
TEST(Simulation, AFaultAnywhereFailsOneStartOfOneOperation) {
  std::size_t places = 0;
  std::size_t failed_elsewhere = 0;
  for (const Fault::Of of : {Fault::Of::post, Fault::Of::completion}) {
    for (const std::uint64_t seed : seeds(100)) {
      for_each_fault(of, seed, [&](const Simulation& simulation, int rank) {
        ++places;
        ASSERT_EQ(simulation.failures_of(rank), 1U) << "seed " << seed;
        ASSERT_EQ(simulation.failures().size(), 1U) << "seed " << seed;
        failed_elsewhere += simulation.failures_of((rank + 1) % simulation.ranks());
      });
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%zu places at which something went wrong\n", places);
  EXPECT_GT(places, 10U);
  EXPECT_GT(failed_elsewhere, 0U) << "a failure is told to the partners";
}

/// At any moment, with messages under way: who gives up hears of it, everybody else has right data, hears of it, or is
/// stuck until he gives up too.
TEST(Simulation, ARankMayGiveUpAtAnyTime) {
  std::size_t places = 0;
  for (const std::uint64_t seed : seeds(100)) {
    const std::vector<CollectiveCase> collectives = draw_collectives(seed);
    for (std::size_t steps = 0; steps < 200; steps += 1 + seed % 3) {
      Simulation simulation(collectives, seed, 2);
      simulation.give_up_after(steps);
      ASSERT_EQ(simulation.run(), "") << "after " << steps << " steps";
      places += simulation.gave_up() ? 1 : 0;
    }
  }
  std::printf("%zu moments at which a rank gave up\n", places);
  EXPECT_GT(places, 100U);
}

TEST(Simulation, WhereNothingCanBePostedAnyMoreAllCanBeGivenUp) {
  std::size_t places = 0;
  for (const std::uint64_t seed : seeds(100)) {
    for_each_fault(Fault::Of::every_post, seed, [&](const Simulation& simulation, int rank) {
      ++places;
      ASSERT_GE(simulation.failures_of(rank), 1U) << "seed " << seed;
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(places, 10U);
}

}  // namespace
}  // namespace rondo
