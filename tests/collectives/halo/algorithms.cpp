// Every algorithm of the halo exchange: through the checker, and once through the simulation.
#include "collectives/halo/algorithms.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/halo_case.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"
#include "tests/support/test_scale.hpp"

#include <cstdio>
#include <map>
#include <random>

namespace rondo::internal::halo::algorithms_test {
namespace {

class HaloAlgorithms : public ::testing::Test {
 protected:
  /// On some nodes, which only plans with carriers look at.
  void sweep(HaloCase given) {
    given.nodes = test::some_nodes(Grid(given.sizes, 0).size(), ++sweeps_);
    for_each_halo(given, [&](const CollectiveCase& each) {
      if (HasFatalFailure()) return;
      if (!taken(sweeps_ + cases_++, 3)) return;
      ASSERT_EQ(checked(each), "") << each.name;
      ASSERT_EQ(simulate({&each, 1}, cases_, 1), "") << each.name;
    });
  }
  void TearDown() override { std::printf("%llu cases\n", static_cast<unsigned long long>(cases_)); }

 private:
  std::uint64_t cases_ = 0;
  std::uint64_t sweeps_ = 0;
};

std::vector<int> depths(std::size_t dimensions, int depth) { return std::vector<int>(dimensions, depth); }

TEST_F(HaloAlgorithms, OneDimension) {
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (int p = 1; p <= 5; ++p) {
      for (const int period : {0, 1}) {
        for (int low = 0; low <= 4; ++low) {
          for (int high = 0; high <= 4; high += 2)
            sweep({.sizes = {p}, .periods = {period}, .low = {low}, .high = {high}, .stencil = stencil});
        }
      }
    }
  }
}

TEST_F(HaloAlgorithms, TwoDimensions) {
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (const std::vector<int>& sizes : {std::vector{1, 1}, {1, 3}, {2, 2}, {3, 1}, {4, 2}, {3, 3}}) {
      for (const std::vector<int>& periods : {std::vector{1, 1}, {1, 0}, {0, 1}, {0, 0}}) {
        for (int depth = 1; depth <= 4; ++depth) {
          sweep({.sizes = sizes,
                 .periods = periods,
                 .low = depths(2, depth),
                 .high = depths(2, depth),
                 .stencil = stencil});
        }
        sweep({.sizes = sizes, .periods = periods, .low = {3, 1}, .high = {0, 2}, .stencil = stencil});
        sweep({.sizes = sizes, .periods = periods, .low = {0, 4}, .high = {2, 4}, .stencil = stencil});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(HaloAlgorithms, ThreeDimensions) {
  const auto inside = [](int axis, int) { return std::int64_t{2} + axis; };
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (const std::vector<int>& sizes : {std::vector{1, 1, 1}, {2, 2, 2}, {3, 1, 2}, {1, 3, 3}}) {
      for (const std::vector<int>& periods : {std::vector{1, 1, 1}, {1, 0, 1}, {0, 0, 0}}) {
        sweep({.sizes = sizes,
               .periods = periods,
               .low = depths(3, 1),
               .high = depths(3, 1),
               .stencil = stencil,
               .inside = inside});
        sweep({.sizes = sizes,
               .periods = periods,
               .low = {2, 3, 2},
               .high = {2, 1, 4},
               .stencil = stencil,
               .inside = inside});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(HaloAlgorithms, FourDimensionsAndFive) {
  const auto two = [](int, int) { return std::int64_t{2}; };
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    sweep({.sizes = {2, 2, 2, 1},
           .periods = {1, 0, 1, 1},
           .low = depths(4, 1),
           .high = {1, 2, 1, 1},
           .stencil = stencil,
           .inside = two});
    sweep({.sizes = {3, 1, 1, 3},
           .periods = {},
           .low = {2, 0, 1, 2},
           .high = {2, 1, 1, 2},
           .stencil = stencil,
           .inside = two});
    sweep({.sizes = {2, 1, 2, 1, 2},
           .periods = {1, 1, 0, 1, 1},
           .low = depths(5, 1),
           .high = depths(5, 1),
           .stencil = stencil,
           .inside = [](int, int) { return std::int64_t{1}; }});
  }
}

TEST_F(HaloAlgorithms, PaddedRows) {
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
      for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}}) {
        sweep({.sizes = {3, 2},
               .periods = periods,
               .low = {2, 1},
               .high = {1, 2},
               .stencil = stencil,
               .order = order,
               .padding = {3, 1},
               .element = element_of(4)});
        sweep({.sizes = {2, 2},
               .periods = periods,
               .low = {2, 1},
               .high = {1, 2},
               .stencil = stencil,
               .order = order,
               .padding = {0, 2},
               .element = element_with_gaps()});
      }
      sweep({.sizes = {2, 1, 2},
             .periods = {1, 1, 0},
             .low = {1, 2, 1},
             .high = {2, 1, 1},
             .stencil = stencil,
             .order = order,
             .inside = [](int axis, int) { return std::int64_t{2} + axis; },
             .padding = {1, 2, 3},
             .element = element_of(2)});
      if (HasFatalFailure()) return;
    }
  }
}

/// Of other elements, depths, orders, sizes and numbers of dimensions.
TEST_F(HaloAlgorithms, SeveralArrays) {
  const auto uneven = [](int axis, int coordinate) { return std::int64_t{3} + (axis + 2 * coordinate) % 3; };
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
      HaloCase given{.sizes = {3, 2},
                     .periods = periods,
                     .low = {2, 1},
                     .high = {1, 3},
                     .stencil = stencil,
                     .inside = uneven,
                     .element = element_of(4)};
      given.others = {{.low = {1, 0, 0},
                       .high = {0, 1, 0},
                       .order = StorageOrder::column_major,
                       .inside = [](int axis, int) { return std::int64_t{2} + axis; },
                       .padding = {1, 0, 2},
                       .element = element_with_gaps()},
                      {.low = {0, 0}, .high = {3, 2}, .element = element_of(1)},
                      {.low = {0, 0}, .high = {0, 0}, .element = element_of(2)}};
      sweep(given);
      if (HasFatalFailure()) return;
    }
    HaloCase given{.sizes = {2, 1, 3}, .low = {1, 1, 1}, .high = {1, 1, 1}, .stencil = stencil};
    given.others = {{.low = {2, 0, 1}, .high = {0, 2, 1}, .inside = [](int, int) { return std::int64_t{2}; }}};
    sweep(given);
  }
}

