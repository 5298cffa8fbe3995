// Predicted times, which follow by hand.
#include <rondo/own/predict.hpp>

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "examples/own_allreduce/recursive_doubling.hpp"
#include "examples/own_broadcast/pipelined_chain.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::predict_test {
namespace {

using rondo::Machine;
using rondo::predict;
using Build = rondo::ScheduleBuilder;

/// Passes `bytes` bytes on around a ring.
Lowering shift_of(std::int64_t bytes) {
  return [bytes](Build& build, int rank, int size) {
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, bytes), build.recv_block(0, bytes));
  };
}

Machine simple() {
  Machine machine;
  machine.far = {.overhead = 100, .latency = 1000};
  machine.near = {.overhead = 10, .latency = 50};
  return machine;
}

TEST(Predict, AMessageIsOverheadLatencyAndOverhead) {
  const PredictedTime time = predict(shift_of(8), 5, simple());
  EXPECT_EQ(time.nanoseconds, 100 + 1000 + 100);
  EXPECT_EQ(time.ranks, std::vector<double>(5, 1200));
  EXPECT_EQ(time.far_messages, 5);
  EXPECT_EQ(time.far_bytes, 40);
  EXPECT_EQ(time.near_messages, 0);
}

TEST(Predict, AByteTakesThePortAndBothEnds) {
  Machine machine = simple();
  machine.far.gap_byte = 2;
  EXPECT_EQ(predict(shift_of(1000), 2, machine).nanoseconds, 1200 + 2000);
  machine.far.copied_byte = 0.5;
  EXPECT_EQ(predict(shift_of(1000), 2, machine).nanoseconds, 1200 + 2000 + 2 * 500);
}

TEST(Predict, RanksOfANodeAreNear) {
  Machine machine = simple();
  machine.ranks_per_node = 2;
  PredictedTime time = predict(shift_of(8), 4, machine);
  EXPECT_EQ(time.near_messages, 2);
  EXPECT_EQ(time.near_bytes, 16);
  EXPECT_EQ(time.far_messages, 2);
  machine.nodes = {0, 0, 0, 0};
  time = predict(shift_of(8), 4, machine);
  EXPECT_EQ(time.far_messages, 0);
  EXPECT_EQ(time.nanoseconds, 10 + 50 + 10);
  machine.nodes = {0, 1, 0, 1};
  EXPECT_EQ(predict(shift_of(8), 4, machine).far_messages, 4);
}

TEST(Predict, ReductionsAndRoundsAddUp) {
  Machine machine = simple();
  machine.reduction = 7;
  const Lowering allreduce = recursive_doubling(1, MPI_DOUBLE, MPI_SUM);
  EXPECT_EQ(predict(allreduce, 2, machine).nanoseconds, 1200 + 7);
  EXPECT_EQ(predict(allreduce, 16, machine).nanoseconds, 4 * (1200 + 7));
  machine.copied_byte = 1;  // the copy of 8 bytes comes first
  EXPECT_EQ(predict(allreduce, 2, machine).nanoseconds, 8 + 1200 + 7);
}

TEST(Predict, APipelineIsFasterWithMoreSegments) {
  Machine machine = simple();
  machine.far.gap_byte = 1;
  const auto time_in = [&](int segments) {
    return predict(pipelined_chain(100000, 100000 / segments, 0), 8, machine).nanoseconds;
  };
  EXPECT_LT(time_in(10), time_in(1) / 3);
  EXPECT_EQ(time_in(10), time_in(10));
}

TEST(Predict, OrderingCounts) {
  const Lowering two_phases = [](Build& build, int rank, int size) {
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 8), build.recv_block(0, 8));
    build.begin_phase();
    build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(8, 8), build.recv_block(8, 8));
  };
  Options options;
  options.schedule = Ordering::phases;
  EXPECT_LT(predict(two_phases, 3, simple()).nanoseconds, predict(two_phases, 3, simple(), options).nanoseconds);
}

