// How algorithms of the user's own are offered, chosen, proved and refused.
#include <gtest/gtest.h>
#include <rondo/own/check.hpp>
#include <rondo/own/offer.hpp>
#include <rondo/rondo.hpp>

#include "tests/collectives/offers/own_algorithms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::offers_test {
namespace {

class Offering : public OfferTest {};

std::string explanation_of(Rondo_Request request) {
  std::array<char, 8192> text{};
  int length = 0;
  EXPECT_EQ(Rondo_Explain(request, static_cast<int>(text.size()), text.data(), &length), MPI_SUCCESS);
  return text.data();
}

/// As any other: the fastest by prediction runs, or the one that is asked for.
TEST_F(Offering, AreChosenAsAllOthers) {
  Comm on(comm());
  OfferedAlgorithm slow = kByParts;
  slow.name = "my-slow-parts";
  slow.predict = never;
  offer(on, DenseCollective::allreduce, slow);
  const Numbers mine(4, 1);
  Numbers all(4);
  EXPECT_NE(on.allreduce_init(mine, all, MPI_SUM).algorithm(), "my-slow-parts");
  Options asked;
  asked.dense.own_algorithm = "my-slow-parts";
  Request request = on.allreduce_init(mine, all, MPI_SUM, asked);
  EXPECT_EQ(request.algorithm(), "my-slow-parts");
  request.start();
  request.wait();
  EXPECT_EQ(all, Numbers(4, size()));
  OfferedAlgorithm fast = kByParts;
  fast.name = "my-fast-parts";
  offer(on, DenseCollective::allreduce, fast);
  const Request chosen = on.allreduce_init(mine, all, MPI_SUM);
  EXPECT_EQ(chosen.algorithm(), "my-fast-parts");
  EXPECT_NE(chosen.explain().find("my-fast-parts"), std::string::npos) << chosen.explain();
  // The names in it stay.
  on = Comm(MPI_COMM_WORLD);
  EXPECT_NE(chosen.explain().find("my-fast-parts was chosen because"), std::string::npos) << chosen.explain();
}

/// Without a formula, all ranks are run on the communicator's machine.
TEST_F(Offering, ArePredictedByTheirSchedules) {
  OfferedAlgorithm plain = kCombineAll;
  plain.predict = nullptr;
  offer(comm(), DenseCollective::allreduce, plain);
  std::int64_t one = 1;
  std::int64_t sum = 0;
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Allreduce_init(&one, &sum, 1, MPI_INT64_T, MPI_SUM, comm(), MPI_INFO_NULL, &request), MPI_SUCCESS);
  const std::string text = explanation_of(request);
  EXPECT_NE(text.find("my-reduction"), std::string::npos) << text;
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
}

TEST_F(Offering, OneThatDoesNotApplyIsNotTaken) {
  OfferedAlgorithm of_three = kCombineAll;
  of_three.applies = [](const Problem& problem) { return problem.counts.front() == 3; };
  Comm on(comm());
  offer(on, DenseCollective::allreduce, of_three);
  Numbers three(3, 1);
  EXPECT_EQ(on.allreduce_init(in_place, three, MPI_SUM).algorithm(), "my-reduction");
  Request nonblocking = on.iallreduce(in_place, three, MPI_SUM);
  EXPECT_EQ(nonblocking.algorithm(), "my-reduction");
  nonblocking.wait();
  Numbers four(4, 1);
  EXPECT_NE(on.allreduce_init(in_place, four, MPI_SUM).algorithm(), "my-reduction");
  Options asked;
  asked.dense.own_algorithm = "my-reduction";
  const Request other = on.allreduce_init(in_place, four, MPI_SUM, asked);
  EXPECT_NE(other.explain().find("does not apply"), std::string::npos) << other.explain();
}

/// Persistent operations try it, too.
TEST_F(Offering, TakesTurns) {
  OfferedAlgorithm as_good = kByParts;
  as_good.predict = [](const Machine&, const Problem& problem) { return problem.size == 2 ? 120.0 : 1500.0; };
  Comm on(comm());
  offer(on, DenseCollective::allreduce, as_good);
  Options learns;
  learns.learn = "auto";
  Numbers numbers(4);
  Request request = on.allreduce_init(in_place, numbers, MPI_SUM, learns);
  for (int start = 0; start < 600; ++start) {
    numbers.assign(4, start);
    request.start();
    request.wait();
    ASSERT_EQ(numbers, Numbers(4, std::int64_t{start} * size())) << start;
  }
  if (size() > 1) {
    EXPECT_NE(request.explain().find("my-parts: predicted 1"), std::string::npos) << request.explain();
  }
}

