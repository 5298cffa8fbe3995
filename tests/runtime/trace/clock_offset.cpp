#include "runtime/trace/clock_offset.hpp"

#include <gtest/gtest.h>

#include "runtime/trace/trace_clock.hpp"

namespace rondo::internal::clock_offset_test {
namespace {

class Clocks : public ::testing::Test {
 protected:
  Clocks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  int rank_ = 0;
  int ranks_ = 1;
};

/// Ranks that pretend to have clocks of their own, hours apart, find out how far, within what they say they know.
TEST_F(Clocks, OfDifferentHostsAreCompared) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  for (int reference = 0; reference < ranks_; ++reference) {
    const std::int64_t ahead = rank_ * kHour;
    const NamedClock mine{[ahead] { return monotonic_nanoseconds() + ahead; }, rank_};
    const std::int64_t before = mine.nanoseconds();
    const ClockOffset found = compare_clocks(mine, MPI_COMM_WORLD, reference);
    EXPECT_GE(found.here, before) << "by the clock here";
    EXPECT_LE(found.here, mine.nanoseconds()) << "by the clock here";
    const std::int64_t right = (reference - rank_) * kHour;
    EXPECT_LE(std::abs(found.offset - right), found.uncertainty) << "rank " << rank_ << ", reference " << reference;
    EXPECT_EQ(found.uncertainty == 0, rank_ == reference);
  }
}

TEST_F(Clocks, OfOneHostAreOne) {
  const ClockOffset found = compare_clocks(clock_of_host(), MPI_COMM_WORLD, ranks_ - 1);
  EXPECT_EQ(found.offset, 0);
  EXPECT_EQ(found.uncertainty, 0);
}

/// Half of the ranks share the reference's clock.
TEST_F(Clocks, SomeAreTheSame) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  const std::int64_t ahead = rank_ % 2 * kDay;
  const NamedClock mine{[ahead] { return monotonic_nanoseconds() + ahead; }, rank_ % 2};
  const ClockOffset found = compare_clocks(mine, MPI_COMM_WORLD, 0);
  EXPECT_LE(std::abs(found.offset + ahead), found.uncertainty);
  if (rank_ % 2 == 0) {
    EXPECT_EQ(found.uncertainty, 0);
  }
}

TEST(ClockLine, FollowsDrift) {
  const ClockLine line({1000, 500, 7}, {2000, 600, 3});
  EXPECT_EQ(line.at_reference(1000), 1500);
  EXPECT_EQ(line.at_reference(2000), 2600);
  EXPECT_EQ(line.at_reference(1500), 2050);
  EXPECT_EQ(line.at_reference(0), 400);
  EXPECT_EQ(line.uncertainty(), 7);
  const ClockLine measured_once({1000, 500, 7}, {1000, 500, 7});
  EXPECT_EQ(measured_once.at_reference(77), 577);
}

}  // namespace
}  // namespace rondo::internal::clock_offset_test
