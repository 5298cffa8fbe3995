/// @file
/// A dense alltoall of equal blocks in a row on one rank, for looking at schedules without running them.
#ifndef RONDO_TESTS_DENSE_ROW_HPP
#define RONDO_TESTS_DENSE_ROW_HPP

#include <gtest/gtest.h>

#include "collectives/dense_alltoall/algorithms.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

struct DenseRow {
  DenseRow(int p, std::int64_t each) : size(p), bytes(each), layout(Layout::contiguous(each)) {
    for (int j = 0; j < p; ++j) shapes.push_back({j * each, &layout});
  }
  [[nodiscard]] dense::Problem problem(dense::Options options = {}, bool in_place = false) const {
    return {1 % size, size, shapes, shapes, true, costs, bytes, bytes, in_place, options};
  }
  [[nodiscard]] Schedule build(const std::function<void(const dense::Problem&, ScheduleBuilder&)>& lowering,
                               dense::Options options = {}, bool in_place = false) const {
    ScheduleBuilder builder;
    lowering(problem(options, in_place), builder);
    return std::move(builder).build();
  }

  int size;
  std::int64_t bytes;
  CostModel costs{1.0};
  Layout layout;
  std::vector<BlockShape> shapes;
};

/// Counts, and with them time, must be exactly those of the schedule.
inline void expect_as_predicted(const Prediction& predicted, const Schedule& schedule, const std::string& where) {
  SCOPED_TRACE(where);
  const Prediction built = CostModel(1.0).schedule(schedule);
  if (built.rounds == 0) {  // copies only: not worth a prediction
    EXPECT_EQ(predicted.nanoseconds, 0);
    return;
  }
  EXPECT_EQ(predicted.phases, built.phases);
  EXPECT_EQ(predicted.rounds, built.rounds);
  EXPECT_EQ(predicted.blocks, built.blocks);
  EXPECT_EQ(predicted.bytes, built.bytes);
  EXPECT_EQ(predicted.copied_blocks, built.copied_blocks);
  EXPECT_EQ(predicted.copied_bytes, built.copied_bytes);
  EXPECT_NEAR(predicted.nanoseconds, built.nanoseconds, 1e-6 * built.nanoseconds);
}

}  // namespace rondo::internal

#endif
