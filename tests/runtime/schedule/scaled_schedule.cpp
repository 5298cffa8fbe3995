#include "runtime/schedule/scaled_schedule.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace rondo::internal::scaled_schedule_test {
namespace {

/// Two vectors come, are combined with the own one, and go on.
Schedule build(std::int64_t bytes, std::int64_t begin = 0) {
  const auto reduction =
      std::make_shared<const Reduction>(MPI_SUM, MPI_INT, bytes / 4, Layout::contiguous(sizeof(int)));
  ScheduleBuilder builder;
  builder.set_reduction(reduction);
  const Layout layout = Layout::contiguous(bytes);
  const BlockId own = builder.block(Space::send, begin, layout);
  const BlockId result = builder.block(Space::recv, begin + bytes, layout);
  const std::array operands{builder.operand(), builder.operand()};
  for (const BlockId operand : operands) builder.receive(1, 0, {&operand, 1});
  builder.copy({&own, 1}, {&result, 1});
  builder.reduce(operands[0], result);
  builder.reduce(operands[1], result);
  builder.send(2, 1, {&result, 1});
  builder.reserve_tags(2);
  return std::move(builder).build();
}

TEST(ScaledSchedule, IsThatForBlocksOfAnotherSize) {
  ScaledSchedule scaled(build(640), 640);
  for (const std::int64_t bytes : {64, 512, 640, 128}) {  // which leave no room between operands
    scaled.scale_to(bytes);
    const Schedule expected = build(bytes);
    ASSERT_EQ(scaled.schedule()->tasks().size(), expected.tasks().size());
    for (std::size_t i = 0; i < expected.tasks().size(); ++i)
      EXPECT_EQ(std::memcmp(&scaled.schedule()->tasks()[i], &expected.tasks()[i], sizeof(Task)), 0)
          << bytes << " " << i;
    EXPECT_EQ(scaled.schedule()->reductions()[0]->layout().size(), bytes);
    EXPECT_EQ(scaled.block_bytes(), bytes);
  }
}

TEST(ScaledSchedule, IsOfWholeBlocksOnly) {
  EXPECT_TRUE(ScaledSchedule::is_possible(build(640), 640));
  EXPECT_TRUE(ScaledSchedule::is_possible(build(640), 160));
  EXPECT_FALSE(ScaledSchedule::is_possible(build(640), 600));
  EXPECT_FALSE(ScaledSchedule::is_possible(build(640, 8), 640));
  EXPECT_FALSE(ScaledSchedule::is_possible(build(400), 400));  // an operand begins at 448
}

}  // namespace
}  // namespace rondo::internal::scaled_schedule_test
