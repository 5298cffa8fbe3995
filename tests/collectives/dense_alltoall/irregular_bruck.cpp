// Bruck et al. with blocks of several sizes (zero-copy Bruck paper, section 3.5): zero-copy, and staged in any radix.
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/round_sizes.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/dense_row.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::dense::irregular_bruck_test {
namespace {

/// From `least` to `most` bytes, the same both ways, as in place they must be.
std::function<std::int64_t(int, int)> sizes_between(std::int64_t least, std::int64_t most) {
  return [least, most](int source, int target) {
    std::minstd_rand random(static_cast<unsigned>(1 + source * source + target * target));
    random.discard(5);
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
}

/// Rank 1's part of an alltoall of p ranks.
struct Part {
  Part(int p, std::function<std::int64_t(int, int)> given) : size(p), bytes(std::move(given)) {
    for (int j = 0; j < p; ++j) {
      send_layouts.push_back(Layout::contiguous(bytes(1, j)));
      recv_layouts.push_back(Layout::contiguous(bytes(j, 1)));
    }
    std::int64_t place = 0;
    for (int j = 0; j < p; ++j, place += 1000000) {
      send.push_back({place, &send_layouts[static_cast<std::size_t>(j)]});
      recv.push_back({place, &recv_layouts[static_cast<std::size_t>(j)]});
    }
    smallest = largest = bytes(0, 0);
    for (int source = 0; source < p; ++source) {
      for (int target = 0; target < p; ++target) {
        smallest = std::min(smallest, bytes(source, target));
        largest = std::max(largest, bytes(source, target));
      }
    }
  }
  [[nodiscard]] RoundSizes passing(int radix) const { return round_sizes(size, 1, radix, bytes); }
  [[nodiscard]] Problem problem(const RoundSizes* known, Options options = {}) const {
    return {1, size, send, recv, true, costs, largest, smallest, false, options, known};
  }

  int size;
  std::function<std::int64_t(int, int)> bytes;
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  CostModel costs{1.0};
  std::vector<Layout> send_layouts;
  std::vector<Layout> recv_layouts;
  std::vector<BlockShape> send;
  std::vector<BlockShape> recv;
};

TEST(IrregularBruck, IsRight) {
  for (int p = 1; p <= 33; ++p) {
    for (const bool in_place : {false, true}) {
      for (const std::int64_t least : {0, 40}) {
        DenseCase given{.size = p, .bytes = sizes_between(least, 160), .in_place = in_place};
        if (p % 2 == 1) given.ordering = Ordering::phases;
        const CollectiveCase each = dense_case(given, dense_way("irregular-bruck"));
        EXPECT_EQ(checked(each), "");
        EXPECT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p), 2), "");
      }
    }
  }
}

TEST(IrregularBruck, IsRightInAnyRadixThroughAnyPorts) {
  for (int p = 1; p <= 33; ++p) {
    for (int radix = 2; radix <= std::max(2, p); radix += 1 + p / 8) {
      const DenseCase given{.size = p,
                            .bytes = sizes_between(0, 30),
                            .in_place = p % 3 == 0,
                            .options = {.ports = (p + radix) % 4, .radix = radix}};
      const CollectiveCase each = dense_case(given, dense_way("bruck"));
      EXPECT_EQ(checked(each), "");
      EXPECT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p * radix), 1), "");
    }
  }
}

/// MPI counts 2^31 bytes of a message: rounds are several messages, in the same number on all ranks, whatever the sizes
/// of their own blocks are.
TEST(IrregularBruck, HasTheSameTagsOnAllRanksWhereRoundsAreSeveralMessages) {
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30U;
  for (const int p : {3, 5, 8}) {
    for (const std::string_view name : {"bruck", "irregular-bruck"}) {
      const DenseCase given{.size = p, .bytes = sizes_between(kGibibyte / 2, kGibibyte * 3 / 2)};
      EXPECT_EQ(checked(dense_case(given, dense_way(name))), "") << p << " ranks, " << name;
    }
  }
}

