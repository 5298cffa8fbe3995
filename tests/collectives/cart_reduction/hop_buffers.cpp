#include "collectives/cart_reduction/hop_buffers.hpp"

#include <gtest/gtest.h>

#include "collectives/cart_reduction/canonical.hpp"
#include "tests/support/cases/random/random_reduction.hpp"
#include "tests/support/cases/simulation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rondo::internal::reduction::hop_buffers_test {
namespace {

using NodeId = Hop::NodeId;

std::string combined(const std::string& one, const std::string& other) { return "(" + one + "+" + other + ")"; }

/// Runs the steps on expressions, for any leaves that a process may lack, and compares each result's.
TEST(HopMemory, CombinesInOrderAndKeepsWhatWasThereBefore) {
  for (const std::uint64_t seed : seeds(300)) {
    RandomReduction random(seed);
    for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
      const Canonical canonical = make_canonical({random.grid, random.neighborhood}, kind);
      for (std::size_t from = 0; from < canonical.tree.stages(); ++from) {
        const std::size_t to = from + 1 +
                               static_cast<std::size_t>(random.draw(0, 1)) *
                                   (canonical.tree.stages() - from - 1);  // one stage, or all that are left
        const Hop hop(canonical.tree, random.grid, from, to);
        std::vector<char> live(hop.nodes());
        std::vector<std::optional<std::string>> expected(hop.nodes());
        for (NodeId leaf = 0; leaf < hop.leaves(); ++leaf) {
          live[leaf] = random.draw(0, 3) > 0 ? 1 : 0;
          if (live[leaf] != 0) expected[leaf] = std::to_string(leaf);
        }
        for (NodeId node = hop.leaves(); node < hop.nodes(); ++node) {
          for (const auto& operand : hop.operands(node)) {
            if (live[operand.node] == 0) continue;
            live[node] = 1;
            for (std::uint32_t i = 0; i < operand.times; ++i)
              expected[node] =
                  expected[node] ? combined(*expected[node], *expected[operand.node]) : expected[operand.node];
          }
        }

        const HopBuffers memory(hop, live);
        std::vector<std::optional<std::string>> places(memory.places());
        for (NodeId leaf = 0; leaf < hop.leaves(); ++leaf) {
          if (live[leaf] == 0) continue;
          ASSERT_FALSE(places[memory.place_of(leaf)]) << "two leaves in one place";
          places[memory.place_of(leaf)] = expected[leaf];
        }
        for (std::size_t batch = 0; batch < memory.batches(); ++batch) {
          bool copies = true;
          for (const HopBuffers::Step& step : memory.batch(batch)) {
            ASSERT_TRUE(places[step.from]);
            ASSERT_NE(step.from, step.into);
            copies = copies && step.copies;
            EXPECT_EQ(step.copies, copies) << "copies come first";
            EXPECT_EQ(places[step.into].has_value(), !step.copies);
            places[step.into] = step.copies ? *places[step.from] : combined(*places[step.into], *places[step.from]);
          }
        }
        for (NodeId node = 0; node < hop.nodes(); ++node) {
          const bool is_result = node >= hop.result(0);
          if (live[node] == 0 || (!is_result && node >= hop.own())) continue;
          EXPECT_EQ(places[memory.place_of(node)], expected[node]) << "RONDO_SEED=" << seed;
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << "RONDO_SEED=" << seed;
  }
}

/// Vectors that arrive are combined where they are.
TEST(HopMemory, CopiesOnlyWhatIsNeededTwice) {
  const Grid grid(std::vector{7, 7}, 0);
  const auto places = [&](const Neighborhood& hood) {
    const Canonical canonical = make_canonical({grid, hood}, Kind::reduce);
    const Hop hop(canonical.tree, grid, 0, canonical.tree.stages());
    return HopBuffers(hop, std::vector<char>(hop.nodes(), 1)).places() - hop.leaves();
  };
  EXPECT_EQ(places(box(2, 3, -1)), 0U);
  EXPECT_EQ(places(moore(2, 1)), 0U);
  EXPECT_EQ(places(Neighborhood{{0, 1}, {0, 1}}), 1U) << "what is combined with itself";
}

}  // namespace
}  // namespace rondo::internal::reduction::hop_buffers_test
