// Every algorithm of the dense alltoall, proven by the checker and run under the simulation's adversary.
#include "collectives/dense_alltoall/algorithms.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace rondo::internal::dense::algorithms_test {
namespace {

/// Checked and simulated once each, with a RONDO_TEST_SCALE below 1 each third.
void expect_right(const DenseCase& given, std::uint64_t seed) {
  static std::uint64_t number = 0;
  ++number;
  for_each_dense(given, [&](const CollectiveCase& each) {
    if (!taken(number++, 3)) return;
    EXPECT_EQ(checked(each), "");
    EXPECT_EQ(simulate({&each, 1}, seed++, 2), "");
  });
}

TEST(DenseAlgorithms, RegularBlocks) {
  for (int p = 1; p <= 17; ++p) {
    for (const std::int64_t bytes : {0, 7}) {
      for (const bool in_place : {false, true}) {
        const DenseCase given{.size = p, .bytes = [&](int, int) { return bytes; }, .in_place = in_place};
        expect_right(given, static_cast<std::uint64_t>(p));
      }
    }
  }
}

TEST(DenseAlgorithms, IrregularBlocks) {
  for (const int p : {1, 2, 3, 5, 8, 13}) {
    for (const bool uniform : {false, true}) {
      for (const bool in_place : {false, true}) {
        const DenseCase given{.size = p,
                              .bytes = [](int source, int target) { return std::int64_t{(source + target) % 4 * 5}; },
                              .in_place = in_place,
                              .uniform = uniform};
        expect_right(given, static_cast<std::uint64_t>(p) + 100);
      }
    }
  }
}

TEST(DenseAlgorithms, ThroughPorts) {
  for (const int ports : {1, 2, 3, 100}) {
    const DenseCase given{.size = 7, .bytes = [](int, int) { return std::int64_t{12}; }, .options = {.ports = ports}};
    expect_right(given, static_cast<std::uint64_t>(ports) + 200);
  }
}

/// Blocks, and the sums of some, that fit neither ints nor 32 bits. Memory is not needed for a proof.
TEST(DenseAlgorithms, BlocksOfMoreBytesThanAnIntCounts) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  for (const int p : {1, 2, 5}) {
    for (const std::int64_t bytes : {3 * kGiB + 1, 5 * kGiB + 3}) {
      for (const bool in_place : {false, true}) {
        for (const std::int64_t more : {std::int64_t{0}, kGiB}) {
          const DenseCase given{.size = p,
                                .bytes = [&](int source, int target) { return bytes + (source + target) % 3 * more; },
                                .in_place = in_place,
                                .options = {.segment = kGiB}};
          for_each_dense(given, [&](const CollectiveCase& each) { EXPECT_EQ(checked(each), ""); });
        }
      }
    }
  }
}

TEST(DenseAlgorithms, EachNameIsToBeHad) {
  const CostModel costs(1.0);
  const Layout block = Layout::contiguous(8);
  std::vector<BlockShape> shapes;
  for (int j = 0; j < 6; ++j) shapes.push_back({8 * j, &block});
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 2, 2, 2});
  Problem problem{2, 6, shapes, shapes, true, costs, 8, 8};
  problem.nodes = &nodes;
  for (const Algorithm& row : registry().algorithms) {
    const Chosen chosen = choose(problem, row.name, Ordering::dependencies);
    EXPECT_EQ(chosen.note, "") << row.name;
    EXPECT_EQ(chosen.algorithm, row.name);
  }
}

/// Every schedule fits into the tags that are kept for it, whatever the size of its blocks: beyond a GiB each is a
/// message of its own.
TEST(DenseAlgorithms, TagsSuffice) {
  constexpr std::int64_t kMiB = 1 << 20;
  const CostModel costs(1.0);
  std::uint32_t most_used = 0;
  for (const int p : {1, 2, 3, 7, 31, 300, 1100}) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{8}, 700 * kMiB, 1500 * kMiB, 5000 * kMiB}) {
      const Layout block = Layout::contiguous(bytes);
      std::vector<BlockShape> shapes;
      for (int j = 0; j < p; ++j) shapes.push_back({bytes * j, &block});
      for (const Algorithm& row : registry().algorithms) {
        if (p > 31 && (row.name == "segmented" || row.name == "paper")) continue;  // a million messages
        for (const int radix : {0, 2, 5, p}) {
          if (radix == 1 || (radix != 0 && !row.name.ends_with("bruck"))) continue;
          const Problem problem{p / 2, p, shapes, shapes, true, costs, bytes, bytes, false, {.radix = radix}};
          const std::uint32_t used = choose(problem, row.name, Ordering::dependencies).schedule->tags();
          EXPECT_LE(used, most_tags(p, bytes)) << row.name << ", radix " << radix << ", p " << p;
          most_used = std::max(most_used, used);
        }
      }
    }
  }
  EXPECT_GT(most_used, 2U * 1100 + 2048) << "a few for each rank do not do";
}

