// What the Cartesian allgather algorithms build: what the paper says of it, and that it is right on neighborhoods of
// every kind. Rank counts and block sizes: sweep.cpp.
#include "collectives/cart_allgather/algorithms.hpp"

#include "collectives/paths/expansion_search.hpp"
#include "tests/support/cases/allgather_case.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace rondo::internal::allgather::algorithms_test {
namespace {

std::vector<PathPart> singly(std::span<const int> order) {
  std::vector<PathPart> parts;
  for (const int k : order) parts.push_back({{k}, 0, std::nullopt});
  return parts;
}

AllgatherLowering combining_in_order(std::string name, std::vector<int> order) {
  return combining_over(std::move(name), [order = std::move(order)](const Grid& grid, const FoldedNeighborhood& hood) {
    return expand_in_parts(grid, hood, singly(order), "in order");
  });
}

/// Any order and partition of the dimensions.
AllgatherLowering combining_in_random_parts(std::mt19937_64& random, int d) {
  std::vector<int> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  std::vector<PathPart> parts;
  for (const int k : order) {
    if (parts.empty() || random() % 2 == 0) parts.push_back({{}, 0, std::nullopt});
    parts.back().dimensions.push_back(k);
  }
  for (PathPart& part : parts) std::ranges::sort(part.dimensions);
  return combining_over(describe(parts), [parts](const Grid& grid, const FoldedNeighborhood& hood) {
    return expand_in_parts(grid, hood, parts, "random parts");
  });
}

/// Through the checker and once through the simulation.
void expect_right(const CollectiveCase& made, std::uint64_t seed) {
  ASSERT_EQ(checked(made), "");
  ASSERT_EQ(simulate({&made, 1}, seed, 1), "");
}

/// Variants by turns, as all of them at each point would take long.
void vary(AllgatherCase& given, std::uint64_t turn) {
  given.ordering = turn % 2 == 0 ? Ordering::dependencies : Ordering::phases;
  given.form = turn / 2 % 2 == 0 ? MessageForm::staged : MessageForm::datatype;
}

/// Blocks, and the sums of some, that fit neither ints nor 32 bits. Memory is not needed for a proof.
TEST(AllgatherAlgorithms, BlocksOfMoreBytesThanAnIntCounts) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  for (const bool mesh : {false, true}) {
    for (const std::int64_t more : {std::int64_t{0}, kGiB}) {
      const AllgatherCase given{.sizes = {3, 2},
                                .periods = mesh ? std::vector{0, 0} : std::vector<int>{},
                                .neighborhood = box(2, 3, -1),
                                .bytes = [&](int rank) { return 3 * kGiB + 1 + rank % 3 * more; }};
      for_each_allgather(given, 0, [&](const CollectiveCase& each) { EXPECT_EQ(checked(each), ""); });
    }
  }
}

/// Pairs and triples of the 27 offsets of radius one: all on the torus where no two offsets are one, and on one of the
/// other grids by turns. The authors' published library, whose tests send the same data from every rank, gives wrong
/// data here.
TEST(AllgatherAlgorithms, EveryPairAndTripleInThreeDimensions) {
  struct SmallGrid {
    std::vector<int> sizes;
    std::vector<int> periods;
  };
  const SmallGrid torus{{3, 3, 3}, {}};
  const std::vector<SmallGrid> others{{{2, 1, 3}, {}}, {{4, 2, 2}, {}}, {{2, 3, 3}, {0, 0, 0}}, {{3, 2, 3}, {0, 1, 0}}};
  const Neighborhood offsets = box(3, 3, -1);
  std::uint64_t drawn = 0;
  std::uint64_t turn = 0;
  for (int a = 0; a < offsets.size(); ++a) {
    for (int b = a; b < offsets.size(); ++b) {
      for (int c = b; c <= offsets.size(); ++c) {  // at the end: a pair
        if (++drawn % test_stride() != 0) continue;
        Neighborhood hood(3);
        for (const int i : {a, b, c}) {
          if (i < offsets.size()) hood.add(offsets[i]);
        }
        for (const SmallGrid& grid : {torus, others[turn++ % others.size()]}) {
          AllgatherCase given{
              .sizes = grid.sizes, .periods = grid.periods, .neighborhood = hood, .bytes = [](int) { return 4; }};
          std::uint64_t variant = turn;
          for (const AllgatherLowering& lowering : allgather_lowerings(given)) {
            vary(given, variant++);
            const CollectiveCase made = allgather_case(given, lowering);
            ASSERT_EQ(checked(made), "");
            if (variant % 3 == 0) {  // takes longest
              ASSERT_EQ(simulate({&made, 1}, turn, 1), "");
            }
          }
        }
      }
    }
  }
}

