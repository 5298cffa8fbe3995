// Collectives of the user's own that have several algorithms.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::own_choice_test {
namespace {

using Build = rondo::ScheduleBuilder;

/// An allgather of 8 bytes: all to all at once.
void direct(Build& build, int rank, int size) {
  const Block own = build.send_block(0, 8);
  build.copy(own, build.recv_block(rank * 8, 8));
  for (int shift = 1; shift < size; ++shift) {
    const int source = (rank + size - shift) % size;
    build.exchange((rank + shift) % size, source, own, build.recv_block(source * 8, 8));
  }
}

/// The same around a ring, so often that anything else is faster.
void long_way(Build& build, int rank, int size) {
  const Block own = build.send_block(0, 8);
  build.copy(own, build.recv_block(rank * 8, 8));
  const int next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  Block passed = own;
  for (int step = 0; step < 20; ++step) {
    const Block arriving = build.transit(8);
    build.exchange(next, before, passed, arriving);
    passed = arriving;
  }
  passed = own;
  for (int step = 1; step < size; ++step) {
    const Block arriving = build.recv_block((rank + size - step) % size * 8, 8);
    build.exchange(next, before, passed, arriving);
    passed = arriving;
  }
}

void expect_gathers(OwnCollective& gather, const std::string& algorithm) {
  const std::array<std::int64_t, 1> mine{world_rank() + 7};
  std::vector<std::int64_t> all(static_cast<std::size_t>(world_size()), -1);
  const auto expect_right = [&] {
    for (int rank = 0; rank < world_size(); ++rank) EXPECT_EQ(all[static_cast<std::size_t>(rank)], rank + 7);
    all.assign(all.size(), -1);
  };
  gather.run(mine, all);
  expect_right();
  Request once = gather.start(mine, all);
  EXPECT_EQ(once.algorithm(), algorithm);
  once.wait();
  expect_right();
  Request request = gather.init(mine, all);
  EXPECT_EQ(request.algorithm(), algorithm);
  for (int start = 0; start < 2; ++start) {
    request.start();
    request.wait();
    expect_right();
  }
}

std::string explanation_of(OwnCollective& gather) {
  const std::array<std::int64_t, 1> mine{1};
  std::vector<std::int64_t> all(static_cast<std::size_t>(world_size()));
  return gather.init(mine, all).explain();
}

TEST(OwnChoice, TheFastestRuns) {
  const std::vector<OwnAlgorithm> ways{{"long-way", long_way}, {"direct", direct}};
  OwnCollective gather(MPI_COMM_WORLD, "gather", ways);
  expect_gathers(gather, "direct");
  const std::string text = explanation_of(gather);
  EXPECT_EQ(text.find("algorithm"), 0U) << text;
  EXPECT_LT(text.find("\ndirect "), text.find("\nlong-way ")) << text;
  EXPECT_NE(text.find("direct was chosen because its predicted time is the lowest of 2"), std::string::npos) << text;
}

TEST(OwnChoice, PredictionsOfTheUsersCount) {
  std::vector<OwnAlgorithm> ways{{"long-way", long_way}, {"direct", direct}};
  ways[0].predict = [](const rondo::Machine& machine, int size) {
    EXPECT_EQ(size, world_size());
    EXPECT_GT(machine.far.overhead, 0);
    return 1.0;
  };
  ways[1].predict = [](const rondo::Machine&, int) { return 2.5; };
  OwnCollective gather(MPI_COMM_WORLD, "gather", ways);
  expect_gathers(gather, "long-way");
  ways[0].predict = [](const rondo::Machine&, int) { return std::numeric_limits<double>::infinity(); };
  OwnCollective other(MPI_COMM_WORLD, "gather", ways);
  expect_gathers(other, "direct");
  EXPECT_NE(explanation_of(other).find("-\n"), std::string::npos);
}

TEST(OwnChoice, OfOneNothingIsPredicted) {
  const std::array ways{OwnAlgorithm{
      "only", direct, [](const rondo::Machine&, int) -> double { throw std::logic_error("nobody asks"); }}};
  OwnCollective gather(MPI_COMM_WORLD, "gather", ways);
  expect_gathers(gather, "only");
}

TEST(OwnChoice, OnGridsAndComms) {
  const std::vector<OwnAlgorithm> ways{{"long-way", long_way}, {"direct", direct}};
  const Comm comm(MPI_COMM_WORLD);
  OwnCollective on_comm(comm, "gather", ways);
  expect_gathers(on_comm, "direct");
  const CartComm grid(MPI_COMM_WORLD, {world_size()}, Neighborhood(1));
  OwnCollective on_grid(grid, "gather", ways);
  expect_gathers(on_grid, "direct");
}

// What goes wrong, on all ranks alike.

std::string text_of(std::span<const OwnAlgorithm> ways) {
  try {
    OwnCollective(MPI_COMM_WORLD, "gather", ways);
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_ARG) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

void expect_text(std::span<const OwnAlgorithm> ways, const char* words) {
  const std::string text = text_of(ways);
  EXPECT_NE(text.find(words), std::string::npos) << text;
  OwnCollective gather(MPI_COMM_WORLD, "gather", direct);
  expect_gathers(gather, "own");
}

TEST(OwnChoice, RefusesWhatCannotBe) {
  expect_text({}, "algorithms: has 0 entries, must have at least 1");
  const std::vector<OwnAlgorithm> nameless{{"direct", direct}, {"", long_way}};
  expect_text(nameless, "algorithms[1].name: is empty");
  const std::vector<OwnAlgorithm> twins{{"direct", direct}, {"direct", long_way}};
  expect_text(twins, "algorithms[1].name: is \"direct\", must be no other's");
}

TEST(OwnChoice, APredictionThatFailsOnRank0) {
  std::vector<OwnAlgorithm> ways{{"long-way", long_way}, {"direct", direct}};
  ways[1].predict = [](const rondo::Machine&, int) { return std::numeric_limits<double>::quiet_NaN(); };
  expect_text(ways, world_rank() == 0 ? "predict of direct returns nan" : "rank 0");
  ways[1].predict = [](const rondo::Machine&, int) -> double { throw std::runtime_error("out of ideas"); };
  if (world_rank() == 0) {
    EXPECT_THROW(OwnCollective(MPI_COMM_WORLD, "gather", ways), std::runtime_error);
  } else {
    EXPECT_NE(text_of(ways).find("rank 0"), std::string::npos);
  }
  OwnCollective gather(MPI_COMM_WORLD, "gather", direct);
  expect_gathers(gather, "own");
}

TEST(OwnChoice, RanksThatGiveDifferentNames) {
  const std::vector<OwnAlgorithm> ways{{world_rank() == 0 ? "one" : "other", direct}, {"long-way", long_way}};
  if (world_size() == 1) GTEST_SKIP() << "needs two ranks that differ";
  expect_text(ways, "all ranks must give the same names");
}

}  // namespace
}  // namespace rondo::internal::own_choice_test
