// Which plans with carriers there are, and when they run.
#include "collectives/carriers/carried_plans.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace rondo::internal::carried_plans_test {
namespace {

struct Problem {
  const NodeMembers* nodes;
  double carried;  ///< nanoseconds that node-aware is predicted to take; the other algorithm, 100
  bool uniform = true;
};

Plan<Problem> plan_of(double nanoseconds) {
  Prediction prediction;
  prediction.nanoseconds = nanoseconds;
  return {"", prediction, nullptr};
}

std::string_view taken(const Problem& problem) {
  static constexpr std::array rows{
      Algorithm<Problem>{"other", true, [](const Problem&) { return std::vector{plan_of(100)}; }},
      Algorithm<Problem>{"node-aware", true, [](const Problem& it) { return std::vector{plan_of(it.carried)}; }}};
  static constexpr Registry<Problem> registry{"test", rows, "other", prefer_others};
  return plans_for(registry, problem, "auto").plans.front().algorithm;
}

TEST(CarriedPlans, RunWhereTheySaveATenth) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2});
  EXPECT_EQ(taken({&nodes, 95}), "other");
  EXPECT_EQ(taken({&nodes, 91}), "other");
  EXPECT_EQ(taken({&nodes, 89}), "node-aware");
}

TEST(CarriedPlans, HaveAllRanksOfANodeToAMessageOrFewer) {
  const auto numbers = [](int ranks) {
    return numbers_of_sharers(NodeMembers(std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 1)));
  };
  EXPECT_EQ(numbers(2), (std::vector{2, 1}));
  EXPECT_EQ(numbers(4), (std::vector{4, 2, 1}));
  EXPECT_EQ(numbers(48), (std::vector{48, 8, 4, 2, 1}));
}

}  // namespace
}  // namespace rondo::internal::carried_plans_test