/// Sizes 1 and 2, up to ten dimensions, repeated offsets, the zero offset and offsets larger than the grid; blocks of
/// one size, of sizes that all know, and of sizes that only their ends know.
TEST(AllgatherAlgorithms, RandomNeighborhoods) {
  for (const std::uint64_t seed : seeds(2500)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = seed % 10 == 0 ? draw(6, 10) : draw(1, 5);
    AllgatherCase given{.sizes = {}, .periods = {}, .neighborhood = Neighborhood(d), .bytes = {}};
    int p = 1;
    for (int k = 0; k < d; ++k) {
      given.sizes.push_back(p > 16 ? 1 : draw(1, d > 3 ? 2 : 4));
      p *= given.sizes.back();
      given.periods.push_back(draw(0, 2) == 0 ? 0 : 1);
    }
    const int radius = draw(1, 5);
    for (int i = draw(0, 12); i > 0; --i) {
      std::vector<int> offset;
      const bool repeated = given.neighborhood.size() > 0 && draw(0, 5) == 0;
      for (int k = 0; k < d; ++k) {
        if (repeated)
          offset.push_back(given.neighborhood[0][static_cast<std::size_t>(k)]);
        else
          offset.push_back(draw(0, 3) == 0 ? 0 : draw(-radius, radius));
      }
      given.neighborhood.add(offset);
    }
    const std::int64_t bytes = draw(0, 9) == 0 ? 0 : draw(1, 6000);
    vary(given, random());
    given.nodes = test::some_nodes(p, seed);
    for (const KnownSizes known : {KnownSizes::none, KnownSizes::one_for_all, KnownSizes::by_rank}) {
      given.known = known;
      given.bytes = [&](int rank) {
        if (known == KnownSizes::one_for_all) return bytes;
        return (bytes + rank) % 3 == 0 ? 0 : bytes + 5 * rank;
      };
      std::vector<AllgatherLowering> lowerings = allgather_lowerings(given);
      if (known != KnownSizes::none) lowerings.push_back(combining_in_random_parts(random, d));
      for (const AllgatherLowering& lowering : lowerings) {
        expect_right(allgather_case(given, lowering), seed);
        ASSERT_FALSE(HasFatalFailure()) << "RONDO_SEED=" << seed;
      }
    }
  }
}

/// The paper's largest neighborhood.
TEST(AllgatherAlgorithms, ThreeThousandNeighbors) {
  const Neighborhood zero(5, std::vector{0, 0, 0, 0, 0});
  const AllgatherCase given{.sizes = {2, 2, 2, 2, 1},
                            .periods = {1, 0, 1, 1, 1},
                            .neighborhood = box(5, 5, -1).minus(zero),
                            .bytes = [](int rank) { return 4 + rank; },
                            .nodes = test::some_nodes(16, 1)};
  ASSERT_EQ(given.neighborhood.size(), 3124);
  for (const AllgatherLowering& lowering : allgather_lowerings(given)) expect_right(allgather_case(given, lowering), 1);
}

