// Several collectives at once on virtual ranks, under an adversary.
#include "tests/support/cases/simulation.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/allgather_case.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/halo_case.hpp"
#include "tests/support/cases/reduction_case.hpp"
#include "tests/support/cases/ring_reduction.hpp"

#include <cstdio>
#include <random>
#include <set>
#include <string>

namespace rondo::internal::simulation_test {
namespace {

/// Draws operations on the ranks of one small torus.
class DrawnCollectives {
 public:
  explicit DrawnCollectives(std::uint64_t seed) : random_(seed), d_(draw(1, 3)) {
    for (int k = 0; k < d_; ++k) sizes_.push_back(draw(1, d_ == 1 ? 8 : 3));
  }

  /// Half of them alltoalls.
  CollectiveCase operator()() {
    switch (draw(0, 9)) {
      case 0:
        return ring();
      case 1:
        return reduction();
      case 2:
        return halo();
      case 3:
      case 4:
        return allgather();
      default:
        return alltoall();
    }
  }

  int draw(int low, int high) { return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1)); }

 private:
  Ordering ordering() { return draw(0, 3) == 0 ? Ordering::phases : Ordering::dependencies; }
  MessageForm form() { return static_cast<MessageForm>(draw(0, 2)); }
  Neighborhood neighborhood() {
    Neighborhood drawn(d_);
    for (int i = draw(0, 6); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d_; ++k) offset.push_back(draw(-3, 3));
      drawn.add(offset);
    }
    return drawn;
  }
  std::vector<int> periods() {
    std::vector<int> drawn;
    for (int k = 0; k < d_; ++k) drawn.push_back(draw(0, 3) == 0 ? 0 : 1);
    return drawn;
  }
  std::vector<std::int64_t> bytes_of(int blocks) {
    std::vector<std::int64_t> drawn;
    for (int i = 0; i < blocks; ++i) drawn.push_back(draw(0, 4) == 0 ? 0 : draw(1, 100));
    return drawn;
  }
  /// A number for each rank's node; empty, half of the time: nobody knows.
  std::vector<std::int64_t> nodes() {
    if (draw(0, 1) == 0) return {};
    return test::some_nodes(ranks(), static_cast<std::uint64_t>(draw(0, 1000)));
  }
  [[nodiscard]] int ranks() const {
    int product = 1;
    for (const int size : sizes_) product *= size;
    return product;
  }

  CollectiveCase ring() {
    const auto way = static_cast<RingReduction::Way>(draw(0, 1));
    const bool direct = way == RingReduction::Way::direct;
    return ring_reduction({.ranks = ranks(),
                           .blocks = direct ? draw(1, 6) : 1 << draw(1, 3),
                           .way = way,
                           .holes = draw(0, 1) == 0,
                           .ordering = ordering(),
                           .form = form(),
                           .window = static_cast<std::uint32_t>(draw(0, 4))},
                          direct ? byte_fold() : byte_sum());
  }

  CollectiveCase alltoall() {
    AlltoallCase given{.sizes = sizes_, .neighborhood = neighborhood(), .periods = periods(), .bytes = {}};
    const auto bytes = bytes_of(given.neighborhood.size());
    given.bytes = [&](int, int i) { return bytes[static_cast<std::size_t>(i)]; };
    given.ordering = ordering();
    given.form = form();
    given.nodes = nodes();
    const auto rows = alltoall::registry().algorithms;
    const auto& row = rows[static_cast<std::size_t>(draw(0, static_cast<int>(rows.size()) - 1))];
    // Some have nothing to offer for some neighborhoods.
    const bool offers = count_plans(given, row, true) > 0;
    return alltoall_case(given, alltoall_way(offers ? row.name : "combining"));
  }

  CollectiveCase allgather() {
    const auto bytes = bytes_of(ranks());
    AllgatherCase given{.sizes = sizes_,
                        .periods = periods(),
                        .neighborhood = neighborhood(),
                        .bytes = [&](int rank) { return bytes[static_cast<std::size_t>(rank)]; },
                        .ordering = ordering(),
                        .form = form(),
                        .ports = draw(0, 2),
                        .nodes = nodes()};
    const auto lowerings = allgather_lowerings(given);
    return allgather_case(given, lowerings[static_cast<std::size_t>(draw(0, static_cast<int>(lowerings.size()) - 1))]);
  }

  /// Through the canonical tree, or directly.
  CollectiveCase reduction() {
    const auto plan = static_cast<std::size_t>(draw(0, 23));  // modulo how many there are
    const ReductionCase given{.sizes = sizes_,
                              .periods = periods(),
                              .neighborhood = neighborhood(),
                              .kind = draw(0, 1) == 0 ? reduction::Kind::reduce : reduction::Kind::scatter_reduce,
                              .reduction = byte_reduction(byte_fold(), draw(0, 1) == 0),
                              .foreign = draw(0, 1) == 0,
                              .ports = draw(0, 2),
                              .ordering = ordering(),
                              .form = form(),
                              .nodes = nodes()};
    CollectiveCase made;
    for_each_plan(
        given, byte_fold(), [&](const CollectiveCase& drawn) { made = drawn; }, plan);
    return made;
  }

  CollectiveCase halo() {
    HaloCase given{.sizes = sizes_, .periods = periods(), .low = {}, .high = {}};
    for (int k = 0; k < d_; ++k) {
      given.low.push_back(draw(0, 2));
      given.high.push_back(draw(0, 2));
    }
    if (draw(0, 2) == 0) {
      for (int k = 0; k < d_; ++k) given.padding.push_back(draw(0, 2));
    }
    given.stencil = draw(0, 1) == 0 ? Stencil::box : Stencil::star;
    given.inside = [](int axis, int coordinate) { return std::int64_t{2 + (axis + coordinate) % 2}; };
    given.ordering = ordering();
    given.form = form();
    given.ports = draw(0, 2);
    given.nodes = nodes();
    const HaloArrays arrays(given);
    std::vector<HaloWay> ways = node_aware_ways(given, arrays);
    for (const auto& expansion : halo_expansions(arrays.grid(), arrays.typical())) ways.push_back(halo_way(expansion));
    return halo_case(given, arrays, arrays.definition(),
                     ways[static_cast<std::size_t>(draw(0, static_cast<int>(ways.size()) - 1))]);
  }

  std::mt19937_64 random_;
  int d_;
  std::vector<int> sizes_;
};