/// As many messages as one array has that has the depths of all.
TEST(HaloRounds, SeveralArraysTakeNoMoreMessagesThanOne) {
  HaloCase one{.sizes = {3, 3, 3}, .low = depths(3, 2), .high = depths(3, 2)};
  HaloCase several = one;
  several.others = {one, {.low = depths(3, 1), .high = depths(3, 1), .element = element_of(8)}};
  std::ranges::swap(several.low, several.others.back().low);  // the deepest is not the first
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    one.stencil = several.stencil = stencil;
    const HaloArrays array(one);
    const HaloArrays arrays(several);
    for (std::size_t i = 0; i < halo_expansions(array.grid(), array.typical()).size(); ++i) {
      const auto messages = [&](const HaloCase& given, const HaloArrays& of) {
        const Expansion expansion = halo_expansions(of.grid(), of.typical())[i];
        return halo_case(given, of, {}, expansion).schedules.front()->messages().size();
      };
      EXPECT_EQ(messages(several, arrays), messages(one, array));
    }
  }
}

TEST_F(HaloAlgorithms, BlocksOfDifferentSizes) {
  const auto uneven = [](int axis, int coordinate) { return std::int64_t{2} + (axis + 2 * coordinate) % 3; };
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
      for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
        sweep({.sizes = {3, 2},
               .periods = periods,
               .low = {2, 1},
               .high = {1, 2},
               .stencil = stencil,
               .order = order,
               .inside = uneven,
               .element = element_of(4)});
        sweep({.sizes = {2, 3},
               .periods = periods,
               .low = {2, 2},
               .high = {2, 2},
               .stencil = stencil,
               .order = order,
               .inside = uneven,
               .element = element_with_gaps()});
      }
      sweep({.sizes = {2, 1, 3},
             .periods = {1, 1, 0},
             .low = {1, 2, 1},
             .high = {2, 1, 1},
             .stencil = stencil,
             .order = order,
             .inside = uneven,
             .element = element_of(3)});
    }
  }
}