/// A problem on one rank, for looking at schedules without running them.
struct Sample {
  Sample(std::vector<int> sizes, Neighborhood given, std::int64_t bytes)
      : grid(sizes, 0), hood(std::move(given)), layout(Layout::contiguous(bytes)), costs(1.0), size(bytes) {
    for (int i = 0; i < hood.size(); ++i) recv.push_back({i * bytes, &layout});
  }
  [[nodiscard]] Problem problem() const { return {grid, facts, send, recv, {&size, 1}, costs}; }
  [[nodiscard]] Schedule build(const AllgatherLowering& lowering, MessageForm form = MessageForm::automatic) const {
    ScheduleBuilder builder(Ordering::dependencies, form);
    lowering.build(problem(), builder);
    return std::move(builder).build();
  }
  /// The first plan of the registry's row of that name.
  [[nodiscard]] Schedule build(std::string_view name, MessageForm form = MessageForm::automatic) const {
    const auto rows = registry().algorithms;
    const Plan plan = std::ranges::find(rows, name, &Algorithm::name)->plans(problem()).front();
    return build(AllgatherLowering{plan.name, plan.build}, form);
  }

  Grid grid;
  Neighborhood hood;
  NeighborhoodFacts facts{grid, hood};
  Layout layout;
  CostModel costs;
  std::int64_t size;
  BlockShape send{0, &layout};
  std::vector<BlockShape> recv;
};

struct RoundsAndVolume {
  int rounds = 0;
  int volume = 0;
  friend bool operator==(const RoundsAndVolume&, const RoundsAndVolume&) = default;
};

RoundsAndVolume measure(const Schedule& schedule) {
  RoundsAndVolume result;
  for (const Task& task : schedule.tasks()) {
    if (task.kind != TaskKind::send) continue;
    ++result.rounds;
    result.volume += static_cast<int>(task.part_count);
  }
  return result;
}

std::ptrdiff_t copies(const Schedule& schedule) {
  return std::ranges::count(schedule.tasks(), TaskKind::copy, &Task::kind);
}

/// ICPP 2019, table 1, the row of the allgather: from the schedules that are built.
TEST(CombiningAllgather, TableOne) {
  struct Row {
    int d, n, t, rounds;
  };
  constexpr Row kTable[] = {{2, 3, 8, 4},    {2, 4, 15, 6},   {2, 5, 24, 8},    {3, 3, 26, 6},
                            {3, 4, 63, 9},   {3, 5, 124, 12}, {4, 3, 80, 8},    {4, 4, 255, 12},
                            {4, 5, 624, 16}, {5, 3, 242, 10}, {5, 4, 1023, 15}, {5, 5, 3124, 20}};
  for (const Row& row : kTable) {
    const Sample sample(std::vector<int>(static_cast<std::size_t>(row.d), 7), box(row.d, row.n, -1), 4);
    EXPECT_EQ(measure(sample.build("direct")), (RoundsAndVolume{row.t, row.t}));
    EXPECT_EQ(measure(sample.build("coalesced")), (RoundsAndVolume{row.t, row.t}));
    const Schedule combining = sample.build("combining");
    EXPECT_EQ(measure(combining), (RoundsAndVolume{row.rounds, row.t})) << "d=" << row.d << " n=" << row.n;
    EXPECT_EQ(combining.phases(), static_cast<unsigned>(row.d));
    EXPECT_EQ(combining.tags(), static_cast<unsigned>(row.rounds));
  }
}