/// What cannot run is not asked how long it takes.
TEST_F(Offering, IsNotPredictedWhereAnotherIsAskedFor) {
  OfferedAlgorithm throwing = kByParts;
  throwing.predict = [](const Machine&, const Problem&) -> double { throw std::runtime_error("not today"); };
  Comm on(comm());
  offer(on, DenseCollective::allreduce, throwing);
  Numbers numbers(4, 1);
  Options asked;
  asked.algorithm = Algorithm::direct;
  EXPECT_EQ(on.allreduce_init(in_place, numbers, MPI_SUM, asked).algorithm(), "direct");
  EXPECT_THROW(static_cast<void>(on.allreduce_init(in_place, numbers, MPI_SUM)), std::runtime_error);
}

/// Where nobody has run all ranks, an _init call finds it.
TEST_F(Offering, MessagesThatDoNotMatch) {
  OfferedAlgorithm crooked = kCombineAll;
  crooked.lower = [](Build& build, const Problem& problem, const Mine& mine) {
    combine_all(build, problem, mine);
    if (mine.rank() == 0) build.exchange(problem.size - 1, MPI_PROC_NULL, mine.sent(), {});
  };
  Comm on(comm());
  offer(on, DenseCollective::allreduce, crooked);
  const Numbers mine(4, 1);
  Numbers all(4);
  try {
    static_cast<void>(on.allreduce_init(mine, all, MPI_SUM));
    ADD_FAILURE() << "is not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
    EXPECT_NE(std::string(error.what()).find("algorithm my-reduction: the messages of the ranks do not match"),
              std::string::npos)
        << error.what();
  }
}