TEST(Predict, FunctionsTakeNoTimeButTheirPlace) {
  int calls = 0;
  const Lowering passed_on = [&](Build& build, int rank, int size) {
    const Block own = build.transit(8);
    const auto count = [&](const ComputeBlocks&) { ++calls; };
    build.compute({}, own, count, "begin");
    const Block arriving = build.transit(8);
    build.exchange((rank + 1) % size, (rank + size - 1) % size, own, arriving);
    build.compute(arriving, own, count, "pass on");
    build.exchange((rank + 1) % size, (rank + size - 1) % size, own, build.recv_block(0, 8));
  };
  EXPECT_EQ(predict(passed_on, 3, simple()).nanoseconds, 2 * 1200);
  EXPECT_EQ(calls, 0);
}

TEST(Predict, ThousandsOfRanks) {
  const PredictedTime time = predict(recursive_doubling(1, MPI_DOUBLE, MPI_SUM), 1024, Machine::named("omni-path", 32));
  EXPECT_EQ(time.ranks.size(), 1024U);
  EXPECT_EQ(time.near_messages, 5 * 1024);
  EXPECT_EQ(time.far_messages, 5 * 1024);
}

TEST(Predict, NamedMachines) {
  EXPECT_EQ(Machine::named("omni-path").far.latency, 500);
  EXPECT_EQ(Machine::named("omni-path").near.overhead, 22);
  EXPECT_EQ(Machine::named("fdr-infiniband", 8).ranks_per_node, 8);
  EXPECT_EQ(Machine::named("fdr-infiniband").far.eager_limit, 12288);
}

// What goes wrong.

template <typename Body>
void expect_error(Body body, std::initializer_list<const char*> words) {
  try {
    static_cast<void>(body());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
    for (const char* word : words) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(Predict, RefusesWhatCannotBe) {
  expect_error([] { return predict(shift_of(8), 0, Machine{}); }, {"size: is 0, must be at least 1"});
  expect_error([] { return predict(shift_of(8), 2, Machine{.ranks_per_node = 0}); }, {"ranks_per_node: is 0"});
  expect_error([] { return predict(shift_of(8), 2, Machine{.nodes = {0}}); }, {"nodes: has 1 entries, must have 2"});
  expect_error([] { return predict(shift_of(8), 2, Machine{.nodes = {0, 2}}); }, {"nodes[1]: is 2, must be in [0, 2)"});
  Machine machine;
  machine.far.latency = -1;
  expect_error([&] { return predict(shift_of(8), 2, machine); }, {"machine.far.latency: is -1"});
  machine.far.latency = std::numeric_limits<double>::quiet_NaN();
  expect_error([&] { return predict(shift_of(8), 2, machine); }, {"machine.far.latency: is"});
  expect_error([] { return Machine::named("pigeons"); }, {"name: is \"pigeons\"", "omni-path"});
  expect_error([] { return Machine::named("omni-path", 0); }, {"ranks_per_node: is 0"});
}

TEST(Predict, TellsOfLoweringsThatCannotEnd) {
  const Lowering lonely = [](Build& build, int rank, int) {
    if (rank == 0) build.send(1, build.send_block(0, 8));
  };
  expect_error([&] { return predict(lonely, 2, Machine{}); }, {"do not match"});
  const Lowering circle = [](Build& build, int rank, int size) {
    const Block word = build.recv_block(0, 8);
    build.receive((rank + 1) % size, word);
    build.send((rank + size - 1) % size, word);
  };
  expect_error([&] { return predict(circle, 3, Machine{}); }, {"wait for each other"});
  const Lowering throws = [](Build&, int, int) { throw std::runtime_error("out of ideas"); };
  EXPECT_THROW(static_cast<void>(predict(throws, 2, Machine{})), std::runtime_error);
}

}  // namespace
}  // namespace rondo::internal::predict_test