/// Proposition 3.3 and figure 2, from schedules.
TEST(CombiningAllgather, HasAsManyRoundsAndBlocksAsTheTree) {
  const Sample figure({7, 7, 7}, {{-2, 1, 1}, {-1, 1, 1}, {1, 1, 1}, {2, 1, 1}}, 8);
  EXPECT_EQ(measure(figure.build(combining_in_order("", {0, 1, 2}))), (RoundsAndVolume{6, 12}));
  EXPECT_EQ(measure(figure.build(combining_in_order("", {2, 1, 0}))), (RoundsAndVolume{6, 6}));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    Neighborhood hood(3);
    std::array<std::set<int>, 3> distinct;
    for (int i = 0; i < 10; ++i) {
      std::array<int, 3> offset{};
      for (std::size_t k = 0; k < 3; ++k) {
        offset[k] = static_cast<int>(random() % 7) - 3;
        if (offset[k] != 0) distinct[k].insert(offset[k]);
      }
      hood.add(offset);
    }
    const Sample sample({7, 7, 7}, hood, 8);
    const auto order = order_by_distinct_residues({sample.grid, hood});
    const Tree tree(sample.grid, sample.facts.folded(),
                    expand_in_parts(sample.grid, sample.facts.distinct(), singly(order), ""));
    const RoundsAndVolume built = measure(sample.build(combining_in_order("", order)));
    EXPECT_EQ(built.rounds, static_cast<int>(distinct[0].size() + distinct[1].size() + distinct[2].size()));
    EXPECT_EQ(built.volume, static_cast<int>(tree.edges()));
  }
}

TEST(CombiningAllgather, FoldsOffsetsOntoTheTorus) {
  const Sample sample({2, 2}, box(2, 5, -2), 8);
  EXPECT_EQ(measure(sample.build("combining")), (RoundsAndVolume{2, 3})) << "three other processes";
  EXPECT_EQ(measure(sample.build("coalesced")), (RoundsAndVolume{3, 3}));
}

/// A scattered block is gathered once, however many messages carry it.
TEST(DirectAllgather, StagesItsBlockOnce) {
  Sample sample({5, 5}, moore(2, 1), 32);
  Layout scattered;
  scattered.append({0, 8, 4, 16});
  sample.send.layout = &scattered;
  const Schedule staged = sample.build("direct", MessageForm::staged);
  EXPECT_EQ(copies(staged), 1);
  EXPECT_EQ(measure(staged).rounds, 8);
  EXPECT_EQ(copies(sample.build("direct", MessageForm::datatype)), 0);
}

/// EuroMPI 2015, section 5.1: through few ports, whatever sizes there are, who is missing and who is the process
/// itself.
TEST(DirectAllgather, ThroughPorts) {
  std::uint64_t seed = 0;
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
    for (const Neighborhood& hood : {box(2, 3, -1), Neighborhood{{1, 0}, {1, 0}, {0, 7}, {3, 2}, {-2, 1}}}) {
      for (const int ports : {1, 2, 3, 100}) {
        for (const KnownSizes known : {KnownSizes::none, KnownSizes::by_rank}) {
          const AllgatherCase given{.sizes = {3, 2},
                                    .periods = periods,
                                    .neighborhood = hood,
                                    .bytes = [](int rank) { return rank % 4 * 9; },
                                    .known = known,
                                    .ports = ports};
          expect_right(allgather_case(given, {"direct", build_direct}), seed++);
          ASSERT_FALSE(HasFatalFailure());
        }
      }
    }
  }
}

/// One exchange in flight: each waits for the one before, and only the first can start at once.
TEST(DirectAllgather, OnePortIsOneExchangeAfterTheOther) {
  const Sample sample({7, 7}, moore(2, 1), 8);
  const auto roots = [&](int ports) {
    Problem problem = sample.problem();
    problem.ports = ports;
    return choose(problem, "direct", Ordering::dependencies).schedule->root_messages();
  };
  EXPECT_EQ(roots(0), 16U);
  EXPECT_EQ(roots(1), 2U);
  EXPECT_EQ(roots(3), 6U);
}

/// Blocks whose message is copied anyway go on from where they arrived: no message but the first waits for two copies.
TEST(CombiningAllgather, PassesBlocksOnFromWhereTheyArrived) {
  const Sample sample({5, 5, 5}, moore(3, 1), 8);
  const Schedule schedule = sample.build("combining");
  for (const Task& task : schedule.tasks()) {
    if (task.kind != TaskKind::copy || task.target_space != Space::recv) continue;
    EXPECT_EQ(schedule.successors(task).size(), 0U) << "a copy to the user's buffer that something waits for";
  }
}

