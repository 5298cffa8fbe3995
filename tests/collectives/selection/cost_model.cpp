#include "collectives/selection/cost_model.hpp"

#include <gtest/gtest.h>

#include "tests/support/nodes/costs_by_way.hpp"

#include <string>

namespace rondo::internal::cost_model_test {
namespace {

double message(const CostModel& costs, std::int64_t bytes, Nearness nearness = Nearness::far) {
  return costs.message(bytes, 1, SentData::cold, nearness);
}

double copies(const CostModel& costs, Nearness nearness) {
  Prediction prediction;
  costs.add_copies(prediction, 3, 1000, nearness);
  return prediction.nanoseconds;
}

double phases(const CostModel& costs, int count) {
  Prediction prediction;
  for (int phase = 0; phase < count; ++phase) costs.add_phase(prediction);
  return prediction.nanoseconds;
}

/// Whether ranks have cores of their own, share them, or crowd them.
constexpr double kLoads[] = {1.0, 8.0, 30.0};

TEST(CostModel, ShortMessagesCostLeastThroughSlots) {
  for (const double load : kLoads) {
    for (const std::int64_t bytes : {1, 8, 512, 4096}) {
      EXPECT_LT(message(CostModel::through_slots(load), bytes), message(CostModel::through_lanes(load), bytes));
      EXPECT_LT(message(CostModel::through_lanes(load), bytes), message(CostModel(load), bytes)) << bytes;
    }
  }
}

/// Those that are too long for it go over MPI.
TEST(CostModel, LongMessagesCostWhatTheyDoOverMpi) {
  for (const double load : kLoads) {
    const CostModel mpi(load);
    const CostModel slots = CostModel::through_slots(load);
    const CostModel lanes = CostModel::through_lanes(load);
    EXPECT_NEAR(message(slots, kLongestInSlot), 2 * message(slots, kLongestInSlot / 2) - message(slots, 0), 1e-6)
        << "by its bytes, up to the longest";
    if (load <= 1) {
      EXPECT_LT(message(slots, kLongestInSlot), message(mpi, kLongestInSlot));
    }
    EXPECT_EQ(message(slots, kLongestInSlot + 1), message(mpi, kLongestInSlot + 1));
    EXPECT_EQ(message(lanes, 2 * kLongestInLane), message(mpi, 2 * kLongestInLane));
  }
}

/// Where cores share no cache, less is short enough.
TEST(CostModel, LongMessagesBetweenCachesCostWhatTheyDoOverMpi) {
  const CostModel mpi(1.0);
  for (const CostModel& memory : {CostModel::through_slots(1.0, false), CostModel::through_lanes(1.0, false)}) {
    EXPECT_LT(message(memory, kLongestBetweenCaches), message(mpi, kLongestBetweenCaches));
    EXPECT_EQ(message(memory, kLongestBetweenCaches + 1), message(mpi, kLongestBetweenCaches + 1));
    EXPECT_EQ(memory.form_costs().longest_in_memory, kLongestBetweenCaches);
    EXPECT_EQ(memory.origin(), "through shared memory, between cores that share no cache");
  }
}

TEST(CostModel, OnlySlotsTakeDataOfSeveralSpaces) {
  EXPECT_TRUE(CostModel::through_slots(1.0).form_costs().across_spaces);
  EXPECT_FALSE(CostModel::through_lanes(1.0).form_costs().across_spaces);
  EXPECT_FALSE(CostModel(1.0).form_costs().across_spaces);
  EXPECT_EQ(CostModel::through_slots(1.0).form_costs().longest_in_memory, kLongestInSlot);
  EXPECT_EQ(CostModel::through_lanes(1.0).form_costs().longest_in_memory, kLongestInLane);
}

TEST(CostModel, NearMessagesHaveCostsOfTheirOwn) {
  for (const double load : kLoads) {
    const CostModel mpi(load);
    for (const CostModel& memory : {CostModel::through_slots(load), CostModel::through_lanes(load)}) {
      const CostModel both = mpi.with_near(memory);
      for (const std::int64_t bytes : {1, 600, 5000, 500000}) {
        EXPECT_EQ(message(both, bytes), message(mpi, bytes));
        EXPECT_EQ(message(both, bytes, Nearness::near), message(memory, bytes));
      }
      EXPECT_EQ(both.message(800, 5, SentData::warm, Nearness::near), memory.message(800, 5, SentData::warm));
      EXPECT_EQ(copies(both, Nearness::far), copies(mpi, Nearness::far));
      EXPECT_EQ(copies(both, Nearness::near), copies(memory, Nearness::far));
      for (const int count : {1, 2, 3}) EXPECT_EQ(phases(both, count), phases(mpi, count)) << "for the slowest";
      EXPECT_FALSE(both.form_costs().across_spaces) << "far messages would need a datatype for each buffer";
    }
  }
}

/// Where all messages go one way, nobody needs to know which it is.
TEST(CostModel, ModelsOfOneWayTellNoNearMessages) {
  for (const CostModel& costs : {CostModel(4.0), CostModel::through_slots(4.0), CostModel::through_lanes(4.0)}) {
    EXPECT_EQ(message(costs, 100, Nearness::near), message(costs, 100));
    EXPECT_EQ(copies(costs, Nearness::near), copies(costs, Nearness::far));
  }
}

TEST(CostModel, SaysWhereItsCostsAreFrom) {
  EXPECT_EQ(CostModel(1.0).origin(), "");
  const CostModel slots = CostModel::through_slots(1.0);
  EXPECT_EQ(slots.origin(), "through shared memory");
  EXPECT_EQ(CostModel(1.0).with_near(slots).origin(), "on a node through shared memory");
  const CostModel measured(CostParameters{}, measured_form_costs(), "measured here");
  EXPECT_EQ(measured.origin(), "measured here");
  EXPECT_EQ(measured.with_near(slots).origin(), "measured here; on a node through shared memory");
}

TEST(CostModel, BytesKeepPortsBusy) {
  const CostModel mpi(1.0);
  const CostModel costs = mpi.over_network({.message = 5000, .byte = 2, .latency = 30000});
  EXPECT_EQ(message(costs, 4048), 5000 + 4048 * 2);
  EXPECT_EQ(costs.on_core(100), 5000);
  EXPECT_EQ(costs.on_port(4048), 4048 * 2);
  EXPECT_EQ(mpi.on_core(100), message(mpi, 100));
  EXPECT_EQ(mpi.on_port(100), 0);
}

TEST(CostModel, LongMessagesBetweenNodesAskFirst) {
  const CostModel mpi(1.0);
  const CostModel untimed = mpi.over_network({.message = 5000, .byte = 2, .latency = 30000});
  EXPECT_EQ(message(untimed, 16385), 3 * 5000 + 16385 * 2);
  const CostModel timed = mpi.over_network({.message = 5000, .byte = 2, .latency = 30000, .rendezvous = 9000});
  EXPECT_EQ(message(timed, 16384), 5000 + 16384 * 2);
  EXPECT_EQ(message(timed, 16385), 9000 + 16385 * 2);
}

/// What was timed counts as long as it is more than over MPI within a node: not this for one part and that for another.
TEST(CostModel, MessagesBetweenNodesCostAsMuchAsWithinOne) {
  const CostModel mpi(1.0);
  const CostModel costs = mpi.over_network({.message = 500, .byte = 0.01, .latency = 1000});
  EXPECT_NEAR(message(costs, 512), 500 + 512 * 0.01, 1e-9);
  for (const std::int64_t bytes : {4000, 16384}) {
    EXPECT_EQ(message(costs, bytes), message(mpi, bytes));
    EXPECT_EQ(costs.on_core(bytes), message(mpi, bytes));
  }
}

TEST(CostModel, MessagesBetweenNodesCostWhatWasTimed) {
  const CostModel mpi(1.0);
  const CostModel network = mpi.over_network({.message = 5000, .byte = 2, .latency = 30000});
  EXPECT_EQ(message(network, 100), 5000 + 100 * 2);
  EXPECT_EQ(phases(network, 1), 30000);
  EXPECT_TRUE(network.knows_network());
  EXPECT_NE(network.origin().find("as timed"), std::string::npos);
  // What was timed cannot be less than on a node: the clock was wrong.
  const CostModel too_fast = mpi.over_network({.message = 0, .byte = 0, .latency = 0});
  EXPECT_EQ(message(too_fast, 100), message(mpi, 100));
  EXPECT_EQ(phases(too_fast, 2), phases(mpi, 2));
}

TEST(CostModel, MeasuredCostsAreNotReplaced) {
  CostModel measured(1.0);
  measured.set_measured();
  const CostModel network = measured.over_network({.message = 5000, .byte = 2, .latency = 30000});
  EXPECT_EQ(message(network, 100), message(measured, 100));
  EXPECT_FALSE(network.knows_network());
}

TEST(CostModel, ANearPhaseIsShorter) {
  const CostModel both = CostModel(1.0).with_near(CostModel::through_slots(1.0));
  Prediction near;
  both.add_phase(near, Nearness::near);
  EXPECT_EQ(near.nanoseconds, phases(CostModel::through_slots(1.0), 1));
  EXPECT_LT(near.nanoseconds, phases(both, 1));
}

}  // namespace
}  // namespace rondo::internal::cost_model_test