TEST_F(HaloAlgorithms, DimensionsThatAreNotDistributed) {
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    sweep({.sizes = {3}, .periods = {1}, .low = {1, 0}, .high = {2, 0}, .order = order});
    sweep({.sizes = {2, 2},
           .periods = {1, 0},
           .low = {2, 1, 0, 0},
           .high = {2, 1, 0, 0},
           .stencil = Stencil::star,
           .order = order,
           .inside = [](int axis, int) { return std::int64_t{2} + axis % 2; }});
  }
}

TEST_F(HaloAlgorithms, FewPorts) {
  for (const int ports : {1, 3}) {
    for (const std::vector<int>& periods : {std::vector{1, 1}, {1, 0}}) {
      for (const Stencil stencil : {Stencil::box, Stencil::star}) {
        sweep({.sizes = {3, 2}, .periods = periods, .low = {2, 1}, .high = {1, 3}, .stencil = stencil, .ports = ports});
      }
    }
  }
}

/// Only `direct` keeps to them.
TEST(HaloPorts, LimitWhatDirectPostsAtOnce) {
  const HaloCase given{.sizes = {3, 3}, .periods = {}, .low = {1, 1}, .high = {1, 1}};
  const HaloArrays arrays(given);
  const CostModel costs(1.0);
  for (const int ports : {0, 1, 3}) {
    const Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs, ports};
    const Chosen direct = choose(problem, "direct", Ordering::dependencies, MessageForm::datatype);
    EXPECT_EQ(direct.schedule->root_messages(), 2U * (ports == 0 ? 8U : static_cast<unsigned>(ports)));
    EXPECT_EQ(direct.candidates.front().prediction.phases, ports == 0 ? 1 : (8 + ports - 1) / ports);
    const Chosen combining = choose(problem, "combining", Ordering::dependencies, MessageForm::datatype);
    EXPECT_EQ(combining.schedule->root_messages(), 2U * 2U + 2U);  // and the receives of the second phase
  }
}

TEST_F(HaloAlgorithms, EmptyArrays) {
  sweep({.sizes = {2, 2}, .periods = {}, .low = {1, 0}, .high = {1, 0}, .inside = [](int axis, int) {
           return std::int64_t{axis == 0 ? 2 : 0};
         }});
  sweep({.sizes = {2, 2}, .periods = {}, .low = {0, 0}, .high = {0, 0}});
}

TEST_F(HaloAlgorithms, Random) {
  for (const std::uint64_t seed : seeds(120)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 3);
    const int axes = d + (draw(0, 3) == 0 ? 1 : 0);
    HaloCase given{.sizes = {}, .periods = {}, .low = {}, .high = {}};
    std::vector<std::vector<std::int64_t>> inside;
    for (int k = 0; k < axes; ++k) {
      if (k < d) {
        given.sizes.push_back(draw(1, d == 3 ? 2 : 4));
        given.periods.push_back(draw(0, 1));
      }
      const int most = d == 3 ? 2 : 4;
      given.low.push_back(k < d ? draw(0, most) : 0);
      given.high.push_back(k < d ? draw(0, most) : 0);
      const int least = std::max(given.low.back(), given.high.back());
      std::vector<std::int64_t>& along = inside.emplace_back();
      for (int c = 0; c < (k < d ? given.sizes.back() : 1); ++c) along.push_back(least + draw(0, 2));
    }
    given.inside = [&](int axis, int coordinate) {
      return inside[static_cast<std::size_t>(axis)][static_cast<std::size_t>(coordinate)];
    };
    given.stencil = draw(0, 1) == 0 ? Stencil::box : Stencil::star;
    given.order = draw(0, 1) == 0 ? StorageOrder::row_major : StorageOrder::column_major;
    given.element = draw(0, 2) == 0 ? element_with_gaps() : element_of(draw(1, 9));
    sweep(given);
    ASSERT_FALSE(HasFatalFailure()) << "RONDO_SEED=" << seed;
  }
}