Chosen choose(const Problem& problem, const char* name = "auto") {
  return choose(problem, name, Ordering::dependencies);
}

/// What is predicted is what is built.
TEST(AllgatherAlgorithms, PredictionsCountWhatSchedulesDo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    Neighborhood hood(3);
    for (int i = 0; i < 12; ++i)
      hood.add(std::array{static_cast<int>(random() % 5), static_cast<int>(random() % 7) - 3,
                          1 - static_cast<int>(random() % 2)});
    const Sample sample({3, 5, 4}, hood, 24);
    const Problem problem = sample.problem();
    for (const Algorithm& row : registry().algorithms) {
      for (const Plan& plan : row.plans(problem)) {
        if (!std::isfinite(plan.prediction.nanoseconds)) continue;  // no candidate
        ScheduleBuilder builder;
        plan.build(problem, builder);
        const Prediction counted = sample.costs.schedule(std::move(builder).build());
        EXPECT_EQ(plan.prediction.rounds, counted.rounds) << plan.name << ", seed " << seed;
        EXPECT_EQ(plan.prediction.blocks, counted.blocks) << plan.name << ", seed " << seed;
        EXPECT_EQ(plan.prediction.bytes, counted.bytes) << plan.name << ", seed " << seed;
        EXPECT_EQ(plan.prediction.phases, counted.phases) << plan.name << ", seed " << seed;
      }
    }
  }
}

/// Blocks that MPI cannot count together, or not one by one.
TEST(AllgatherAlgorithms, LongMessagesAreSplitAsPredicted) {
  for (const std::int64_t bytes : {std::int64_t{1} << 29, std::int64_t{1} << 30, std::int64_t{3} << 30}) {
    const Sample sample({5, 4}, box(2, 4, -1), bytes);
    for (const char* name : {"coalesced", "combining", "logarithmic"}) {
      const Chosen chosen = choose(sample.problem(), name);
      const Prediction& predicted = chosen.candidates.front().prediction;
      const Prediction counted = sample.costs.schedule(*chosen.schedule);
      EXPECT_EQ(predicted.rounds, counted.rounds) << chosen.algorithm << ", " << bytes << " bytes";
      EXPECT_EQ(predicted.bytes, counted.bytes) << chosen.algorithm << ", " << bytes << " bytes";
      EXPECT_EQ(chosen.schedule->tags(), static_cast<unsigned>(counted.rounds)) << "one each, as sizes are equal";
    }
  }
}

TEST(AllgatherAlgorithms, AutoIsNeverPredictedWorse) {
  for (const std::int64_t bytes : {0, 4, 400, 40000}) {
    const Sample sample({4, 4}, box(2, 5, -1), bytes);
    const Chosen chosen = choose(sample.problem());
    for (const char* name : {"direct", "coalesced", "combining"}) {
      EXPECT_LE(chosen.candidates.front().prediction.nanoseconds,
                choose(sample.problem(), name).candidates.front().prediction.nanoseconds)
          << name;
    }
  }
}

/// On Moore neighborhoods combining sends no more than direct does: the paper expects it to be faster "regardless of
/// the block size m".
TEST(AllgatherAlgorithms, AutoCombinesManyNeighborsAndSendsDirectlyToFew) {
  for (const std::int64_t bytes : {8, 800}) {
    const Chosen chosen = choose(Sample({4, 4, 4, 4, 4}, box(5, 4, -1), bytes).problem());
    EXPECT_LT(chosen.candidates.front().prediction.rounds, 100) << chosen.algorithm;
    EXPECT_EQ(chosen.candidates.front().prediction.blocks, 1023) << chosen.algorithm;
  }
  EXPECT_EQ(choose(Sample({7, 7}, {{1, 1}}, 8).problem()).algorithm, "direct");
  EXPECT_EQ(choose(Sample({3}, {{1}, {4}, {-2}}, 8).problem()).algorithm, "coalesced");
}