/// The communicator is locked meanwhile.
TEST_F(Offering, CallingRondoInALowering) {
  Comm on(comm());
  OfferedAlgorithm calling = kByParts;
  calling.lower = [&](Build&, const Problem&, const Mine&) { on.barrier(); };
  offer(on, DenseCollective::allreduce, calling);
  Numbers numbers(4, 1);
  try {
    static_cast<void>(on.allreduce_init(in_place, numbers, MPI_SUM));
    ADD_FAILURE() << "is not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
    EXPECT_NE(std::string(error.what()).find("algorithm my-parts: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("algorithm that was offered"), std::string::npos) << error.what();
  }
  calling.name = "my-negative";
  calling.lower = by_parts;
  calling.predict = [](const Machine&, const Problem&) { return -1.0; };
  offer(on, DenseCollective::allreduce, calling);
  Options asked;
  asked.dense.own_algorithm = "my-negative";
  EXPECT_THROW(static_cast<void>(on.allreduce_init(in_place, numbers, MPI_SUM, asked)), Error);
}

/// In one process, any number of ranks.
TEST(OfferedAlgorithms, AreChecked) {
  const auto expect_ok = [](const OfferedAlgorithm& algorithm, const Problem& problem) {
    const CheckResult result = check(lowering_of(algorithm, problem), problem.size);
    EXPECT_TRUE(result.ok()) << algorithm.name << ", " << problem.size << " ranks: " << result;
  };
  for (const int p : {1, 2, 3, 5, 8}) {
    expect_ok(kDisseminate, Problem::of_barrier(p));
    expect_ok(kPassOn, Problem::of_broadcast(p, p - 1, 1000));
    expect_ok(kPassOn, Problem::of_broadcast(p, 0, 10));
    expect_ok(kGoRound, Problem::of_allgather(p, 24));
    expect_ok(kAllToAll, Problem::of_alltoall(p, 200));
    expect_ok(kCombineAll, Problem::of_reduce_scatter(p, 3, MPI_INT64_T, MPI_SUM));
    const auto sum = [](int, std::span<const Numbers> sent, Numbers& recv) {
      recv.assign(recv.size(), 0);
      for (const Numbers& of_rank : sent) std::ranges::transform(recv, of_rank, recv.begin(), std::plus<>());
    };
    const CheckResult parts = check<std::int64_t>(
        lowering_of(kByParts, Problem::of_allreduce(p, 7, MPI_INT64_T, MPI_SUM)), p, {.send = 7, .recv = 7}, sum);
    EXPECT_TRUE(parts.ok()) << p << " ranks: " << parts;
  }
}

TEST(OfferedAlgorithms, AreForAsManyRanksAsTheProblem) {
  const CheckResult result = check(lowering_of(kDisseminate, Problem::of_barrier(4)), 3);
  EXPECT_NE(result.story().find("problem.size: is 4, must be the number of ranks, 3"), std::string::npos) << result;
}

/// What an offer must not be: all ranks hear of it.
TEST_F(Offering, RefusedOffers) {
  const auto expect_refused = [&](const OfferedAlgorithm& algorithm, const std::string& text) {
    try {
      offer(comm(), DenseCollective::allreduce, algorithm);
      ADD_FAILURE() << "is not refused: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  const auto changed = [](auto change) {
    OfferedAlgorithm algorithm = kCombineAll;
    change(algorithm);
    return algorithm;
  };
  expect_refused(changed([](auto& it) { it.name.clear(); }), "algorithm.name: is empty");
  expect_refused(changed([](auto& it) { it.name = "a: b"; }), "no blanks");
  expect_refused(changed([](auto& it) { it.name = "auto"; }), "must be no other algorithm's");
  expect_refused(changed([](auto& it) { it.name = "ring"; }), "must be no other algorithm's");
  expect_refused(changed([](auto& it) { it.lower = nullptr; }), "algorithm.lower: is empty");
  expect_refused(changed([](auto& it) { it.messages = 0; }), "algorithm.messages: is 0, must be in [1, 1024]");
  offer(comm(), DenseCollective::allreduce, kCombineAll);
  expect_refused(kCombineAll, "must be no other algorithm's");
  if (size() == 1) return;
  const auto here = [&](const char* name) {
    return changed([&](auto& it) { it.name = rank() == 0 ? name : "my-other"; });
  };
  expect_refused(here("my-own"), "all ranks must offer the same");
  if (rank() == 0) {
    expect_refused(here("ring"), "must be no other algorithm's");
  } else {
    expect_refused(here("ring"), "rank 0");
  }
}

/// What a lowering throws on one rank comes out of an _init call on all.
TEST_F(Offering, ThrowingLowerings) {
  OfferedAlgorithm throwing = kCombineAll;
  throwing.lower = [](Build& build, const Problem& problem, const Mine& mine) {
    if (mine.rank() == problem.size - 1) throw std::runtime_error("not today");
    combine_all(build, problem, mine);
  };
  Comm on(comm());
  offer(on, DenseCollective::allreduce, throwing);
  Numbers numbers(4);
  if (rank() == size() - 1) {
    EXPECT_THROW(static_cast<void>(on.allreduce_init(in_place, numbers, MPI_SUM)), std::runtime_error);
  } else {
    EXPECT_THROW(static_cast<void>(on.allreduce_init(in_place, numbers, MPI_SUM)), Error);
  }
}

TEST_F(Offering, AskingForWhatThereIsNot) {
  const auto expect_thrown = [&](const auto& lower, const std::string& text) {
    OfferedAlgorithm algorithm = kCombineAll;
    algorithm.lower = lower;
    algorithm.messages = 2;
    const CheckResult result = check(lowering_of(algorithm, Problem::of_allreduce(2, 5, MPI_INT64_T, MPI_SUM)), 2);
    EXPECT_NE(result.story().find(text), std::string::npos) << result;
  };
  expect_thrown([](Build&, const Problem&, const Mine& mine) { static_cast<void>(mine.sent(1)); },
                "block: is 1, but rank 0 sends 1: it must be in [0, 1)");
  expect_thrown([](Build&, const Problem&, const Mine& mine) { static_cast<void>(mine.received(0, 2, 2)); },
                "part: is 2, must be in [0, 2)");
  expect_thrown([](Build&, const Problem&, const Mine& mine) { static_cast<void>(mine.received(0, 0, 0)); },
                "parts: is 0, must be at least 1");
  Problem by_hand;
  by_hand.collective = DenseCollective::allgather;
  EXPECT_NE(check(lowering_of(kGoRound, by_hand), 1).story().find("problem.bytes: has 0 entries, must have 1"),
            std::string::npos);
  expect_thrown([](Build&, const Problem& problem, const Mine&) { static_cast<void>(problem.elements(3)); },
                "block: is 3, must be in [0, 1)");
  expect_thrown(
      [](Build& build, const Problem&, const Mine& mine) {
        for (int i = 0; i < 3; ++i) build.exchange(1 - mine.rank(), mine.sent(), build.operand());
      },
      "messages: rank 0 has 3 of them to or from one other rank, must have at most 2, as was offered");
}

}  // namespace
}  // namespace rondo::internal::offers_test
