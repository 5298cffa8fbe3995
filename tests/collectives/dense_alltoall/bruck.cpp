// What Bruck et al. in any radix build, and that it is what was predicted. That plans are right: algorithms.cpp;
// here, every radix.
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/dense_row.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal::dense::bruck_test {
namespace {

DenseCase regular_case(int p, std::int64_t bytes, Options options) {
  return {.size = p, .bytes = [bytes](int, int) { return bytes; }, .options = options};
}

void expect_prediction(const DenseRow& row, int radix, int ports) {
  const auto build = [&](const Problem& problem, ScheduleBuilder& builder) {
    build_bruck(problem, radix, ports, builder);
  };
  expect_as_predicted(predict_bruck(row.problem(), radix, ports), row.build(build),
                      "p " + std::to_string(row.size) + ", radix " + std::to_string(radix) + ", ports " +
                          std::to_string(ports) + ", bytes " + std::to_string(row.bytes));
}

TEST(DenseBruck, PredictionsAreWhatIsBuilt) {
  for (int p = 1; p <= 40; ++p) {
    for (const std::int64_t bytes : {0, 8, 4000}) {
      const DenseRow row(p, bytes);
      for (int radix = 2; radix <= std::max(2, p); ++radix) {
        for (const int ports : {0, 1, 2, 5}) expect_prediction(row, radix, ports);
      }
    }
  }
}

/// Blocks that MPI cannot count together, or not one by one.
TEST(DenseBruck, LongMessagesAreSplitAsPredicted) {
  for (const std::int64_t bytes : {std::int64_t{1} << 29, std::int64_t{1} << 30, std::int64_t{3} << 30}) {
    for (const int radix : {2, 3, 5}) {
      for (const int ports : {0, 2}) expect_prediction(DenseRow(11, bytes), radix, ports);
    }
  }
}

/// Zero-copy Bruck paper, theorem 1: a message per digit and value that occurs, and never more than
/// ceil(log2 p) floor(p/2) blocks in radix 2.
TEST(DenseBruck, RoundsAndVolume) {
  for (int p = 2; p <= 40; ++p) {
    const DenseRow row(p, 8);
    for (int radix = 2; radix <= p; ++radix) {
      std::int64_t rounds = 0;
      int phases = 0;
      for (std::int64_t power = 1; power < p; power *= radix, ++phases)
        rounds += std::min<std::int64_t>(radix - 1, (p - 1) / power);  // values from 1 on of this digit
      std::int64_t volume = 0;
      for (int j = 1; j < p; ++j) {
        for (int rest = j; rest > 0; rest /= radix) volume += rest % radix == 0 ? 0 : 1;
      }
      const Prediction predicted = predict_bruck(row.problem(), radix, 0);
      EXPECT_EQ(predicted.phases, phases);
      EXPECT_EQ(predicted.rounds, rounds);
      EXPECT_EQ(predicted.blocks, volume);
      EXPECT_EQ(predict_bruck(row.problem(), radix, 1).phases, rounds);
      if (radix == 2) {
        EXPECT_EQ(rounds, phases);
        EXPECT_LE(volume, phases * (p / 2));
      }
    }
  }
}

/// A block is copied once for each hop, into its message, and once more at its end; but for messages of one block.
TEST(DenseBruck, CopiesOnceForEachHop) {
  for (const int p : {5, 16, 23}) {
    for (const int radix : {2, 3, 4}) {
      const Prediction predicted = predict_bruck(DenseRow(p, 8).problem(), radix, 0);
      EXPECT_LE(predicted.copied_blocks, predicted.blocks + p - 1) << "p " << p << ", radix " << radix;
    }
  }
}

TEST(DenseBruck, EveryRadixIsRight) {
  for (int p = 1; p <= 40; ++p) {
    for (int radix = 2; radix <= std::max(2, p); radix += 1 + p / 16) {
      const DenseCase given = regular_case(p, 3, {.ports = (p + radix) % 4, .radix = radix});
      const CollectiveCase each = dense_case(given, dense_way("bruck"));
      EXPECT_EQ(checked(each), "");
      EXPECT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p * radix), 1), "");
    }
  }
}

TEST(DenseBruck, OffersTheRadixAskedForOrSeveral) {
  const auto names = [](const DenseRow& row, Options options) {
    std::vector<std::string> found;
    for (const Candidate& each : choose(row.problem(options), "bruck", Ordering::dependencies).candidates)
      found.push_back(each.name);
    std::ranges::sort(found);
    return found;
  };
  const DenseRow sixteen(16, 8);
  EXPECT_EQ(names(sixteen, {}), (std::vector<std::string>{"bruck, radix 2", "bruck, radix 3", "bruck, radix 4"}));
  EXPECT_EQ(names(sixteen, {.radix = 7}), (std::vector<std::string>{"bruck, radix 7"}));
  EXPECT_EQ(names(sixteen, {.radix = 100}), (std::vector<std::string>{"bruck, radix 16"}));
  EXPECT_EQ(names(DenseRow(1, 8), {}), (std::vector<std::string>{"bruck, radix 2"}));
  EXPECT_EQ(names(DenseRow(2, 8), {}), (std::vector<std::string>{"bruck, radix 2"}));
  EXPECT_THROW(static_cast<void>(names(sixteen, {.radix = 1})), Error);
}

/// Few bytes: as few messages as there can be. Many: none travels twice.
TEST(DenseBruck, AutoTradesRoundsForVolume) {
  const auto chosen = [](std::int64_t bytes) {
    return choose(DenseRow(128, bytes).problem(), "auto", Ordering::dependencies).algorithm;
  };
  EXPECT_EQ(chosen(1).rfind("bruck", 0), 0U) << chosen(1);
  EXPECT_EQ(chosen(100000).rfind("bruck", 0), std::string::npos) << chosen(100000);
}

TEST(DenseBruck, SaysSoWhereSizesDiffer) {
  const DenseRow row(8, 8);
  Problem problem = row.problem();
  problem.smallest = 0;
  const Chosen chosen = choose(problem, "bruck", Ordering::dependencies);
  EXPECT_NE(chosen.note.find("bruck was requested"), std::string::npos) << chosen.note;
  EXPECT_EQ(chosen.algorithm.rfind("bruck", 0), std::string::npos) << chosen.algorithm;
}

}  // namespace
}  // namespace rondo::internal::dense::bruck_test
