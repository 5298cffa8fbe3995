// Persistent operations that learn, started inside functions of compute tasks, which must not wait for other ranks.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "tests/collectives/binding/learning_examples.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rondo::internal::learning_inside_functions_test {
namespace {

using learning_examples::Example;
using learning_examples::examples;
using learning_examples::is_decided;
using learning_examples::kLongestPause;
using learning_examples::later_looks;
using learning_examples::rank_here;
using learning_examples::run_until_decided;

/// A function of a compute task may not wait for other ranks nor free operations, as a start that learns may have to.
TEST(LearningInsideFunctions, IsNotStartedInsideAFunction) {
  const std::unique_ptr<Example> example = examples()[1].second({.learn = "4"});
  OwnCollective computing(MPI_COMM_WORLD, "computing", [&](rondo::ScheduleBuilder& build, int, int) {
    build.compute(
        {}, build.recv_block(0, 4), [&](const ComputeBlocks&) { example->request().start(); }, "starter");
  });
  int word = 0;
  try {
    computing.run(nullptr, &word);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
    EXPECT_NE(std::string(error.what()).find("it learns (rondo_learn)"), std::string::npos) << error.what();
  }
  // The refused start has changed nothing: the operation still learns with right data.
  for (int start = 0; start < 40; ++start) {
    example->fill(start);
    example->request().start();
    example->request().wait();
    example->check(start);
  }
}

/// An operation that has one algorithm left may be started inside a function, also when its two fastest algorithms are
/// compared again.
TEST(LearningInsideFunctions, IsStartedInsideAFunctionWhenItHasDecided) {
  const std::unique_ptr<Example> example = examples()[1].second({.learn = "4", .learn_again = "100"});
  int start = run_until_decided(*example);
  OwnCollective computing(MPI_COMM_WORLD, "computing", [&](rondo::ScheduleBuilder& build, int, int) {
    build.compute(
        {}, build.recv_block(0, 4), [&](const ComputeBlocks&) { example->request().start(); }, "starter");
  });
  int word = 0;
  std::set<std::string> algorithms;
  for (const int end = start + kLongestPause; start < end && later_looks(example->request()) < 4; ++start) {
    example->fill(start);
    computing.run(nullptr, &word);
    example->request().wait();
    example->check(start);
    algorithms.insert(example->request().algorithm());
  }
  EXPECT_EQ(algorithms.size(), 2U) << example->request().explain();
}

/// If a start needs the times of ranks that are far behind, it is refused inside a function, which may not wait for
/// them, and succeeds outside.
TEST(LearningInsideFunctions, ARankThatIsFarAheadIsNotStartedInsideAFunction) {
  int sent = 0;
  int received = 0;
  const auto from_first = [](rondo::ScheduleBuilder& build, int rank, int size) {
    if (rank != 0) build.receive(0, build.recv_block(0, 4));
    for (int to = 1; rank == 0 && to < size; ++to) build.send(to, build.send_block(0, 4));
  };
  const auto predict = [](const rondo::Machine&, int) { return 100.0; };
  OwnCollective send(MPI_COMM_WORLD, "from-first",
                     std::vector<OwnAlgorithm>{{"one", from_first, predict}, {"other", from_first, predict}},
                     {.shm = SharedMemory::off, .learn = "4", .learn_again = "100"});
  Request request = send.init(&sent, &received);
  int start = 0;
  const auto run = [&] {
    sent = start;
    request.start();
    request.wait();
    EXPECT_EQ(rank_here() == 0 ? start : received, start);
    ++start;
  };
  while (!is_decided(request)) {
    run();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int made = start;
  if (rank_here() == 0) {
    OwnCollective computing(MPI_COMM_SELF, "computing", [&](rondo::ScheduleBuilder& build, int, int) {
      build.compute(
          {}, build.recv_block(0, 4), [&](const ComputeBlocks&) { request.start(); }, "starter");
    });
    std::string refused;
    for (int word = 0; refused.empty() && start < made + kLongestPause; ++start) {
      sent = start;
      try {
        computing.run(nullptr, &word);
      } catch (const Error& error) {
        refused = error.what();
        break;
      }
      request.wait();
    }
    EXPECT_NE(refused.find("it waits for times of ranks that are far behind"), std::string::npos) << refused;
    sent = start;
    request.start();
    made = ++start;
  }
  MPI_Bcast(&made, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank_here() == 0) request.wait();
  while (start < made + 200) run();
  EXPECT_NE(request.explain().find(rank_here() == 0 ? "ranks far behind: " : "looks again: "), std::string::npos)
      << request.explain();
}

}  // namespace
}  // namespace rondo::internal::learning_inside_functions_test
