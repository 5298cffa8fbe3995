// Blocking calls that learn: right data at every call, whatever ranks have in their caches.
#include "collectives/learning/learning_calls.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.h>
#include <rondo/rondo.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/learning/learned_file.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::learning_calls_test {
namespace {

/// Past the third look of four candidates.
constexpr int kCalls = 1100;

int rank_here() { return world_rank(); }

int value(int rank, int call, std::size_t i) { return rank * 1'000'000 + call * 100 + static_cast<int>(i); }

/// Calls of a communicator that learns, each with its data.
class Examples {
 public:
  explicit Examples(const std::string& learn)
      : ring_(MPI_COMM_WORLD, {world_size()}, Neighborhood{{-2}, {-1}, {1}, {2}, {3}}, Options{.learn = learn}),
        comm_(MPI_COMM_WORLD, Options{.learn = learn}) {}

  using Example = void (Examples::*)(int call);
  static constexpr std::size_t kExamples = 6;
  void run(std::size_t example, int call) {
    static constexpr std::array<Example, kExamples> kAll{&Examples::ring_alltoall, &Examples::allreduce,
                                                         &Examples::alltoall,      &Examples::allgather,
                                                         &Examples::broadcast,     &Examples::barrier};
    (this->*kAll[example])(call);
  }

 private:
  /// Each process with others at either side, on a torus in one dimension.
  void ring_alltoall(int call) {
    constexpr std::array kOffsets{-2, -1, 1, 2, 3};
    constexpr std::size_t kBlock = 3;
    const std::vector<int>& sent = filled(kBlock * kOffsets.size(), call);
    ring_.alltoall(sent, received(sent.size()), kBlock);
    const int p = world_size();
    for (std::size_t block = 0; block < kOffsets.size(); ++block) {
      const int from = ((rank_here() - kOffsets[block]) % p + p) % p;
      for (std::size_t i = block * kBlock; i < (block + 1) * kBlock; ++i)
        EXPECT_EQ(received_[i], value(from, call, i)) << "ring, call " << call;
    }
  }
  void allreduce(int call) {
    const std::vector<int>& sent = filled(1024, call);
    comm_.allreduce(sent, received(sent.size()), MPI_SUM);
    const int p = world_size();
    for (std::size_t i = 0; i < sent.size(); ++i)
      EXPECT_EQ(received_[i], p * (p - 1) / 2 * 1'000'000 + p * value(0, call, i)) << "allreduce, call " << call;
  }
  void alltoall(int call) {
    const auto p = static_cast<std::size_t>(world_size());
    constexpr std::size_t kBlock = 50;
    const std::vector<int>& sent = filled(p * kBlock, call);
    comm_.alltoall(sent, received(sent.size()), kBlock);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const std::size_t there = static_cast<std::size_t>(rank_here()) * kBlock + i % kBlock;
      EXPECT_EQ(received_[i], value(static_cast<int>(i / kBlock), call, there)) << "alltoall, call " << call;
    }
  }
  void allgather(int call) {
    constexpr std::size_t kBlock = 20;
    const std::vector<int>& sent = filled(kBlock, call);
    comm_.allgather(sent, received(kBlock * static_cast<std::size_t>(world_size())));
    for (std::size_t i = 0; i < received_.size(); ++i)
      EXPECT_EQ(received_[i], value(static_cast<int>(i / kBlock), call, i % kBlock)) << "allgather, call " << call;
  }
  /// From a rank that may be far ahead of the others.
  void broadcast(int call) {
    data_ = filled(4000, call);
    comm_.bcast(data_, 0);
    for (std::size_t i = 0; i < data_.size(); ++i) EXPECT_EQ(data_[i], value(0, call, i)) << "broadcast, call " << call;
  }
  void barrier(int) { comm_.barrier(); }

  const std::vector<int>& filled(std::size_t size, int call) {
    sent_.resize(size);
    for (std::size_t i = 0; i < size; ++i) sent_[i] = value(rank_here(), call, i);
    return sent_;
  }
  std::vector<int>& received(std::size_t size) {
    received_.assign(size, -1);
    return received_;
  }

  CartComm ring_;
  Comm comm_;
  std::vector<int> sent_;
  std::vector<int> received_;
  std::vector<int> data_;
};

TEST(LearningCalls, DataAreRightAtEveryCall) {
  for (std::size_t example = 0; example < Examples::kExamples; ++example) {
    Examples examples("4");
    for (int call = 0; call < kCalls; ++call) examples.run(example, call);
  }
}