/// One to four operations on the same ranks, drawn from the seed.
std::vector<CollectiveCase> draw_collectives(std::uint64_t seed) {
  DrawnCollectives draw(seed);
  std::vector<CollectiveCase> collectives;
  for (int count = draw.draw(1, 4); count > 0; --count) collectives.push_back(draw());
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

/// Fewer in CI.
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
using Ways = Simulation::Ways;

/// The same through slots, beside the network, with news that come late, and by claims.
TEST(Simulation, SeveralOperationsThroughSlots) {
  std::size_t lines = 0;
  std::size_t published = 0;
  std::size_t claims = 0;
  std::size_t late_claims = 0;
  std::size_t slow_copies = 0;
  for (const std::uint64_t seed : seeds(3000)) {
    const std::vector<CollectiveCase> collectives = draw_collectives(seed);
    Simulation simulation(collectives, seed, 4, std::nullopt, Ways::slots);
    ASSERT_EQ(simulation.run(), "");
    lines += simulation.lines();
    published += simulation.published();
    claims += simulation.claims();
    late_claims += simulation.late_claims();
    slow_copies += simulation.slow_copies();
  }
  std::printf("%zu messages through slots, %zu of them published\n", lines, published);
  std::printf("%zu ends of messages that are claimed, %zu times seen late, %zu slow copies\n", claims, late_claims,
              slow_copies);
  EXPECT_GT(lines, 10U);
  EXPECT_GT(published, 0U) << "of 30 seeds two have some";
  EXPECT_GT(claims, 10U);
  EXPECT_GT(late_claims, 10U);
  EXPECT_GT(slow_copies, 0U);
}

/// Blocks that have arrived are read, those that were sent overwritten, while others are under way.
TEST(Simulation, BlocksThroughSlotsAreWatched) {
  for (const std::uint64_t seed : seeds(500)) {
    const std::vector<CollectiveCase> collectives = draw_collectives(seed);
    Simulation simulation(collectives, seed, 3, std::nullopt, Ways::slots);
    simulation.watch_blocks();
    ASSERT_EQ(simulation.run(), "");
  }
}

/// The same through lanes, which are full now and then.
TEST(Simulation, SeveralOperationsThroughLanes) {
  std::size_t records = 0;
  for (const std::uint64_t seed : seeds(3000)) {
    const std::vector<CollectiveCase> collectives = draw_collectives(seed);
    Simulation simulation(collectives, seed, 4, std::nullopt, Ways::lanes);
    ASSERT_EQ(simulation.run(), "");
    records += simulation.records();
  }
  std::printf("%zu messages through lanes\n", records);
  EXPECT_GT(records, 10U);
}

TEST(Simulation, OperationsOfAllWaysSideBySide) {
  std::size_t lines = 0;
  std::size_t records = 0;
  for (const std::uint64_t seed : seeds(2000)) {
    const std::vector<CollectiveCase> collectives = draw_collectives(seed);
    Simulation simulation(collectives, seed, 3, std::nullopt, Ways::mixed);
    if (seed % 4 == 0) simulation.watch_blocks();
    ASSERT_EQ(simulation.run(), "");
    lines += simulation.lines();
    records += simulation.records();
  }
  EXPECT_GT(lines, 10U);
  EXPECT_GT(records, 10U);
}

/// Calls visit(simulation) after a run for each place at which `of` can go wrong on some rank.
template <typename Visit>
void for_each_fault(Fault::Of of, std::uint64_t seed, Ways ways, Visit visit) {
  const std::vector<CollectiveCase> collectives = draw_collectives(seed);
  for (int rank = 0; rank < collectives.front().ranks(); ++rank) {
    for (std::size_t after = 0;; ++after) {
      Simulation simulation(collectives, seed, 2, Fault{of, rank, after}, ways);
      ASSERT_EQ(simulation.run(), "") << "after " << after << " on rank " << rank;
      if (!simulation.fault_struck()) break;
      visit(simulation, rank);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The waiter of the rank on which something went wrong hears of it; no rank hangs; whoever has wrong data hears of it
/// too; other operations and the next start of this one are right.
void expect_that_faults_fail_one_start(Ways ways, std::uint64_t count) {
  std::size_t places = 0;
  std::size_t failed_elsewhere = 0;
  for (const Fault::Of of : {Fault::Of::post, Fault::Of::completion}) {
    for (const std::uint64_t seed : seeds(count)) {
      for_each_fault(of, seed, ways, [&](const Simulation& simulation, int rank) {
        ++places;
        ASSERT_EQ(simulation.failures_of(rank), 1U) << "seed " << seed;
        ASSERT_EQ(simulation.failures().size(), 1U) << "seed " << seed;
        failed_elsewhere += simulation.failures_of((rank + 1) % simulation.ranks());
      });
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  std::printf("%zu places at which something went wrong\n", places);
  EXPECT_GT(places, 10U);
  EXPECT_GT(failed_elsewhere, 0U) << "a failure is told to the partners";
}

TEST(Simulation, AFaultAnywhereFailsOneStartOfOneOperation) { expect_that_faults_fail_one_start(Ways::network, 100); }
TEST(Simulation, AFaultBesideSlotsFailsOneStartOfOneOperation) { expect_that_faults_fail_one_start(Ways::slots, 40); }
TEST(Simulation, AFaultBesideLanesFailsOneStartOfOneOperation) { expect_that_faults_fail_one_start(Ways::lanes, 12); }

/// At any moment, with messages under way: who gives up hears of it, everybody else has right data, hears of it, or is
/// stuck until he gives up too.
void expect_that_a_rank_may_give_up(Ways ways, std::uint64_t count) {
  std::size_t places = 0;
  for (const std::uint64_t seed : seeds(count)) {
    const std::vector<CollectiveCase> collectives = draw_collectives(seed);
    for (std::size_t steps = 0; steps < 200; steps += 1 + seed % 3) {
      Simulation simulation(collectives, seed, 2, std::nullopt, ways);
      simulation.give_up_after(steps);
      ASSERT_EQ(simulation.run(), "") << "after " << steps << " steps";
      places += simulation.gave_up() ? 1 : 0;
    }
  }
  std::printf("%zu moments at which a rank gave up\n", places);
  EXPECT_GT(places, 100U);
}

TEST(Simulation, ARankMayGiveUpAtAnyTime) { expect_that_a_rank_may_give_up(Ways::network, 100); }
TEST(Simulation, ARankMayGiveUpAtAnyTimeBesideSlots) { expect_that_a_rank_may_give_up(Ways::slots, 30); }
TEST(Simulation, ARankMayGiveUpAtAnyTimeBesideLanes) { expect_that_a_rank_may_give_up(Ways::lanes, 20); }

TEST(Simulation, WhereNothingCanBePostedAnyMoreAllCanBeGivenUp) {
  std::size_t places = 0;
  for (const Ways ways : {Ways::network, Ways::slots, Ways::lanes}) {
    for (const std::uint64_t seed : seeds(ways == Ways::network ? 100 : ways == Ways::slots ? 40 : 12)) {
      for_each_fault(Fault::Of::every_post, seed, ways, [&](const Simulation& simulation, int rank) {
        ++places;
        ASSERT_GE(simulation.failures_of(rank), 1U) << "seed " << seed;
      });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(places, 10U);
}

}  // namespace
}  // namespace rondo::internal::simulation_test
