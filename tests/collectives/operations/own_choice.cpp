// Collectives of the user's own that have several algorithms.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/operations/own_allreduce.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
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

// What learns.

/// `slow` is thought to be the fastest.
std::vector<OwnAlgorithm> misjudged(const Lowering& slow, const Lowering& fast) {
  return {{"slow", slow, [](const rondo::Machine&, int) { return 100.0; }},
          {"fast", fast, [](const rondo::Machine&, int) { return 150.0; }}};
}

bool learns(const Request& request) { return request.explain().find("candidates take turns") != std::string::npos; }

/// Where ranks share cores, any of them may be.
TEST(OwnChoice, LearnsWhichIsTheFastest) {
  const std::vector<OwnAlgorithm> ways = misjudged(long_way, direct);
  OwnCollective gather(MPI_COMM_WORLD, "gather", ways, {.learn = "auto"});
  expect_gathers(gather, "slow");
  const auto size = static_cast<std::size_t>(world_size());
  const std::array<std::int64_t, 1> mine{world_rank() + 7};
  std::vector<std::int64_t> all(size);
  Request request = gather.init(mine, all);
  EXPECT_TRUE(learns(request)) << request.explain();
  for (int start = 0; start < 900; ++start) {
    all.assign(size, -1);
    request.start();
    request.wait();
    for (std::size_t rank = 0; rank < size; ++rank) EXPECT_EQ(all[rank], rank + 7);
  }
  EXPECT_NE(request.explain().find("learned: the fastest of 2"), std::string::npos) << request.explain();
  std::array<int, 2> fast{request.algorithm() == "fast" ? 1 : 0, request.algorithm() == "fast" ? 0 : 1};
  MPI_Allreduce(MPI_IN_PLACE, fast.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(fast[0] + fast[1], 1) << "the same on all ranks";
  EXPECT_EQ(request.explain().find(request.algorithm() + " was chosen") != std::string::npos, true)
      << request.explain();
}

/// Those that are thought to be much slower are not even lowered; those that are thought to be alike are.
TEST(OwnChoice, LearnsAmongThoseThatMayBeTheFastest) {
  const auto never = [](Build&, int, int) { throw std::logic_error("nobody asks"); };
  std::vector<OwnAlgorithm> ways = misjudged(long_way, direct);
  ways[1].predict = ways[0].predict;
  ways.push_back({"slow and bad", never, [](const rondo::Machine&, int) { return 500.0; }});
  ways.push_back(
      {"unknown", never, [](const rondo::Machine&, int) { return std::numeric_limits<double>::infinity(); }});
  OwnCollective gather(MPI_COMM_WORLD, "gather", ways, {.learn = "4"});
  expect_gathers(gather, "slow");
  EXPECT_NE(explanation_of(gather).find("learning: 2 candidates take turns"), std::string::npos)
      << explanation_of(gather);
}

/// Sums of floating-point numbers would change in their last bits from one start to the next.
TEST(OwnChoice, WhatDependsOnTheOrderDoesNotLearn) {
  const auto of_int = [](Build& build, int rank, int size) { at_rank_0(build, rank, size, MPI_INT); };
  const auto of_float = [](Build& build, int rank, int size) { at_rank_0(build, rank, size, MPI_FLOAT); };
  OwnCollective exact(MPI_COMM_WORLD, "sum", misjudged(of_int, of_int), {.learn = "4"});
  OwnCollective inexact(MPI_COMM_WORLD, "sum", misjudged(of_int, of_float), {.learn = "4"});
  const std::array<int, 1> one{1};
  std::array<int, 1> sum{};
  EXPECT_TRUE(learns(exact.init(one, sum)));
  EXPECT_FALSE(learns(inexact.init(one, sum)));
}

// What goes wrong, on all ranks alike.

TEST(OwnChoice, RanksThatLearnBesideOthersThatDoNot) {
  if (world_size() == 1) GTEST_SKIP() << "needs two ranks that differ";
  const std::vector<OwnAlgorithm> ways = misjudged(long_way, direct);
  const char* const differs = world_rank() == 0 ? "off" : "100";
  for (const auto& [options, name] : {std::pair(Options{.learn = differs}, "options.learn: is "),
                                      {Options{.learn = "4", .learn_again = differs}, "options.learn_again: is "}}) {
    try {
      OwnCollective(MPI_COMM_WORLD, "gather", ways, options);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  OwnCollective gather(MPI_COMM_WORLD, "gather", direct);
  expect_gathers(gather, "own");
}

/// Messages of an algorithm that does not run yet.
TEST(OwnChoice, AllThatMayRunAreLookedAt) {
  if (world_size() == 1) GTEST_SKIP() << "needs messages";
  const auto unanswered = [](Build& build, int rank, int size) {
    direct(build, rank, size);
    if (rank == 0) build.send(1, build.send_block(0, 8));
  };
  const std::vector<OwnAlgorithm> ways = misjudged(direct, unanswered);
  OwnCollective gather(MPI_COMM_WORLD, "gather", ways, {.learn = "off"});
  expect_gathers(gather, "slow");
  EXPECT_THROW(OwnCollective(MPI_COMM_WORLD, "gather", ways, {.learn = "4"}), Error);
}

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