/// Elements received by all ranks together in messages.
std::int64_t volume(const CollectiveCase& collective, std::int64_t element) {
  std::int64_t bytes = 0;
  for (const auto& schedule : collective.schedules) {
    for (const Task& task : schedule->tasks()) bytes += task.kind == TaskKind::receive ? task.bytes : 0;
  }
  return bytes / element;
}

/// What must come from other processes: the elements of the definition, but those that lie outside along a dimension
/// where the process is its own neighbor, which are copies of others that are there.
std::int64_t least_volume(const HaloArrays& arrays, std::int64_t element) {
  std::int64_t bytes = 0;
  for (const Placement& line : arrays.definition()) {
    const Shape& shape = arrays.shape(line.target);
    bool copied = false;
    std::int64_t rest = line.target_offset;
    for (const int axis : shape.slowest_first()) {
      const std::int64_t index = rest / shape.stride(axis);
      rest %= shape.stride(axis);
      const bool outside = index < shape[axis].low || index >= shape[axis].low + shape[axis].inside;
      copied = copied || (outside && axis < arrays.grid().dimensions() && arrays.grid().residue(axis, 1) == 0);
    }
    bytes += copied ? 0 : line.bytes;
  }
  return bytes / element;
}

TEST(HaloVolume, EachElementIsReceivedOnce) {
  const std::int64_t element = 8;
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for (const std::vector<int>& sizes : {std::vector{3, 4}, {2, 2}, {1, 3}, {3, 3, 2}, {2, 1, 3}}) {
      for (const int period : {0, 1}) {
        const std::size_t d = sizes.size();
        const HaloCase given{.sizes = sizes,
                             .periods = std::vector<int>(d, period),
                             .low = depths(d, 3),
                             .high = depths(d, 2),
                             .stencil = stencil,
                             .element = element_of(element)};
        const HaloArrays arrays(given);
        const std::int64_t least = least_volume(arrays, element);
        EXPECT_GT(least, 0);
        for (const Expansion& expansion : halo_expansions(arrays.grid(), arrays.typical())) {
          const CollectiveCase made = halo_case(given, arrays, {}, expansion);
          EXPECT_EQ(volume(made, element), least) << made.name;
        }
      }
    }
  }
}

/// On a torus each process receives the whole of its halo: 4nk and four corners in two dimensions (EuroMPI 2015,
/// section 2).
TEST(HaloVolume, IsThatOfThePapers) {
  const int n = 12;
  for (int k = 1; k <= 10; ++k) {
    for (const Stencil stencil : {Stencil::box, Stencil::star}) {
      const HaloCase given{.sizes = {3, 3},
                           .periods = {},
                           .low = depths(2, k),
                           .high = depths(2, k),
                           .stencil = stencil,
                           .inside = [](int, int) { return std::int64_t{n}; },
                           .element = element_of(8)};
      const HaloArrays arrays(given);
      const std::int64_t corner = stencil == Stencil::box ? k * k : k * (k - 1) / 2;
      for (const Expansion& expansion : halo_expansions(arrays.grid(), arrays.typical())) {
        const CollectiveCase made = halo_case(given, arrays, {}, expansion);
        EXPECT_EQ(volume(made, 8), 9 * 4 * (n * k + corner)) << made.name;
      }
    }
  }
}