/// Some ranks have nothing to send, or nothing at all; some messages are empty.
TEST(IrregularBruck, IsRightWhereMostBlocksAreEmpty) {
  for (const int p : {2, 5, 8, 13}) {
    for (const std::string_view name : {"bruck", "irregular-bruck"}) {
      for (const int ports : {0, 1, 2}) {
        const DenseCase given{
            .size = p,
            .bytes = [](int source, int target) { return std::int64_t{source % 3 == 1 && target % 4 == 0 ? 9 : 0}; },
            .options = {.ports = ports, .radix = name == "bruck" ? 3 : 2}};
        const CollectiveCase each = dense_case(given, dense_way(name));
        EXPECT_EQ(checked(each), "");
        EXPECT_EQ(simulate({&each, 1}, 5, 2), "");
      }
    }
  }
}

/// No copy but to self, a message per round, and the two intermediate buffers of section 3.5.
TEST(IrregularBruck, IsZeroCopy) {
  for (int p = 2; p <= 70; ++p) {
    const Part part(p, sizes_between(50, 200));
    const RoundSizes passing = part.passing(2);
    for (const MessageForm form : {MessageForm::automatic, MessageForm::staged}) {
      const Chosen chosen = choose(part.problem(&passing), "irregular-bruck", Ordering::dependencies, form);
      EXPECT_EQ(chosen.algorithm, "irregular-bruck");
      EXPECT_EQ(chosen.note, "");
      int log = 0;
      while ((1 << log) < p) ++log;
      EXPECT_EQ(std::ranges::count(chosen.schedule->tasks(), TaskKind::send, &Task::kind), log);
      EXPECT_EQ(std::ranges::count(chosen.schedule->tasks(), TaskKind::copy, &Task::kind), 1);
      const std::int64_t buffer = (p - 1) * part.largest;
      EXPECT_GE(chosen.schedule->scratch_bytes(), 2 * buffer);
      EXPECT_LT(chosen.schedule->scratch_bytes(), 2 * buffer + 64) << "but for the cache line that one begins";
    }
  }
}

/// Counts are those of the regular problem; bytes are those that there are.
TEST(IrregularBruck, IsPredictedAsIfAllBlocksWereTheLargest) {
  const Part part(20, sizes_between(50, 200));
  for (const int radix : {2, 3, 5}) {
    const RoundSizes passing = part.passing(radix);
    const Chosen chosen = choose(part.problem(&passing, {.radix = radix}), "bruck", Ordering::dependencies);
    const Prediction built = part.costs.schedule(*chosen.schedule);
    const Prediction& predicted = chosen.candidates.front().prediction;
    EXPECT_EQ(predicted.phases, built.phases);
    EXPECT_EQ(predicted.rounds, built.rounds);
    EXPECT_EQ(predicted.blocks, built.blocks);
    EXPECT_GT(predicted.bytes, built.bytes);
  }
}

TEST(IrregularBruck, RegularEnoughIsAsDocumented) {
  const DenseRow row(4, 8);
  const auto enough = [&](std::int64_t smallest, std::int64_t largest, double ratio) {
    Problem problem = row.problem({.regular_ratio = ratio});
    problem.smallest = smallest;
    problem.largest = largest;
    return problem.regular_enough();
  };
  EXPECT_TRUE(enough(100, 400, 4));
  EXPECT_FALSE(enough(100, 401, 4));
  EXPECT_TRUE(enough(0, 256, 4)) << "short blocks count as 64 bytes";
  EXPECT_FALSE(enough(0, 257, 4));
  EXPECT_TRUE(enough(1000, 1500, 1.5));
  EXPECT_FALSE(enough(1000, 1501, 1.5));
  EXPECT_TRUE(enough(1000, 1000, 1)) << "regular";
  Problem unknown = row.problem();
  unknown.uniform = false;
  EXPECT_FALSE(unknown.regular_enough());
}

TEST(IrregularBruck, SaysSoWhereSizesDifferTooMuch) {
  const Part part(8, sizes_between(10, 400));
  for (const std::string_view name : {"bruck", "irregular-bruck"}) {
    EXPECT_EQ(radix_to_exchange(part.problem(nullptr), name), 0);
    const Chosen chosen = choose(part.problem(nullptr), name, Ordering::dependencies);
    EXPECT_NE(chosen.note.find("too irregular"), std::string::npos) << chosen.note;
    EXPECT_EQ(chosen.algorithm.find("bruck"), std::string::npos) << chosen.algorithm;
    EXPECT_EQ(chosen.algorithm, choose(part.problem(nullptr), "auto", Ordering::dependencies).algorithm);
  }
}