/// The paper's open question (section 3.4): other expansions can be better than the dimension-wise one, which three
/// phases of two rounds each follow here, where two phases of eight and two rounds are predicted to take less time.
TEST(AllgatherAlgorithms, AutoCombinesSomeDimensions) {
  const Chosen chosen = choose(Sample({7, 7, 7}, moore(3, 1), 8).problem());
  EXPECT_EQ(chosen.algorithm, "expansions");
  EXPECT_EQ(chosen.plan, "dimensions 0+1, 2");
  EXPECT_EQ(chosen.candidates.front().prediction.phases, 2);
  EXPECT_EQ(chosen.candidates.front().prediction.rounds, 10);
  EXPECT_EQ(chosen.candidates.front().prediction.blocks, 26);
}

/// EuroMPI 2015, section 5.3: rounds grow with the logarithm of the offsets, and no block is sent twice to a process.
TEST(AllgatherAlgorithms, GoesAroundARingInLogarithmicallyManyRounds) {
  Neighborhood hood(2);
  for (int multiple = 1; multiple < 32; ++multiple) hood.add(std::array{multiple, -multiple});
  const Sample sample({64, 64}, hood, 8);
  EXPECT_EQ(measure(sample.build("ring")), (RoundsAndVolume{5, 31}));
  EXPECT_EQ(choose(sample.problem(), "ring").plan, "ring of multiples of (1, -1)");
  EXPECT_EQ(choose(Sample({7, 7}, {{1, 2}, {2, 1}}, 8).problem(), "ring").plan,
            "logarithmic, as offsets are not on a ring");
}

/// One block to all is in the sender's cache from the second message on: bytes cost less than an alltoall's, and few
/// messages of one block each are not worth fewer ones with the same bytes in twice the phases.
TEST(AllgatherAlgorithms, BytesOfOneBlockCostLess) {
  constexpr CostParameters kShared{.message = 275,
                                   .byte = 1.5,
                                   .burst = 512,
                                   .long_byte = 0.4,
                                   .eager_limit = 4000,
                                   .rendezvous = 3400,
                                   .rendezvous_byte = 0.12,
                                   .copied_block = 1.2,
                                   .copied_byte = 0.15,
                                   .phase = 1600};
  const Sample sample({4, 4}, moore(2, 1), 400);
  const auto chosen = [&](double warm) {
    CostParameters parameters = kShared;
    parameters.warm = warm;
    const CostModel costs(parameters);
    return choose({sample.grid, sample.facts, sample.send, sample.recv, {&sample.size, 1}, costs}).algorithm;
  };
  EXPECT_EQ(chosen(1), "combining");
  EXPECT_EQ(chosen(0.37), "direct");
}

TEST(AllgatherAlgorithms, AutoLooksForTheBestOrderOfDimensions) {
  const Sample sample({5, 5}, {{0, 1}, {0, 2}, {1, 1}}, 8);
  const Chosen chosen = choose(sample.problem(), "combining");
  EXPECT_EQ(chosen.algorithm, "combining");
  EXPECT_EQ(chosen.plan, "combining, best order");
  ASSERT_EQ(chosen.candidates.size(), 2U);
  EXPECT_EQ(chosen.candidates[0].prediction.blocks, 3);
  EXPECT_EQ(chosen.candidates[1].name, "combining");
  EXPECT_EQ(chosen.candidates[1].prediction.blocks, 4);
  EXPECT_EQ(choose(Sample({7, 7, 7}, moore(3, 1), 8).problem(), "combining").candidates.size(), 1U)
      << "there is nothing to be found";
}