/// Messages and phases of the plain forms on a torus without short dimensions.
TEST(HaloRounds, OfEachAlgorithm) {
  struct Wanted {
    std::int64_t rounds;
    std::int64_t phases;
  };
  const auto expect = [](const HaloCase& given, std::string_view name, Wanted wanted) {
    const HaloArrays arrays(given);
    const CostModel costs(1.0);
    const Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs};
    for (const auto& algorithm : registry().algorithms) {
      if (algorithm.name != name) continue;
      const auto plans = algorithm.plans(problem);
      const Prediction& predicted = plans.front().prediction;
      EXPECT_EQ(predicted.rounds, wanted.rounds) << plans.front().name << ", " << describe(given);
      EXPECT_EQ(predicted.phases, wanted.phases) << plans.front().name << ", " << describe(given);
      ScheduleBuilder builder;
      plans.front().build(problem, builder);
      const Schedule schedule = std::move(builder).build();
      EXPECT_EQ(std::ssize(schedule.messages()), 2 * wanted.rounds);
    }
  };
  const HaloCase two{.sizes = {3, 3}, .periods = {}, .low = depths(2, 2), .high = depths(2, 2)};
  const HaloCase three{.sizes = {3, 3, 3}, .periods = {}, .low = depths(3, 1), .high = depths(3, 1)};
  expect(two, "direct", {8, 1});
  expect(two, "combining", {4, 2});
  expect(two, "joined", {6, 2});
  expect(three, "direct", {26, 1});
  expect(three, "combining", {6, 3});
  expect(three, "joined", {12, 3});
  // A star of depth 1 has faces only, and they wait for nothing.
  HaloCase star = three;
  star.stencil = Stencil::star;
  expect(star, "direct", {6, 1});
  expect(star, "combining", {6, 3});
  expect(star, "joined", {6, 1});
  // On a small torus neighbors are the same process.
  HaloCase small = two;
  small.sizes = {2, 2};
  expect(small, "direct", {8, 1});
  expect(small, "coalesced", {3, 1});
  expect(small, "combining", {2, 2});
  expect(small, "joined", {3, 2});
}

TEST(HaloRounds, EveryDirectionOnce) {
  for (const std::vector<int>& sizes : {std::vector{3, 3, 3}, {2, 1, 3}, {4, 2, 2}}) {
    const HaloCase given{.sizes = sizes, .periods = {}, .low = depths(3, 1), .high = depths(3, 1)};
    const HaloArrays arrays(given);
    for (const Expansion& expansion : halo_expansions(arrays.grid(), arrays.typical())) {
      std::map<int, int> times;  // by direction
      for (const Round& round : expansion.rounds) {
        for (const Part& part : round.parts) {
          for (const Zone& zone : part.zones) {
            for (const Sides a : {kLow, kInside, kHigh}) {
              for (const Sides b : {kLow, kInside, kHigh}) {
                for (const Sides c : {kLow, kInside, kHigh}) {
                  if ((zone[0] & a) != 0 && (zone[1] & b) != 0 && (zone[2] & c) != 0) ++times[a + 8 * b + 64 * c];
                }
              }
            }
          }
        }
      }
      EXPECT_EQ(times.size(), 26U) << expansion.name;
      for (const auto& [direction, count] : times) EXPECT_EQ(count, 1) << expansion.name;
    }
  }
}

/// Faces leave at once in the joined form: nothing that a start posts waits for anything but edges and corners.
TEST(HaloRounds, FacesOfTheJoinedFormWaitForNothing) {
  const HaloCase given{.sizes = {3, 3, 3}, .periods = {}, .low = depths(3, 1), .high = depths(3, 1)};
  const HaloArrays arrays(given);
  const CollectiveCase made =
      halo_case(given, arrays, {}, joined(arrays.grid(), arrays.typical(), divisions(std::vector{2, 1, 0}).front()));
  std::int64_t sent_at_once = 0;
  std::int64_t sent = 0;
  for (const Task& task : made.schedules.front()->tasks()) {
    if (task.kind != TaskKind::send) continue;
    sent += task.bytes;
    if (task.phase == 0) sent_at_once += task.bytes;
  }
  EXPECT_EQ(sent_at_once, 6 * 4 * 4);
  EXPECT_EQ(sent, 6 * 6 * 6 - 4 * 4 * 4);
}

TEST(HaloNames, TellStages) {
  EXPECT_EQ(stage_name("joined", std::vector<std::vector<int>>{{2}, {1}, {0}}), "joined");
  EXPECT_EQ(stage_name("joined", std::vector<std::vector<int>>{{2}, {1, 0}}), "joined 2,1+0");
  EXPECT_EQ(divisions(std::vector{3, 2, 1, 0}).size(), 7U);
  EXPECT_EQ(divisions(std::vector{1, 0}).size(), 1U);
}