/// What an operation that learns tries is never chosen without that, and asked for by name.
TEST(DensePorts, VaryOnlyForWhatLearns) {
  const CostModel costs(1.0);
  for (const int p : {2, 4, 20, 40}) {
    for (const std::int64_t bytes : {8, 4000, 200000}) {
      const Layout block = Layout::contiguous(bytes);
      std::vector<BlockShape> shapes;
      for (int j = 0; j < p; ++j) shapes.push_back({bytes * j, &block});
      const auto chosen = [&](const char* name, bool varies, int ports = 0) {
        Problem problem{p / 2, p, shapes, shapes, true, costs, bytes, bytes, false, {.ports = ports}};
        problem.varies_ports = varies;
        return choose(problem, name, Ordering::dependencies);
      };
      const auto varied = [](const Chosen& of) {
        std::set<std::string> names;
        for (const Candidate& candidate : of.candidates) {
          if (candidate.name.ends_with(" at once")) names.insert(candidate.name);
        }
        return names;
      };
      EXPECT_TRUE(varied(chosen("auto", false)).empty());
      EXPECT_TRUE(varied(chosen("auto", true, 3)).empty()) << "the user said how many";
      std::set<std::string> expected;
      if (p > 3) expected.insert({"randomized, 2 at once", "windowed, 2 at once"});
      if (p > 17) expected.insert("windowed, 16 at once");
      if (p > 33) expected.insert("randomized, 32 at once");
      EXPECT_EQ(varied(chosen("auto", true)), expected) << p << " ranks";
      EXPECT_EQ(chosen("auto", true).plan, chosen("auto", false).plan) << p << " ranks, " << bytes << " bytes";
      EXPECT_EQ(chosen("windowed", false).plan, "windowed");
      for (const std::string& name : expected) {
        const Chosen asked = chosen(name_of_plan(name.substr(0, name.find(',')), name).c_str(), false);
        EXPECT_EQ(asked.plan, name);
        EXPECT_TRUE(asked.note.empty()) << asked.note;
        const int at_once = std::stoi(name.substr(name.find(' ')));
        EXPECT_EQ(asked.schedule->root_messages(), 2 * static_cast<std::uint32_t>(at_once)) << name;
      }
    }
  }
}

/// As on the rank with the fewest partners on its node. No round of Bruck's algorithm stays on a node on all ranks.
TEST(DenseCosts, CountFarAndNearMessages) {
  const CostModel costs = test::costs_by_way();
  const Layout block = Layout::contiguous(20);
  std::vector<BlockShape> shapes;
  for (int j = 0; j < 4; ++j) shapes.push_back({20 * j, &block});
  Problem problem{2, 4, shapes, shapes, true, costs, 20, 20, false, {.segment = 8}};
  const auto predicted = [&](const char* name) {
    return choose(problem, name, Ordering::dependencies).candidates.front().prediction.nanoseconds;
  };
  for (const char* name : {"direct", "windowed", "scatter", "randomized"}) EXPECT_EQ(predicted(name), 3 * 1000) << name;
  EXPECT_EQ(predicted("segmented"), 9 * 1000) << "two segments and a rest for each";
  problem.fewest_near = 1;
  for (const char* name : {"direct", "windowed", "scatter", "randomized"})
    EXPECT_EQ(predicted(name), 2 * 1000 + 1 * 1) << name;
  EXPECT_EQ(predicted("segmented"), 6 * 1000 + 3 * 1);
  EXPECT_EQ(predicted("bruck"), 2 * 1000);
}

}  // namespace
}  // namespace rondo::internal::dense::algorithms_test