/// Every rank predicts from the largest block and from the whole tree, wherever on the mesh it is.
TEST(AllgatherAlgorithms, AllRanksChooseAlike) {
  const std::array sizes{3, 3, 3};
  const std::array periods{0, 1, 0};
  const Grid grid(sizes, periods, 0);
  std::vector<std::int64_t> known(27, 8);
  known[5] = 70000;
  known[6] = 0;
  for (const Neighborhood& hood : {moore(3, 1), Neighborhood{{1, 1, 1}, {0, 1, 0}}, box(3, 4, -1)}) {
    std::set<std::string> chosen;
    for (int rank = 0; rank < 27; ++rank) {
      const Grid seen_from = grid.seen_from(rank);
      std::vector<Layout> layouts;
      for (int i = 0; i < hood.size(); ++i) {
        const int source = seen_from.relative_rank(hood[i], -1);
        layouts.push_back(Layout::contiguous(source == kNoRank ? 0 : known[static_cast<std::size_t>(source)]));
      }
      std::vector<BlockShape> recv;
      for (int i = 0; i < hood.size(); ++i)
        recv.push_back({i * std::int64_t{70000}, &layouts[static_cast<std::size_t>(i)]});
      const Layout own = Layout::contiguous(known[static_cast<std::size_t>(rank)]);
      const BlockShape send{0, &own};
      const NeighborhoodFacts facts(seen_from, hood);
      const CostModel costs(1.0);
      const Chosen here = choose({seen_from, facts, send, recv, known, costs});
      std::string table = here.algorithm + std::to_string(here.schedule->tags());
      for (const Candidate& candidate : here.candidates)
        table += "\n" + candidate.name + " " + std::to_string(candidate.prediction.nanoseconds);
      chosen.insert(table);
    }
    EXPECT_EQ(chosen.size(), 1U);
  }
}

TEST(AllgatherAlgorithms, WhatIsNotToBeHadIsSaid) {
  const Sample sample({4, 4}, moore(2, 1), 8);
  const Problem unknown{sample.grid, sample.facts, sample.send, sample.recv, {}, sample.costs};
  const Chosen chosen = choose(unknown, "combining");
  EXPECT_EQ(chosen.algorithm, "coalesced");
  EXPECT_NE(chosen.note.find("combining was requested"), std::string::npos) << chosen.note;
  EXPECT_EQ(choose(unknown).algorithm, "coalesced");
  EXPECT_TRUE(choose(unknown).note.empty());
  EXPECT_EQ(choose(unknown, "direct").algorithm, "direct");
}

TEST(CombiningAllgather, RefusesToPassBlocksOfUnknownSize) {
  const Sample sample({5, 5}, {{1, 1}}, 8);
  const Problem unknown{sample.grid, sample.facts, sample.send, sample.recv, {}, sample.costs};
  const Tree tree(sample.grid, sample.facts.folded(),
                  expand_in_parts(sample.grid, sample.facts.distinct(), singly(std::array{0, 1}), ""));
  ScheduleBuilder builder;
  EXPECT_THROW(build_combining(unknown, tree, builder), Error);
}

/// 4 x 4 x 4 ranks in blocks of 8: one message from each node to each other one that it has neighbors on, with each
/// block once, and a block once to each rank.
TEST(NodeAwareAllgather, SendsABlockOnceToEachNode) {
  AllgatherCase given{.sizes = {4, 4, 4}, .periods = {}, .neighborhood = moore(3, 1), .bytes = [](int) { return 8; }};
  for (int rank = 0; rank < 64; ++rank) given.nodes.push_back(1 + rank / 8);
  const NodeMembers nodes(given.nodes);
  const Grid grid(given.sizes, 0);
  std::map<std::pair<int, int>, std::set<int>> expected;  // by nodes: whose blocks
  for (int rank = 0; rank < 64; ++rank) {
    for (int i = 0; i < given.neighborhood.size(); ++i) {
      const int target = grid.seen_from(rank).relative_rank(given.neighborhood[i]);
      const std::pair pair(nodes.node_of(rank), nodes.node_of(target));
      if (pair.first != pair.second) expected[pair].insert(rank);
    }
  }
  const std::vector<AllgatherLowering> plans = allgather_lowerings(given, "node-aware");
  ASSERT_GT(plans.size(), 1U);
  const CollectiveCase made = allgather_case(given, plans.front());
  EXPECT_EQ(checked(made), "");
  std::map<std::pair<int, int>, std::int64_t> bytes;
  for (int rank = 0; rank < 64; ++rank) {
    const Schedule& schedule = *made.schedules[static_cast<std::size_t>(rank)];
    for (const Task& task : schedule.tasks()) {
      if (task.kind != TaskKind::send || nodes.node_of(task.peer) == nodes.node_of(rank)) continue;
      const auto [at, first] = bytes.insert({{nodes.node_of(rank), nodes.node_of(task.peer)}, task.bytes});
      EXPECT_TRUE(first) << "a second message from node " << at->first.first << " to node " << at->first.second;
    }
  }
  ASSERT_EQ(bytes.size(), expected.size());
  for (const auto& [pair, sources] : expected) EXPECT_EQ(bytes[pair], 8 * std::ssize(sources));
}

