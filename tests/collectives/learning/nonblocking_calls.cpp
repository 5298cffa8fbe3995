// Nonblocking calls that learn: right data at every call, however many are under way and however far ranks are apart.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.h>
#include <rondo/rondo.hpp>

#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/learning/learned_file.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::nonblocking_calls_test {
namespace {

/// Past the third look of four candidates.
constexpr int kCalls = 1100;

int rank_here() { return world_rank(); }

int value(int rank, int call, std::size_t i) { return rank * 1'000'000 + call * 100 + static_cast<int>(i); }

/// One call, with its buffers.
class Call {
 public:
  virtual ~Call() = default;
  virtual void check() = 0;
  Request request;
};

class RingAlltoall final : public Call {
 public:
  static constexpr std::array kOffsets{-2, -1, 1, 2, 3};
  static constexpr std::size_t kBlock = 3;
  RingAlltoall(CartComm& ring, int number) : number_(number) {
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = value(rank_here(), number, i);
    request = ring.ialltoall(sent_, received_, kBlock);
  }
  void check() override {
    const int p = world_size();
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const int from = ((rank_here() - kOffsets[i / kBlock]) % p + p) % p;
      EXPECT_EQ(received_[i], value(from, number_, i)) << "ring, call " << number_;
    }
  }

 private:
  int number_;
  std::vector<int> sent_ = std::vector<int>(kBlock * kOffsets.size());
  std::vector<int> received_ = std::vector<int>(kBlock * kOffsets.size(), -1);
};

class Allreduce final : public Call {
 public:
  Allreduce(Comm& comm, int number) : number_(number) {
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = value(rank_here(), number, i);
    request = comm.iallreduce(sent_, received_, MPI_SUM);
  }
  void check() override {
    const int p = world_size();
    for (std::size_t i = 0; i < received_.size(); ++i)
      EXPECT_EQ(received_[i], p * (p - 1) / 2 * 1'000'000 + p * value(0, number_, i)) << "allreduce, call " << number_;
  }

 private:
  int number_;
  std::vector<int> sent_ = std::vector<int>(1024);
  std::vector<int> received_ = std::vector<int>(1024, -1);
};

/// From a rank that may be far ahead of the others.
class Broadcast final : public Call {
 public:
  Broadcast(Comm& comm, int number) : number_(number) {
    if (rank_here() == 0) {
      for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = value(0, number, i);
    }
    request = comm.ibcast(data_, 0);
  }
  void check() override {
    for (std::size_t i = 0; i < data_.size(); ++i)
      EXPECT_EQ(data_[i], value(0, number_, i)) << "broadcast, call " << number_;
  }

 private:
  int number_;
  std::vector<int> data_ = std::vector<int>(4000, -1);
};

/// Communicators that learn.
struct Comms {
  explicit Comms(const std::string& learn)
      : ring(MPI_COMM_WORLD, {world_size()}, Neighborhood{{-2}, {-1}, {1}, {2}, {3}}, Options{.learn = learn}),
        comm(MPI_COMM_WORLD, Options{.learn = learn}) {}

  static constexpr std::size_t kExamples = 3;
  [[nodiscard]] std::unique_ptr<Call> make(std::size_t example, int number) {
    switch (example) {
      case 0:
        return std::make_unique<RingAlltoall>(ring, number);
      case 1:
        return std::make_unique<Allreduce>(comm, number);
      default:
        return std::make_unique<Broadcast>(comm, number);
    }
  }

  CartComm ring;
  Comm comm;
};

void complete(std::deque<std::unique_ptr<Call>>& calls) {
  calls.front()->request.wait();
  calls.front()->check();
  calls.pop_front();
}

/// Communicators that nobody has prepared learn, while it lives.
class LearningByEnvironment {
 public:
  LearningByEnvironment() { setenv("RONDO_LEARN", "4", 1); }
  LearningByEnvironment(const LearningByEnvironment&) = delete;
  LearningByEnvironment& operator=(const LearningByEnvironment&) = delete;
  ~LearningByEnvironment() { unsetenv("RONDO_LEARN"); }
};

/// What the only problem of the contexts' calls has learned.
template <typename Context>
const learning::LearningCalls& learned_on(Context& context) {
  const auto& all = context.calls().learning().all();
  EXPECT_EQ(all.size(), 1U);
  return *all.front().second;
}

/// One after the other, and as many as that at once.
TEST(NonblockingCalls, DataAreRightAtEveryCall) {
  for (const std::size_t at_once : {1U, 3U, 70U}) {
    for (std::size_t example = 0; example < Comms::kExamples; ++example) {
      Comms comms("4");
      std::deque<std::unique_ptr<Call>> calls;
      for (int number = 0; number < kCalls; ++number) {
        calls.push_back(comms.make(example, number));
        if (calls.size() == at_once) {
          while (!calls.empty()) complete(calls);
        }
      }
      while (!calls.empty()) complete(calls);
    }
  }
}