/// Rows of a torus on nodes of their own: the two messages along them are near, whatever else the halo costs.
TEST(HaloCosts, CountNearMessages) {
  const HaloCase given{.sizes = {3, 4}, .periods = {}, .low = {1, 1}, .high = {1, 1}};
  const HaloArrays arrays(given);
  const CostModel costs = test::costs_by_way();
  const std::vector<std::int64_t> nodes = test::nodes_by(given.sizes, 0b01);
  const NearOffsets rows(arrays.grid(), nodes);
  const auto predicted = [&](const char* name, const NearOffsets* near) {
    const Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs, 0, near};
    const Chosen chosen = choose(problem, name, Ordering::dependencies, MessageForm::automatic);
    return chosen.candidates.front().prediction.nanoseconds;
  };
  for (const char* name : {"direct", "coalesced", "combining"})
    EXPECT_NEAR(predicted(name, nullptr) - predicted(name, &rows), 2 * (1000 - 1), 1e-6) << name;
}

/// Who has to wait for near messages only does not wait for the network.
TEST(HaloCosts, CountNearWaits) {
  const HaloCase given{.sizes = {3, 4}, .periods = {}, .low = {1, 1}, .high = {1, 1}};
  const HaloArrays arrays(given);
  CostParameters far{};
  far.eager_limit = 1000000;
  far.phase = 500;
  CostParameters near = far;
  near.phase = 20;
  const CostModel costs = CostModel(far).with_near(CostModel(near));
  const std::vector<std::int64_t> nodes = test::nodes_by(given.sizes, 0b01);
  const NearOffsets rows(arrays.grid(), nodes);
  const auto predicted = [&](const char* name, const NearOffsets* known) {
    const Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs, 0, known};
    return choose(problem, name, Ordering::dependencies, MessageForm::automatic)
        .candidates.front()
        .prediction.nanoseconds;
  };
  EXPECT_EQ(predicted("direct", &rows), predicted("direct", nullptr));
  EXPECT_NEAR(predicted("combining", &rows), predicted("combining", nullptr) - 500 + 20, 1e-6);
}

/// Squares with long scattered columns on rows of a torus, a node each: dimension by dimension the port idles while
/// columns are packed, and then has the rows; at once both go on together, which is worth some more messages.
TEST(HaloCosts, PortsAreBusyWhileCoresPack) {
  const auto best = [](std::int64_t order) {
    const HaloCase given{
        .sizes = {4, 16},
        .low = {4, 4},
        .high = {4, 4},
        .stencil = Stencil::box,
        .inside = [order](int, int) { return order; },
    };
    const HaloArrays arrays(given);
    const CostModel costs = CostModel(1.0)
                                .over_network({.message = 600, .byte = 1.5, .latency = 1200})
                                .with_near(CostModel::through_slots(1.0));
    const std::vector<std::int64_t> nodes = test::nodes_by(given.sizes, 0b01);
    const NearOffsets rows(arrays.grid(), nodes);
    const Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs, 0, &rows};
    return choose(problem, "auto", Ordering::dependencies, MessageForm::automatic).algorithm;
  };
  EXPECT_EQ(best(10), "combining");
  EXPECT_NE(best(10000), "combining");
}

/// Over a network, of bytes that leave a node for some of its ranks only that share keeps its port busy.
TEST(HaloCosts, CountBytesThatLeaveTheNode) {
  const HaloCase given{.sizes = {8}, .periods = {}, .low = {3}, .high = {0}};
  const HaloArrays arrays(given);
  const CostModel costs = CostModel(1.0).over_network({.message = 1000, .byte = 100, .latency = 5000});
  const auto predicted = [&](const std::vector<std::int64_t>& nodes) {
    const NearOffsets near(arrays.grid(), nodes);
    const Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs, 0, &near};
    return choose(problem, "direct", Ordering::dependencies, MessageForm::automatic)
        .candidates.front()
        .prediction.nanoseconds;
  };
  const double bytes = costs.on_port(arrays.typical_bundle().count({kLow}));
  ASSERT_GT(bytes, 0);
  EXPECT_NEAR(predicted({1, 2, 1, 2, 1, 2, 1, 2}), 5000 + 1000 + bytes, 1e-6) << "all";
  EXPECT_NEAR(predicted({1, 1, 1, 1, 2, 2, 2, 2}), 5000 + 1000 + bytes / 4, 1e-6) << "one of four";
}

}  // namespace
}  // namespace rondo::internal::halo::algorithms_test
