// Algorithms of the user's own that the library's collectives take.
#include <gtest/gtest.h>
#include <rondo/own/check.hpp>
#include <rondo/own/offer.hpp>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/cases/affine.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rondo::internal::offered_plans_test {
namespace {

using Build = rondo::ScheduleBuilder;
using Problem = DenseProblem;
using Mine = DenseBlocks;
using Numbers = std::vector<std::int64_t>;

double at_once(const Machine&, const Problem&) { return 1; }
double never(const Machine&, const Problem&) { return std::numeric_limits<double>::infinity(); }

/// Rank r's token goes r + 1, r + 2, r + 4, ..., each with all that was heard before.
void disseminate(Build& build, const Problem& problem, const Mine& mine) {
  build.set_batches(1);
  for (int far = 1; far < problem.size; far *= 2) {
    build.exchange((mine.rank() + far) % problem.size, (mine.rank() + problem.size - far) % problem.size, mine.sent(),
                   build.transit(1));
  }
}

/// Parts of the block go from the root to the next rank, and on.
void pass_on(Build& build, const Problem& problem, const Mine& mine) {
  constexpr int kParts = 3;
  const int number = (mine.rank() + problem.size - problem.root) % problem.size;
  for (int part = 0; part < kParts; ++part) {
    const Block block = number == 0 ? mine.sent(0, part, kParts) : mine.received(0, part, kParts);
    if (number > 0) build.receive((mine.rank() + problem.size - 1) % problem.size, block);
    if (number < problem.size - 1) build.send((mine.rank() + 1) % problem.size, block);
  }
}

/// Blocks go round.
void go_round(Build& build, const Problem& problem, const Mine& mine) {
  const int p = problem.size;
  build.copy(mine.sent(), mine.received(mine.rank()));
  for (int step = 1; step < p; ++step) {
    build.exchange((mine.rank() + 1) % p, (mine.rank() + p - 1) % p, mine.received((mine.rank() + p + 1 - step) % p),
                   mine.received((mine.rank() + p - step) % p));
  }
}

/// Each block is a message, in two halves, of which the second goes through scratch memory.
void all_to_all(Build& build, const Problem& problem, const Mine& mine) {
  const int p = problem.size;
  std::vector<Block> halves;
  std::vector<Block> copies;
  for (int to = 0; to < p; ++to) {
    halves.push_back(mine.sent(to, 1, 2));
    copies.push_back(to == mine.rank() ? mine.received(to, 1, 2) : build.transit(build.bytes(halves.back())));
  }
  build.copy(halves, copies);
  for (int step = 0; step < p; ++step) {
    const int to = (mine.rank() + step) % p;
    const int from = (mine.rank() + p - step) % p;
    build.exchange(to, from, mine.sent(to, 0, 2), mine.received(from, 0, 2));
    if (step > 0) build.exchange(to, from, copies[static_cast<std::size_t>(to)], mine.received(from, 1, 2));
  }
}

/// Everybody gets all vectors, and combines them from the last to the first.
void combine_all(Build& build, const Problem& problem, const Mine& mine) {
  build.set_window(2);
  const bool scatters = problem.collective == DenseCollective::reduce_scatter;
  const Block result = mine.received();
  std::vector<Block> operands;
  for (int rank = 0; rank < problem.size; ++rank)
    operands.push_back(rank == mine.rank() ? mine.sent(scatters ? rank : 0) : build.operand());
  for (int step = 1; step < problem.size; ++step) {
    const int to = (mine.rank() + step) % problem.size;
    const int from = (mine.rank() + problem.size - step) % problem.size;
    build.exchange(to, from, mine.sent(scatters ? to : 0), operands[static_cast<std::size_t>(from)]);
  }
  build.copy(operands.back(), result);
  for (int rank = problem.size - 2; rank >= 0; --rank) build.reduce(operands[static_cast<std::size_t>(rank)], result);
}

/// Part j of all vectors goes to rank j, which combines them and hands the sum back.
void by_parts(Build& build, const Problem& problem, const Mine& mine) {
  const int p = problem.size;
  const int rank = mine.rank();
  for (int part = 0; part < p; ++part) {
    if (part != rank) build.send(part, mine.sent(0, part, p));
  }
  const Block sum = mine.received(0, rank, p);
  build.set_reduction(problem.elements(0, rank, p), problem.datatype, problem.op);
  build.copy(mine.sent(0, rank, p), sum);
  for (int step = 1; step < p; ++step) {
    const Block operand = build.operand();
    build.receive((rank + step) % p, operand);
    build.reduce(operand, sum);
  }
  for (int step = 1; step < p; ++step) {
    const int to = (rank + step) % p;
    const int from = (rank + p - step) % p;
    build.exchange(to, from, sum, mine.received(0, from, p));
  }
}

const OfferedAlgorithm kDisseminate{.name = "my-barrier", .lower = disseminate, .predict = at_once};
const OfferedAlgorithm kPassOn{.name = "my-chain", .lower = pass_on, .predict = at_once};
const OfferedAlgorithm kGoRound{.name = "my-ring", .lower = go_round, .predict = at_once};
const OfferedAlgorithm kAllToAll{.name = "my-alltoall", .lower = all_to_all, .predict = at_once};
const OfferedAlgorithm kCombineAll{.name = "my-reduction", .lower = combine_all, .predict = at_once};
const OfferedAlgorithm kByParts{.name = "my-parts",
                                .lower = by_parts,
                                .applies = [](const Problem& problem) { return problem.commutative; },
                                .predict = at_once};

/// A communicator of the test's own.
class Offered : public testing::Test {
 protected:
  Offered() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~Offered() override { MPI_Comm_free(&comm_); }
  Offered(const Offered&) = delete;
  Offered& operator=(const Offered&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] static int rank() { return world_rank(); }
  [[nodiscard]] static int size() { return world_size(); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::string algorithm_of(Rondo_Request request) {
  std::array<char, RONDO_MAX_ERROR_STRING> name{};
  int length = 0;
  EXPECT_EQ(Rondo_Request_get_algorithm(request, name.data(), &length), MPI_SUCCESS);
  return name.data();
}

std::string explanation_of(Rondo_Request request) {
  std::array<char, 8192> text{};
  int length = 0;
  EXPECT_EQ(Rondo_Explain(request, static_cast<int>(text.size()), text.data(), &length), MPI_SUCCESS);
  return text.data();
}

/// A call in its three forms, the persistent one proved and started twice.
struct Forms {
  std::function<int()> blocking;
  std::function<int(Rondo_Request*)> nonblocking;
  std::function<int(MPI_Info, Rondo_Request*)> persistent;
};

void expect_in_all_forms(const Forms& forms, const std::string& algorithm, const std::function<void()>& expect_right) {
  for (int call = 0; call < 3; ++call) {
    ASSERT_EQ(forms.blocking(), MPI_SUCCESS);
    expect_right();
  }
  Rondo_Request once = RONDO_REQUEST_NULL;
  ASSERT_EQ(forms.nonblocking(&once), MPI_SUCCESS);
  EXPECT_EQ(algorithm_of(once), algorithm);
  ASSERT_EQ(Rondo_Wait(&once, MPI_STATUS_IGNORE), MPI_SUCCESS);
  expect_right();
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_check", "1");
  Rondo_Request again = RONDO_REQUEST_NULL;
  ASSERT_EQ(forms.persistent(info, &again), MPI_SUCCESS);
  MPI_Info_free(&info);
  EXPECT_EQ(algorithm_of(again), algorithm);
  for (int start = 0; start < 2; ++start) {
    ASSERT_EQ(Rondo_Start(&again), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&again, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_right();
  }
  ASSERT_EQ(Rondo_Request_free(&again), MPI_SUCCESS);
}

/// Without another address.
template <typename T>
void refill(std::vector<T>& all, const std::vector<T>& mine, bool in_place, std::type_identity_t<T> nothing) {
  std::ranges::fill(all, nothing);
  if (in_place) std::ranges::copy(mine, all.begin());
}

std::int64_t number(int rank, int i) { return 1000 * rank + i + 1; }

class OfferedPlans : public Offered {};

TEST_F(OfferedPlans, Barriers) {
  offer(comm(), DenseCollective::barrier, kDisseminate);
  expect_in_all_forms(
      {[&] { return Rondo_Barrier(comm()); }, [&](Rondo_Request* request) { return Rondo_Ibarrier(comm(), request); },
       [&](MPI_Info info, Rondo_Request* request) { return Rondo_Barrier_init(comm(), info, request); }},
      "my-barrier", [] {});
}

/// Of a contiguous block, and of every second number.
TEST_F(OfferedPlans, Broadcasts) {
  offer(comm(), DenseCollective::broadcast, kPassOn);
  constexpr int kCount = 40;
  for (const int stride : {1, 2}) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(kCount, 1, stride, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    for (int root = 0; root < size(); ++root) {
      Numbers numbers(kCount * 2, -1);
      const auto fill = [&] {
        for (int i = 0; i < kCount * 2; ++i)
          numbers[static_cast<std::size_t>(i)] = rank() == root ? number(root, i) : -1;
      };
      fill();
      expect_in_all_forms(
          {[&] { return Rondo_Bcast(numbers.data(), 1, type, root, comm()); },
           [&](Rondo_Request* request) { return Rondo_Ibcast(numbers.data(), 1, type, root, comm(), request); },
           [&](MPI_Info info, Rondo_Request* request) {
             return Rondo_Bcast_init(numbers.data(), 1, type, root, comm(), info, request);
           }},
          "my-chain", [&] {
            for (int i = 0; i < kCount; ++i)
              EXPECT_EQ(numbers[static_cast<std::size_t>(i * stride)], number(root, i * stride));
            if (rank() != root && stride == 2) {
              EXPECT_EQ(numbers[1], -1);
            }
            fill();
          });
    }
    MPI_Type_free(&type);
  }
}

/// Rank r sends r + 1 numbers; in place, too.
TEST_F(OfferedPlans, Allgathers) {
  offer(comm(), DenseCollective::allgather, kGoRound);
  std::vector<int> counts;
  std::vector<int> places;
  for (int r = 0; r < size(); ++r) {
    places.push_back(r == 0 ? 0 : places.back() + counts.back());
    counts.push_back(r + 1);
  }
  const int own = counts[static_cast<std::size_t>(rank())];
  Numbers mine(static_cast<std::size_t>(own));
  for (int i = 0; i < own; ++i) mine[static_cast<std::size_t>(i)] = number(rank(), i);
  Numbers all(static_cast<std::size_t>(places.back() + counts.back()), -1);
  for (const bool in_place : {false, true}) {
    const auto fill = [&] {
      all.assign(all.size(), -1);
      if (in_place) std::ranges::copy(mine, all.begin() + places[static_cast<std::size_t>(rank())]);
    };
    fill();
    const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
    expect_in_all_forms({[&] {
                           return Rondo_Allgatherv(sent, own, MPI_INT64_T, all.data(), counts.data(), places.data(),
                                                   MPI_INT64_T, comm());
                         },
                         [&](Rondo_Request* request) {
                           return Rondo_Iallgatherv(sent, own, MPI_INT64_T, all.data(), counts.data(), places.data(),
                                                    MPI_INT64_T, comm(), request);
                         },
                         [&](MPI_Info info, Rondo_Request* request) {
                           return Rondo_Allgatherv_init(sent, own, MPI_INT64_T, all.data(), counts.data(),
                                                        places.data(), MPI_INT64_T, comm(), info, request);
                         }},
                        "my-ring", [&] {
                          for (int r = 0; r < size(); ++r) {
                            for (int i = 0; i <= r; ++i)
                              EXPECT_EQ(all[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)],
                                        number(r, i));
                          }
                          fill();
                        });
  }
}

TEST_F(OfferedPlans, Alltoalls) {
  offer(comm(), DenseCollective::alltoall, kAllToAll);
  constexpr int kCount = 17;
  Numbers mine(static_cast<std::size_t>(size() * kCount));
  for (int i = 0; i < size() * kCount; ++i) mine[static_cast<std::size_t>(i)] = number(rank(), i);
  Numbers all(mine.size(), -1);
  for (const bool in_place : {false, true}) {
    const auto fill = [&] { refill(all, mine, in_place, -1); };
    fill();
    const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
    expect_in_all_forms(
        {[&] { return Rondo_Alltoall(sent, kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, comm()); },
         [&](Rondo_Request* request) {
           return Rondo_Ialltoall(sent, kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, comm(), request);
         },
         [&](MPI_Info info, Rondo_Request* request) {
           return Rondo_Alltoall_init(sent, kCount, MPI_INT64_T, all.data(), kCount, MPI_INT64_T, comm(), info,
                                      request);
         }},
        "my-alltoall", [&] {
          for (int r = 0; r < size(); ++r) {
            for (int i = 0; i < kCount; ++i)
              EXPECT_EQ(all[static_cast<std::size_t>(r * kCount + i)], number(r, rank() * kCount + i));
          }
          fill();
        });
  }
}

/// Rank r sends r + 1 numbers to each.
TEST_F(OfferedPlans, AlltoallsOfSeveralSizesAreNotTaken) {
  offer(comm(), DenseCollective::alltoall, kAllToAll);
  const int own = rank() + 1;
  const std::vector<int> sent_counts(static_cast<std::size_t>(size()), own);
  std::vector<int> sent_places;
  std::vector<int> counts;
  std::vector<int> places;
  for (int r = 0; r < size(); ++r) {
    sent_places.push_back(r * own);
    counts.push_back(r + 1);
    places.push_back(r * size());
  }
  const Numbers mine(static_cast<std::size_t>(size() * own), number(rank(), 0));
  Numbers all(static_cast<std::size_t>(size() * size()), -1);
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Alltoallv_init(mine.data(), sent_counts.data(), sent_places.data(), MPI_INT64_T, all.data(),
                                 counts.data(), places.data(), MPI_INT64_T, comm(), MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  EXPECT_NE(algorithm_of(request), "my-alltoall");
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (int r = 0; r < size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r * size() + r)], number(r, 0));
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
}

/// Of functions, in the order of the ranks: in place, too.
TEST_F(OfferedPlans, ReductionsInOrder) {
  offer(comm(), DenseCollective::allreduce, kByParts);
  offer(comm(), DenseCollective::allreduce, kCombineAll);
  offer(comm(), DenseCollective::reduce_scatter, kCombineAll);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void* in, void* inout, int* count, MPI_Datatype* of) { compose(in, inout, count, of); }, 0, &op);
  const auto function = [](int r, int i) { return Affine{r + i + 2, 3 * r - i}; };
  const auto combined = [&](int i) {
    Affine all = function(size() - 1, i);
    for (int r = size() - 2; r >= 0; --r) all = after(function(r, i), all);
    return all;
  };
  constexpr int kCount = 3;
  std::vector<Affine> mine;
  for (int i = 0; i < kCount * size(); ++i) mine.push_back(function(rank(), i));
  std::vector<Affine> all(mine.size());
  for (const bool in_place : {false, true}) {
    const auto fill = [&] { refill(all, mine, in_place, Affine{}); };
    fill();
    const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
    expect_in_all_forms(
        {[&] { return Rondo_Allreduce(sent, all.data(), kCount, type, op, comm()); },
         [&](Rondo_Request* request) { return Rondo_Iallreduce(sent, all.data(), kCount, type, op, comm(), request); },
         [&](MPI_Info info, Rondo_Request* request) {
           return Rondo_Allreduce_init(sent, all.data(), kCount, type, op, comm(), info, request);
         }},
        "my-reduction", [&] {
          for (int i = 0; i < kCount; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], combined(i));
          fill();
        });
    expect_in_all_forms({[&] { return Rondo_Reduce_scatter_block(sent, all.data(), kCount, type, op, comm()); },
                         [&](Rondo_Request* request) {
                           return Rondo_Ireduce_scatter_block(sent, all.data(), kCount, type, op, comm(), request);
                         },
                         [&](MPI_Info info, Rondo_Request* request) {
                           return Rondo_Reduce_scatter_block_init(sent, all.data(), kCount, type, op, comm(), info,
                                                                  request);
                         }},
                        "my-reduction", [&] {
                          for (int i = 0; i < kCount; ++i)
                            EXPECT_EQ(all[static_cast<std::size_t>(i)], combined(rank() * kCount + i));
                          fill();
                        });
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// Of every second number, in parts of which some are shorter, and empty.
TEST_F(OfferedPlans, ReductionsInParts) {
  offer(comm(), DenseCollective::allreduce, kByParts);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT64_T, 0, 16, &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<std::int64_t*>(inout)[2 * i] += static_cast<std::int64_t*>(in)[2 * i];
      },
      1, &op);
  for (const int count : {1, 5, 12}) {
    Numbers mine(static_cast<std::size_t>(2 * count));
    for (int i = 0; i < 2 * count; ++i) mine[static_cast<std::size_t>(i)] = number(rank(), i);
    Numbers all(mine.size(), -1);
    for (const bool in_place : {false, true}) {
      const auto fill = [&] { refill(all, mine, in_place, -1); };
      fill();
      const void* const sent = in_place ? MPI_IN_PLACE : mine.data();
      expect_in_all_forms(
          {[&] { return Rondo_Allreduce(sent, all.data(), count, type, op, comm()); },
           [&](Rondo_Request* request) { return Rondo_Iallreduce(sent, all.data(), count, type, op, comm(), request); },
           [&](MPI_Info info, Rondo_Request* request) {
             return Rondo_Allreduce_init(sent, all.data(), count, type, op, comm(), info, request);
           }},
          "my-parts", [&] {
            for (int i = 0; i < count; ++i) {
              std::int64_t sum = 0;
              for (int r = 0; r < size(); ++r) sum += number(r, 2 * i);
              EXPECT_EQ(all[static_cast<std::size_t>(2 * i)], sum);
              EXPECT_EQ(all[static_cast<std::size_t>(2 * i + 1)], in_place ? number(rank(), 2 * i + 1) : -1);
            }
            fill();
          });
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// A vector without elements is nothing for it.
TEST_F(OfferedPlans, NothingToDo) {
  offer(comm(), DenseCollective::allreduce, kByParts);
  EXPECT_EQ(Rondo_Allreduce(nullptr, nullptr, 0, MPI_INT64_T, MPI_SUM, comm()), MPI_SUCCESS);
}

/// As any other: the fastest by prediction runs, or the one that is asked for.
TEST_F(OfferedPlans, AreChosenAsAllOthers) {
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
TEST_F(OfferedPlans, ArePredictedByTheirSchedules) {
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

TEST_F(OfferedPlans, OneThatDoesNotApplyIsNotTaken) {
  OfferedAlgorithm of_three = kCombineAll;
  of_three.applies = [](const Problem& problem) { return problem.counts.front() == 3; };
  Comm on(comm());
  offer(on, DenseCollective::allreduce, of_three);
  Numbers three(3, 1);
  EXPECT_EQ(on.allreduce_init(in_place, three, MPI_SUM).algorithm(), "my-reduction");
  Numbers four(4, 1);
  EXPECT_NE(on.allreduce_init(in_place, four, MPI_SUM).algorithm(), "my-reduction");
  Options asked;
  asked.dense.own_algorithm = "my-reduction";
  const Request other = on.allreduce_init(in_place, four, MPI_SUM, asked);
  EXPECT_NE(other.explain().find("does not apply"), std::string::npos) << other.explain();
}

/// Persistent operations try it, too.
TEST_F(OfferedPlans, TakesTurns) {
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
TEST_F(OfferedPlans, IsNotPredictedWhereAnotherIsAskedFor) {
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
TEST_F(OfferedPlans, MessagesThatDoNotMatch) {
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
TEST_F(OfferedPlans, CallingRondoInALowering) {
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
TEST_F(OfferedPlans, RefusedOffers) {
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
TEST_F(OfferedPlans, ThrowingLowerings) {
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

TEST_F(OfferedPlans, AskingForWhatThereIsNot) {
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
}  // namespace rondo::internal::offered_plans_test