/// Several problems on one communicator, in an order that all ranks have, and ranks that come late.
TEST(LearningCalls, ProblemsLearnBesideEachOther) {
  Examples examples("auto");
  std::mt19937 order(1);
  std::mt19937 pauses(static_cast<unsigned>(rank_here()) + 2);
  for (int call = 0; call < 600; ++call) {
    if (pauses() % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    examples.run(order() % Examples::kExamples, call);
  }
}

/// Blocks of `size` ints with `stride` between them. Freed by the caller.
MPI_Datatype strided_block(int size, int stride) {
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_vector(size, 1, stride, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(size) * stride * static_cast<MPI_Aint>(sizeof(int)), &block);
  MPI_Type_commit(&block);
  MPI_Type_free(&vector);
  return block;
}

constexpr std::array kOffsets{-2, -1, 1, 2, 3};
constexpr int kBlock = 20;
constexpr int kSent = kBlock * static_cast<int>(kOffsets.size());

/// A torus in one dimension.
CartComm ring_that_learns() {
  return {MPI_COMM_WORLD, {world_size()}, Neighborhood{{-2}, {-1}, {1}, {2}, {3}}, Options{.learn = "4"}};
}

/// What the only problem on it has learned.
const learning::LearningCalls& learned_on(const CartComm& ring) {
  const auto& all = NeighborhoodContext::of(ring.native()).calls().learning().all();
  EXPECT_EQ(all.size(), 1U);
  return *all.front().second;
}

/// Rank 0 sends with so many datatypes that it forgets schedules, the others with one: all count the same calls.
TEST(LearningCalls, CountsCallsAlikeWhateverRanksForget) {
  constexpr int kTypes = 150;  // more than a cache of schedules keeps
  const CartComm ring = ring_that_learns();
  std::vector<MPI_Datatype> types;
  for (int stride = 1; stride <= (rank_here() == 0 ? kTypes : 1); ++stride)
    types.push_back(strided_block(kBlock, stride));
  const int p = world_size();
  std::vector<int> sent(static_cast<std::size_t>(kSent * kTypes));
  std::vector<int> received(static_cast<std::size_t>(kSent));
  for (int call = 0; call < 700; ++call) {
    const std::size_t type = static_cast<std::size_t>(call) * 7 % types.size();
    const int stride = static_cast<int>(type) + 1;
    for (int i = 0; i < kSent; ++i)
      sent[static_cast<std::size_t>(i * stride)] = value(rank_here(), call, static_cast<std::size_t>(i));
    received.assign(received.size(), -1);
    ASSERT_EQ(Rondo_Cart_alltoall(sent.data(), 1, types[type], received.data(), kBlock, MPI_INT, ring.native()),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < received.size(); ++i) {
      const int from = ((rank_here() - kOffsets[i / kBlock]) % p + p) % p;
      EXPECT_EQ(received[i], value(from, call, i)) << "call " << call;
    }
  }
  const learning::LearningCalls& learned = learned_on(ring);
  EXPECT_TRUE(learned.over());
  EXPECT_TRUE(learned.told().starts_with("learned: the fastest of ")) << learned.told();
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
}

/// Of all ranks, with its own settings. Freed by the caller.
MPI_Comm communicator_that_learns() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_learn", "4");
  EXPECT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
  MPI_Info_free(&info);
  return comm;
}

std::size_t problems_on(MPI_Comm comm) { return DenseContext::ready(comm, "a test")->calls().learning().all().size(); }