/// The same plan is left everywhere.
TEST(NonblockingCalls, EndInOnePlan) {
  Comms comms("4");
  for (int number = 0; number < kCalls; ++number) {
    const std::unique_ptr<Call> call = comms.make(0, number);
    call->request.wait();
    call->check();
  }
  const auto& learned = learned_on(NeighborhoodContext::of(comms.ring.native()));
  EXPECT_TRUE(learned.over());
  EXPECT_TRUE(learned.told().starts_with("learned: the fastest of ")) << learned.told();
  const std::unique_ptr<Call> call = comms.make(0, kCalls);
  std::string text = call->request.algorithm();
  EXPECT_NE(call->request.explain().find("learned: the fastest of "), std::string::npos) << call->request.explain();
  call->request.wait();
  text.resize(100, ' ');
  std::string first = text;
  MPI_Bcast(first.data(), 100, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, first);
}

/// Several problems beside each other, many calls under way, completed in any order, and ranks that pause.
TEST(NonblockingCalls, ManyAreUnderWayAndEndInAnyOrder) {
  Comms comms("auto");
  std::mt19937 order(1);
  std::mt19937 own(static_cast<unsigned>(rank_here()) + 2);
  std::vector<std::unique_ptr<Call>> calls;
  const auto end_one = [&] {
    const std::size_t which = own() % calls.size();
    if (own() % 4 == 0) {
      while (!calls[which]->request.test()) std::this_thread::yield();
    } else {
      calls[which]->request.wait();
    }
    calls[which]->check();
    calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(which));
  };
  for (int number = 0; number < 1500; ++number) {
    if (own() % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    calls.push_back(comms.make(order() % Comms::kExamples, number));
    const std::size_t most = 1 + own() % 60;
    while (calls.size() > most) end_one();
  }
  while (!calls.empty()) end_one();
}

/// A call for which a decision is missing, as the other ranks are late, does not wait, nor do those after it.
TEST(NonblockingCalls, ARankThatIsFarAheadWaitsInItsWaits) {
  constexpr int kAhead = 120;  // past the answer, and past the first look
  Comms comms("4");
  std::deque<std::unique_ptr<Call>> calls;
  int number = 0;
  for (int round = 0; round < 3; ++round) {
    // The others wait for all of rank 0's calls before they make theirs: a call that waited for them would never end.
    if (rank_here() != 0) MPI_Recv(nullptr, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int call = 0; call < kAhead; ++call) calls.push_back(comms.make(0, number++));
    if (rank_here() == 0) {
      const std::string late = calls.back()->request.algorithm();
      if (round == 0 && world_size() > 1) {
        EXPECT_EQ(late, "to be chosen");
      }
      for (int to = 1; to < world_size(); ++to) MPI_Send(nullptr, 0, MPI_INT, to, 5, MPI_COMM_WORLD);
    }
    while (!calls.empty()) complete(calls);
  }
}

/// Callbacks, blocks that are asked for, and waits for any of several, of calls that are late.
TEST(NonblockingCalls, LateOnesMayBeWaitedForInAllWays) {
  Comms comms("4");
  std::deque<std::unique_ptr<Call>> calls;
  int called = 0;
  int number = 0;
  for (int round = 0; round < 8; ++round) {
    for (int call = 0; call < 30; ++call) calls.push_back(comms.make(0, number++));
    while (!calls.empty()) {
      Call& one = *calls.front();
      if (round % 3 == 0) {
        int blocks = 0;
        while (one.request.wait_any_block()) ++blocks;
        EXPECT_EQ(blocks, static_cast<int>(RingAlltoall::kOffsets.size()));
      } else if (round % 3 == 1) {
        bool done = false;
        if (!one.request.on_complete([&] { done = true; })) done = true;
        one.request.wait();
        called += done ? 1 : 0;
      } else {
        std::array<Request, 2> pair{std::move(calls[0]->request), std::move(calls[1]->request)};
        const auto which = wait_any(pair);
        ASSERT_TRUE(which);
        wait_all(pair);
        calls.front()->check();
        calls.pop_front();
        calls.front()->check();
        calls.pop_front();
        continue;
      }
      complete(calls);
    }
  }
  EXPECT_EQ(called, 90);
}