/// First the radix, the same on all ranks as it depends on nothing else; then, with sizes in that radix, the choice.
TEST(IrregularBruck, IsChosenInTheRadixInWhichSizesAreExchanged) {
  int exchanges = 0;
  for (const int p : {2, 8, 30, 64}) {
    for (const std::int64_t most : {10, 1000, 100000}) {
      const Part part(p, sizes_between(most / 2, most));
      for (const int wanted : {0, 2, 5}) {
        for (const std::string_view name : {"auto", "bruck", "irregular-bruck", "direct", "compact-bruck"}) {
          const Options options{.radix = wanted};
          const int radix = radix_to_exchange(part.problem(nullptr, options), name);
          EXPECT_TRUE(radix == 0 || name != "direct");
          EXPECT_TRUE(radix == 2 || name != "irregular-bruck");
          EXPECT_TRUE(radix >= 2 || name != "bruck");
          const RoundSizes passing = part.passing(std::max(2, radix));
          const Chosen chosen =
              choose(part.problem(radix == 0 ? nullptr : &passing, options), name, Ordering::dependencies);
          EXPECT_EQ(chosen.algorithm.find("bruck") != std::string::npos, radix > 0) << name;
          const std::string expected =
              name == "irregular-bruck" ? "irregular-bruck" : "bruck, radix " + std::to_string(radix);
          EXPECT_TRUE(radix == 0 || chosen.plan == expected) << name << ": " << chosen.plan;
          exchanges += radix > 0 && name == "auto" ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(exchanges, 0) << "short blocks travel together";
  const DenseRow regular(8, 8);
  EXPECT_EQ(radix_to_exchange(regular.problem(), "bruck"), 0) << "nothing to exchange";
}

/// What is near the best is worth a try, and changes nothing of what is chosen without it.
TEST(IrregularBruck, SizesAreExchangedForWhatIsNearTheBest) {
  const auto time_of = [](const Candidate& candidate) { return candidate.prediction.nanoseconds; };
  int near = 0;
  for (const int p : {2, 8, 30, 64}) {
    for (const std::int64_t most : {10, 1000, 5000, 20000, 100000}) {
      const Part part(p, sizes_between(most / 2, most));
      for (const std::string_view name : {"auto", "direct", "windowed"}) {
        const int chosen = radix_to_exchange(part.problem(nullptr), name);
        for (const double within : {1.0, 2.0, 3.0}) {
          const int radix = radix_to_exchange(part.problem(nullptr), name, within);
          EXPECT_TRUE(chosen == 0 || radix == chosen) << "what is chosen comes first";
          if (radix == 0) continue;
          const RoundSizes passing = part.passing(radix);
          const Chosen with_sizes = choose(part.problem(&passing), name, Ordering::dependencies);
          const Chosen without = choose(part.problem(nullptr), name, Ordering::dependencies);
          EXPECT_TRUE(chosen != 0 || with_sizes.plan == without.plan) << with_sizes.plan;
          const Candidate best = std::ranges::min(with_sizes.candidates, {}, time_of);
          const auto bruck =
              std::ranges::find(with_sizes.candidates, "bruck, radix " + std::to_string(radix), &Candidate::name);
          ASSERT_NE(bruck, with_sizes.candidates.end());
          EXPECT_LE(time_of(*bruck), within * time_of(best)) << p << " ranks, " << most << " bytes";
          near += chosen == 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(near, 0);
}

TEST(IrregularBruck, RefusesSizesThatDoNotFit) {
  const Part part(5, sizes_between(10, 30));
  const RoundSizes passing = part.passing(3);
  RoundSizes wrong = passing;
  ++wrong.arriving.back();  // in the last round blocks arrive at their ends
  const auto build = [&](const RoundSizes* sizes, int radix) {
    ScheduleBuilder builder;
    build_bruck(part.problem(sizes), radix, 0, builder);
  };
  EXPECT_NO_THROW(build(&passing, 3));
  EXPECT_THROW(build(&passing, 2), Error);
  EXPECT_THROW(build(nullptr, 3), Error);
  try {
    build(&wrong, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_TRUNCATE);
    EXPECT_NE(std::string(error.what()).find("recv block 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rondo::internal::dense::irregular_bruck_test