/// Results would change in their last bits from one call to the next.
TEST(LearningCalls, SumsOfFloatingPointNumbersLearnNothing) {
  MPI_Comm comm = communicator_that_learns();
  const std::vector<double> numbers(4096, 0.1);
  std::vector<double> sums(numbers);
  for (int call = 0; call < 40; ++call)
    ASSERT_EQ(Rondo_Allreduce(numbers.data(), sums.data(), 4096, MPI_DOUBLE, MPI_SUM, comm), MPI_SUCCESS);
  EXPECT_EQ(problems_on(comm), 0U);
  const std::vector<int> integers(4096, 1);
  std::vector<int> whole(integers);
  ASSERT_EQ(Rondo_Allreduce(integers.data(), whole.data(), 4096, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  EXPECT_EQ(problems_on(comm), 1U);
  MPI_Comm_free(&comm);
}

/// More problems than are learned of, and persistent operations made between the calls, which take tags as well.
TEST(LearningCalls, ThoseBeyondTheFirstProblemsRunAsTheModelChooses) {
  MPI_Comm comm = communicator_that_learns();
  const int p = world_size();
  constexpr int kLargest = 50;
  std::vector<int> sent(kLargest);
  std::vector<int> received(kLargest);
  for (int round = 0; round < 45; ++round) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    if (round % 5 == 0) {
      ASSERT_EQ(Rondo_Allreduce_init(sent.data(), received.data(), 3, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request),
                MPI_SUCCESS);
      Rondo_Request_free(&request);
    }
    for (int count = 1; count <= kLargest; ++count) {
      for (int i = 0; i < count; ++i) sent[static_cast<std::size_t>(i)] = rank_here() + round + i;
      ASSERT_EQ(Rondo_Allreduce(sent.data(), received.data(), count, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(received[static_cast<std::size_t>(i)], p * (p - 1) / 2 + p * (round + i)) << "count " << count;
    }
  }
  EXPECT_EQ(problems_on(comm), learning::LearningProblems::kMost);
  MPI_Comm_free(&comm);
}

/// By other settings, whatever is under way.
TEST(LearningCalls, BeginAnewWhenTheCommunicatorIsPreparedAgain) {
  std::vector<int> sent(1024, rank_here());
  std::vector<int> received(1024);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const int calls : {1, 2, 3, 24, 25, 50, 51, 52}) {
    MPI_Comm comm = communicator_that_learns();
    for (const char* learn : {"4", "auto", "off"}) {
      MPI_Info_set(info, "rondo_learn", learn);
      ASSERT_EQ(Rondo_Comm_prepare(comm, info), MPI_SUCCESS);
      for (int call = 0; call < calls; ++call) {
        ASSERT_EQ(Rondo_Allreduce(sent.data(), received.data(), 1024, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        EXPECT_EQ(received[1023], world_size() * (world_size() - 1) / 2);
      }
      EXPECT_EQ(problems_on(comm), learn == std::string("off") ? 0U : 1U);
    }
    MPI_Comm_free(&comm);
  }
  MPI_Info_free(&info);
}

/// While the ranks ask, and while times are being added up.
TEST(LearningCalls, CommunicatorsMayBeFreedAtAnyTime) {
  for (const int calls : {1, 2, 3, 23, 24, 25, 47, 48, 49, 51, 52, 53, 71, 72, 73, 75, 76, 77, 90}) {
    Examples examples("4");
    for (int call = 0; call < calls; ++call) examples.run(0, call);
  }
}

/// What was found out is known to the calls on the next communicator, on all ranks, though rank 0 alone has the file.
TEST(LearningCalls, LaterOnesBeginWithWhatIsKnown) {
  const KeptFindings file;
  const std::vector<int> sent(kSent);
  std::vector<int> received(kSent);
  for (int time = 0; time < 2; ++time) {
    CartComm ring = ring_that_learns();
    for (int call = 0; call < kCalls; ++call) {
      ring.alltoall(sent, received, kBlock);
      if (call == 30) {
        EXPECT_EQ(learned_on(ring).over(), time == 1) << learned_on(ring).told();
      }
    }
    EXPECT_TRUE(learned_on(ring).over());
  }
  if (rank_here() != 0) return;
  const learning::LearnedPlans plans = file.plans();
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_TRUE(plans.begin()->first.starts_with("blocking alltoall, ")) << plans.begin()->first;
}

/// Where there are no tags left to add up times with, on all ranks alike: the model's choice runs.
TEST(LearningCalls, LearnNothingWithoutSums) {
  const std::vector<learning::Contender> contenders{{.name = "one: one", .predicted = 10},
                                                    {.name = "other: other", .predicted = 11}};
  learning::LearningCalls learning("some calls", contenders, 4, rank_here(), world_size(), {});
  for (int call = 0; call < 60; ++call) {
    const std::optional<std::size_t> plan = learning.next_plan([] { return nullptr; });
    ASSERT_TRUE(plan);
    EXPECT_EQ(learning.name_of(*plan), "one: one");
    learning.took(learning.begun(), 5);
  }
  EXPECT_TRUE(learning.over());
}

}  // namespace
}  // namespace rondo::internal::learning_calls_test