/// By hand: a far message costs 1000 and a near one 1, half of it at each end.
TEST(NodeAwareAllgather, IsPredictedByItsBusiestRanks) {
  Sample sample({6}, {{1}, {2}, {3}}, 8);
  sample.costs = test::costs_by_way();
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 2, 2, 2});
  Problem problem = sample.problem();
  problem.nodes = &nodes;
  // All have neighbors on the other node. The first rank of a node sends its block to the two others, takes theirs, and
  // sends all to the last rank of the other node, which hands them out to the two others there.
  const Chosen chosen = choose(problem, "node-aware", Ordering::dependencies);
  const auto plan = std::ranges::find(chosen.candidates, "node-aware", &Candidate::name);
  ASSERT_NE(plan, chosen.candidates.end());
  EXPECT_EQ(plan->prediction.phases, 3);
  EXPECT_EQ(plan->prediction.nanoseconds, (2 + 2) / 2.0 + (1000 + 1000) / 2.0 + (2 + 1) / 2.0);
}

/// Rows of a torus on nodes of their own: what goes along them is near.
TEST(AllgatherCosts, CountFarAndNearMessages) {
  Sample sample({3, 4}, moore(2, 1), 8);
  sample.costs = test::costs_by_way();
  const std::vector<std::int64_t> nodes = test::nodes_by(sample.grid.sizes(), 0b01);
  const NearOffsets rows(sample.grid, nodes);
  const auto predicted = [&](const char* name, const NearOffsets* near) {
    Problem problem = sample.problem();
    problem.near = near;
    return choose(problem, name).candidates.front().prediction.nanoseconds;
  };
  for (const char* name : {"direct", "coalesced"}) EXPECT_EQ(predicted(name, &rows), 6 * 1000 + 2 * 1) << name;
  for (const char* name : {"combining", "logarithmic", "neighbors"})
    EXPECT_EQ(predicted(name, &rows), 2 * 1000 + 2 * 1) << name;
  EXPECT_EQ(predicted("direct", nullptr), 8 * 1000) << "nobody knows";
}

TEST(AllgatherCosts, WaitForTheSlowestMessageOfAPhase) {
  Sample sample({3, 4}, moore(2, 1), 8);
  CostParameters far{};
  far.phase = 1000;
  CostParameters near{};
  near.phase = 1;
  sample.costs = CostModel(far).with_near(CostModel(near));
  const std::vector<std::int64_t> nodes = test::nodes_by(sample.grid.sizes(), 0b01);
  const NearOffsets rows(sample.grid, nodes);
  const auto predicted = [&](const char* name) {
    Problem problem = sample.problem();
    problem.near = &rows;
    return choose(problem, name).candidates.front().prediction.nanoseconds;
  };
  EXPECT_EQ(predicted("direct"), 1000);
  EXPECT_EQ(predicted("combining"), 1000 + 1) << "between rows, and along them";
}

}  // namespace
}  // namespace rondo::internal::allgather::algorithms_test
