// The direct dense alltoall can be left alone once it is started: the plug-in's nonblocking calls rest on that.
#include <gtest/gtest.h>

#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/under_way_at_start.hpp"

namespace rondo::internal::dense::direct_test {
namespace {

bool all_under_way(const DenseCase& given, std::string_view algorithm) {
  return std::ranges::all_of(dense_case(given, dense_way(algorithm)).schedules,
                             [](const auto& schedule) { return under_way_at_start(*schedule); });
}

TEST(DenseDirect, NoMessageWaitsForAnother) {
  for (const bool in_place : {false, true}) {
    for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
      const auto bytes = [](int source, int target) { return std::int64_t{(source + target) % 4} * 40; };
      const DenseCase given{.size = 5, .bytes = bytes, .in_place = in_place, .uniform = false, .form = form};
      EXPECT_TRUE(all_under_way(given, "direct"));
    }
  }
}

/// What the test before would say of algorithms that cannot be left alone.
TEST(DenseDirect, RoundsWait) {
  const DenseCase given{.size = 5, .bytes = [](int, int) { return std::int64_t{8}; }};
  EXPECT_FALSE(all_under_way(given, "pairwise"));
  EXPECT_FALSE(all_under_way(given, "bruck"));
}

}  // namespace
}  // namespace rondo::internal::dense::direct_test