/// Before the communicator of its own that it needs is there.
TEST(NonblockingCalls, MayBeLateOnACommunicatorThatIsNotMadeYet) {
  const LearningByEnvironment learning;
  for (int time = 0; time < 4; ++time) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank_here() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    int number = 0;
    const auto broadcast = [&](std::size_t at_once) {
      std::vector<std::array<int, 500>> data(at_once);
      std::vector<Rondo_Request> requests(at_once);
      for (std::size_t i = 0; i < at_once; ++i) {
        if (rank_here() == 0) data[i].fill(number + static_cast<int>(i));
        ASSERT_EQ(Rondo_Ibcast(data[i].data(), 500, MPI_INT, 0, comm, &requests[i]), MPI_SUCCESS);
      }
      for (std::size_t i = 0; i < at_once; ++i) {
        ASSERT_EQ(Rondo_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(data[i].front(), number + static_cast<int>(i));
        EXPECT_EQ(data[i].back(), number + static_cast<int>(i));
      }
      number += static_cast<int>(at_once);
    };
    broadcast(60);
    for (int call = 0; call < 100; ++call) broadcast(1);
    MPI_Comm_free(&comm);
  }
}

/// From a callback, as a program of coroutines does.
TEST(NonblockingCalls, OneMayBeginTheNext) {
  Comms comms("4");
  std::unique_ptr<Call> call = comms.make(0, 0);
  for (int number = 1; number < 300; ++number) {
    std::unique_ptr<Call> next;
    const auto begin_next = [&] { next = comms.make(0, number); };
    if (!call->request.on_complete(begin_next)) begin_next();
    call->request.wait();
    call->check();
    ASSERT_NE(next, nullptr);
    call = std::move(next);
  }
  call->request.wait();
}

/// Of so many at once nobody knows what they take: the model's choice stays, and is not said to be the fastest.
TEST(NonblockingCalls, TooManyAtOnceLearnNothing) {
  const KeptFindings file;
  {
    Comms comms("4");
    std::deque<std::unique_ptr<Call>> calls;
    for (int number = 0; number < 1000; ++number) {
      calls.push_back(comms.make(0, number));
      if (calls.size() < 250) continue;
      while (!calls.empty()) complete(calls);
    }
    const auto& problems = NeighborhoodContext::of(comms.ring.native()).calls().learning().all();
    ASSERT_EQ(problems.size(), 1U);
    const auto& [problem, learned] = problems.front();
    EXPECT_TRUE(learned->over());
    EXPECT_NE(learned->told().find("measured not yet"), std::string::npos) << learned->told();
    EXPECT_FALSE(learning::learned_plan(problem));
  }
}

/// While the ranks ask, while times are added up, and while calls are late.
TEST(NonblockingCalls, CommunicatorsMayBeFreedAtAnyTime) {
  for (const int number : {1, 2, 3, 23, 24, 25, 47, 48, 49, 51, 52, 53, 71, 72, 73, 75, 76, 77, 90}) {
    Comms comms("4");
    std::deque<std::unique_ptr<Call>> calls;
    for (int call = 0; call < number; ++call) calls.push_back(comms.make(0, call));
    while (!calls.empty()) complete(calls);
  }
}

/// Blocking calls beside them, with persistent operations made in between: tags are the same everywhere.
TEST(NonblockingCalls, StandBesideOtherForms) {
  Comms comms("4");
  std::mt19937 own(static_cast<unsigned>(rank_here()) + 5);
  std::deque<std::unique_ptr<Call>> calls;
  std::vector<int> sent(1024, 1);
  std::vector<int> sums(1024);
  for (int number = 0; number < 300; ++number) {
    calls.push_back(comms.make(1 + static_cast<std::size_t>(number) % 2, number));
    if (number % 7 == 0) {
      comms.comm.allreduce(sent, sums, MPI_SUM);
      EXPECT_EQ(sums[1000], world_size());
    }
    if (number % 50 == 0) {
      Request request = comms.comm.allreduce_init(sent, sums, MPI_SUM);
      request.start();
      request.wait();
    }
    const std::size_t most = own() % 20;
    while (calls.size() > most) complete(calls);
  }
  while (!calls.empty()) complete(calls);
}

/// What was found out is known to the calls on the next communicator, on all ranks, though rank 0 alone has the file.
TEST(NonblockingCalls, LaterOnesBeginWithWhatIsKnown) {
  const KeptFindings file;
  for (int time = 0; time < 2; ++time) {
    Comms comms("4");
    auto& context = NeighborhoodContext::of(comms.ring.native());
    for (int number = 0; number < kCalls; ++number) {
      const std::unique_ptr<Call> call = comms.make(0, number);
      call->request.wait();
      call->check();
      if (number == 30) {
        EXPECT_EQ(learned_on(context).over(), time == 1);
      }
    }
  }
  if (rank_here() != 0) return;
  const learning::LearnedPlans plans = file.plans();
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_TRUE(plans.begin()->first.starts_with("nonblocking alltoall, ")) << plans.begin()->first;
}

}  // namespace
}  // namespace rondo::internal::nonblocking_calls_test
