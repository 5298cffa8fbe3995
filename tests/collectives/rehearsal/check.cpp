#include <rondo/own/check.hpp>

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "examples/own_allreduce/recursive_doubling.hpp"
#include "examples/own_broadcast/pipelined_chain.hpp"
#include "tests/support/cases/affine.hpp"
#include "tests/support/cases/ring_reduce_scatter.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::check_test {
namespace {

using rondo::check;
using Build = rondo::ScheduleBuilder;
template <typename T>
using Sent = std::span<const std::vector<T>>;

void expect_words(const CheckResult& result, std::initializer_list<const char*> words) {
  EXPECT_FALSE(result.ok());
  for (const char* word : words) EXPECT_NE(result.story().find(word), std::string::npos) << result;
}

template <typename T>
void sum_of_all(int, Sent<T> sent, std::vector<T>& recv) {
  recv.assign(recv.size(), T{});
  for (const std::vector<T>& of_rank : sent) {
    for (std::size_t i = 0; i < recv.size(); ++i) recv[i] = static_cast<T>(recv[i] + of_rank[i]);
  }
}

/// Each rank's 8 bytes to the rank after it.
void shift(Build& build, int rank, int size) {
  build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 8), build.recv_block(0, 8));
}

TEST(Check, FindsNothingWrongWithWhatIsRight) {
  for (int size = 1; size <= 17; ++size) {
    for (const int count : {1, 5}) {
      const auto elements = static_cast<std::size_t>(count);
      const CheckResult result = check<double>(recursive_doubling(count, MPI_DOUBLE, MPI_SUM), size,
                                               {.send = elements, .recv = elements}, sum_of_all<double>);
      EXPECT_TRUE(result.ok()) << result;
      EXPECT_EQ(result.story(), "");
    }
    EXPECT_TRUE(check(shift, size).ok());
  }
}

/// In the order of the bytes, wherever blocks end, and to scratch memory and on.
TEST(Check, AnExchangeWithOneself) {
  const auto cut_anew = [](Build& build, int rank, int) {
    const Block passing = build.transit(12);
    build.exchange(rank, {build.send_block(4, 2, MPI_INT), build.send_block(16, 1, MPI_INT)}, passing);
    build.exchange(rank, passing, {build.recv_block(12, 4), build.recv_block(0, 8)});
  };
  const auto expected = [](int rank, Sent<int> sent, std::vector<int>& recv) {
    const std::vector<int>& own = sent[static_cast<std::size_t>(rank)];
    recv[3] = own[1];
    recv[0] = own[2];
    recv[1] = own[4];
  };
  for (const int size : {1, 3}) {
    const CheckResult result = check<int>(cut_anew, size, {.send = 5, .recv = 4}, expected);
    EXPECT_TRUE(result.ok()) << result;
  }
}

/// The first message meets the first receive, also where that is an exchange's.
TEST(Check, MessagesToOneselfStayInOrder) {
  const auto crossed = [](Build& build, int rank, int) {
    build.send(rank, build.send_block(0, 4));
    build.exchange(rank, build.send_block(4, 4), build.recv_block(0, 4));
    build.receive(rank, build.recv_block(4, 4));
    build.exchange(rank, build.send_block(8, 4), build.recv_block(8, 4));
  };
  const auto as_sent = [](int, Sent<int> sent, std::vector<int>& recv) { recv = sent[0]; };
  const CheckResult result = check<int>(crossed, 1, {.send = 3, .recv = 3}, as_sent);
  EXPECT_TRUE(result.ok()) << result;
}

TEST(Check, APipelinedBroadcast) {
  for (int size = 1; size <= 9; ++size) {
    for (const int root : {0, size / 2}) {
      const auto define = [&](int, Sent<int> sent, std::vector<int>& recv) {
        recv = sent[static_cast<std::size_t>(root)];
      };
      const CheckResult result = check<int>(pipelined_chain(40, 12, root), size, {.send = 0, .recv = 10}, define);
      EXPECT_TRUE(result.ok()) << result;
    }
  }
}

TEST(Check, ReductionsOfSeveralLengths) {
  for (int size = 1; size <= 9; ++size) {
    for (const int count : {3, 11}) {
      const auto define = [&](int rank, Sent<double> sent, std::vector<double>& recv) {
        const auto part = static_cast<std::size_t>(rank);
        const std::size_t ranks = sent.size();
        const std::size_t all = static_cast<std::size_t>(count);
        const auto length = [&](std::size_t block) { return all / ranks + (block < all % ranks ? 1 : 0); };
        std::size_t begin = 0;
        for (std::size_t before = 0; before < part; ++before) begin += length(before);
        for (std::size_t i = 0; i < length(part); ++i) {
          recv[i] = 0;
          for (const std::vector<double>& of_rank : sent) recv[i] += of_rank[begin + i];
        }
      };
      const auto elements = static_cast<std::size_t>(count);
      const CheckResult result =
          check<double>(ring_reduce_scatter(count), size, {.send = elements, .recv = elements}, define);
      EXPECT_TRUE(result.ok()) << result;
    }
  }
}

TEST(Check, TwoOperationsInOneSchedule) {
  const Lowering least_and_greatest = [](Build& build, int rank, int size) {
    const Block own = build.send_block(0, 1, MPI_INT);
    const Block least = build.recv_block(0, 1, MPI_INT);
    const Block greatest = build.recv_block(4, 1, MPI_INT);
    build.copy({own, own}, {least, greatest});
    for (int far = 1; far < size; ++far) {
      build.set_reduction(1, MPI_INT, MPI_MIN);
      const Block arriving = build.operand();
      build.exchange((rank + far) % size, (rank + size - far) % size, own, arriving);
      build.reduce(arriving, least);
      build.set_reduction(1, MPI_INT, MPI_MAX);
      build.reduce(arriving, greatest);
    }
  };
  const auto define = [](int, Sent<int> sent, std::vector<int>& recv) {
    recv = {sent[0][0], sent[0][0]};
    for (const std::vector<int>& of_rank : sent) recv = {std::min(recv[0], of_rank[0]), std::max(recv[1], of_rank[0])};
  };
  for (int size = 1; size <= 5; ++size) {
    const CheckResult result = check<int>(least_and_greatest, size, {.send = 1, .recv = 2}, define);
    EXPECT_TRUE(result.ok()) << result;
  }
}

TEST(Check, OfBuffersThatAreLonger) {
  const auto define = [](int rank, Sent<std::int64_t> sent, std::vector<std::int64_t>& recv) {
    recv[0] = sent[(static_cast<std::size_t>(rank) + sent.size() - 1) % sent.size()][0];  // and nothing else
  };
  EXPECT_TRUE(check<std::int64_t>(shift, 5, {.send = 3, .recv = 2}, define).ok());
}

TEST(Check, InPlace) {
  const Lowering swap = [](Build& build, int rank, int) {
    build.set_in_place();
    const Block own = build.recv_block(0, 2, MPI_INT);
    const Block other = build.transit(8);
    build.set_filled(own);
    build.exchange(rank ^ 1, own, other);
    build.copy(other, own);
  };
  const auto define = [](int rank, Sent<int> sent, std::vector<int>& recv) {
    recv = sent[static_cast<std::size_t>(rank ^ 1)];
  };
  const CheckResult result = check<int>(swap, 6, {.send = 0, .recv = 2}, define);
  EXPECT_TRUE(result.ok()) << result;
}

TEST(Check, TheOrderOfOperands) {
  MPI_Datatype affine = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &affine);
  MPI_Type_commit(&affine);
  MPI_Op then = MPI_OP_NULL;
  MPI_Op_create(compose, 0, &then);
  const auto scan = [&](bool lower_first) {
    return [=](Build& build, int rank, int size) {
      build.set_reduction(1, affine, then);
      const Block result = build.recv_block(0, 1, affine);
      build.copy(build.send_block(0, 1, affine), result);
      if (rank > 0) {
        const Block lower = build.operand();
        build.receive(rank - 1, lower);
        if (lower_first) {
          build.reduce(lower, result);
        } else {
          build.reduce(result, lower);
          build.copy(lower, result);
        }
      }
      if (rank + 1 < size) build.send(rank + 1, result);
    };
  };
  const auto define = [](int rank, Sent<Affine> sent, std::vector<Affine>& recv) {
    recv = sent[0];
    for (std::size_t r = 1; r <= static_cast<std::size_t>(rank); ++r) recv[0] = after(recv[0], sent[r][0]);
  };
  const auto make = [](int number) { return Affine{number + 2, 3 * number + 1}; };
  for (int size = 1; size <= 6; ++size) {
    const CheckResult result = check<Affine>(scan(true), size, {.send = 1, .recv = 1}, define, make);
    EXPECT_TRUE(result.ok()) << result;
  }
  expect_words(check<Affine>(scan(false), 3, {.send = 1, .recv = 1}, define, make),
               {"seed 0, rank ", "element 0 of the receive buffer is wrong"});
  MPI_Op_free(&then);
  MPI_Type_free(&affine);
}

TEST(Check, WholeNumbersHaveNoDecimals) {
  const auto define = [](int, Sent<double>, std::vector<double>& recv) { recv[0] = 123456789.0; };
  const CheckResult result = check<double>(shift, 2, {.send = 1, .recv = 1}, define);
  expect_words(result, {", must be 123456789"});
  EXPECT_EQ(result.story().find('.'), std::string::npos) << result;
}

TEST(Check, TakesCountsOfAnyIntegers) {
  const auto define = [](int rank, Sent<std::int64_t> sent, std::vector<std::int64_t>& recv) {
    recv[0] = sent[(static_cast<std::size_t>(rank) + sent.size() - 1) % sent.size()][0];
  };
  const int one = 1;
  EXPECT_TRUE(check<std::int64_t>(shift, 3, {.send = one, .recv = std::int64_t{1}}, define).ok());
  const int minus = -1;
  EXPECT_THROW(static_cast<void>(CheckedElements{.send = minus, .recv = 1}), Error);
}

TEST(Check, WrongData) {
  const auto define = [](int rank, Sent<std::int64_t> sent, std::vector<std::int64_t>& recv) {
    recv[0] = sent[(static_cast<std::size_t>(rank) + 1) % sent.size()][0];
  };
  const CheckResult result = check<std::int64_t>(shift, 3, {.send = 1, .recv = 1}, define);
  expect_words(result, {"seed 0, rank ", "start 1: element 0 of the receive buffer is ", ", must be "});
  std::ostringstream out;
  out << result;
  EXPECT_EQ(out.str(), result.story());
  // The same run again, alone.
  const std::string seven =
      check<std::int64_t>(shift, 3, {.send = 1, .recv = 1}, define, CheckOptions{.seeds = 1, .first_seed = 7}).story();
  EXPECT_NE(seven.find("seed 7"), std::string::npos);
  EXPECT_NE(seven.find("(schedule dependencies, messages staged)"), std::string::npos) << seven;
  EXPECT_EQ(
      seven,
      check<std::int64_t>(shift, 3, {.send = 1, .recv = 1}, define, CheckOptions{.seeds = 5, .first_seed = 7}).story());
}

TEST(Check, WhatIsTouchedBesides) {
  const auto define = [](int, Sent<std::int64_t>, std::vector<std::int64_t>&) {};
  const Lowering copies = [](Build& build, int, int) { build.copy(build.send_block(0, 8), build.recv_block(8, 8)); };
  expect_words(check<std::int64_t>(copies, 1, {.send = 1, .recv = 3}, define), {"element 1 of the receive buffer"});
  expect_words(check<std::int64_t>(copies, 2, {.send = 1, .recv = 1}, define),
               {"rank 0: its blocks of the receive buffer are bytes [8, 16), must be within [0, 8)"});
  expect_words(check<std::int64_t>(copies, 2, {.send = 0, .recv = 3}, define), {"of the send buffer"});
}

TEST(Check, Structure) {
  const Lowering circle = [](Build& build, int rank, int size) {
    build.receive((rank + size - 1) % size, build.recv_block(0, 8));
    build.send((rank + 1) % size, build.recv_block(0, 8));
  };
  expect_words(check(circle, 3), {"deadlock", "receive from rank 2", "schedule dependencies, messages auto"});
  const Lowering unanswered = [](Build& build, int rank, int size) {
    if (rank == 1) build.send(size - 1, build.send_block(0, 8));
  };
  expect_words(check(unanswered, 4), {"message without a partner", "rank 1, send to rank 3"});
  const Lowering two_sizes = [](Build& build, int rank, int) {
    build.exchange(1 - rank, build.send_block(0, 8 + rank), build.recv_block(0, 8));
  };
  expect_words(check(two_sizes, 2), {"message of two sizes"});
  const auto nothing = [](int, Sent<int>, std::vector<int>&) {};
  expect_words(check<int>(circle, 3, {.send = 2, .recv = 2}, nothing), {"deadlock"});
  // Whoever waits for whole phases may hang where others do not.
  const Lowering phases = [](Build& build, int rank, int) {
    if (rank == 0) {
      build.receive(1, build.recv_block(0, 8));
      build.begin_phase();
      build.send(1, build.send_block(0, 8));
    } else {
      build.receive(0, build.recv_block(0, 8));
      build.begin_phase();
      build.send(0, build.send_block(0, 8));
    }
  };
  expect_words(check(phases, 2), {"deadlock", "schedule phases"});
}

TEST(Check, LoweringsThatThrow) {
  const Lowering refused = [](Build& build, int rank, int size) {
    if (rank == 2) build.send(size, build.send_block(0, 8));
  };
  expect_words(check(refused, 4), {"rank 2 of 4: the lowering throws: target: is 4, must be in [0, 4)"});
  expect_words(check([](Build&, int, int) { throw std::runtime_error("no idea"); }, 2), {"rank 0 of 2", "no idea"});
  expect_words(check([](Build&, int, int) { throw 7; }, 2), {"what is no std::exception"});
  expect_words(check({}, 1), {"lower: is empty"});
  const Lowering overlapping = [](Build& build, int rank, int) {
    if (rank == 0) return;
    build.receive(0, build.recv_block(0, 8));
    build.receive(0, build.recv_block(4, 8));
  };
  expect_words(check(overlapping, 2), {"rank 1 of 2", "share 4 bytes at 4"});
}

TEST(Check, BadArguments) {
  EXPECT_THROW(static_cast<void>(check(shift, 0)), Error);
  const auto nothing = [](int, Sent<int>, std::vector<int>&) {};
  EXPECT_THROW(static_cast<void>(check<int>(shift, 2, {.send = 2, .recv = 2}, nothing, CheckOptions{.seeds = 0})),
               Error);
  // A definition that leaves another buffer than there is.
  const auto longer = [](int, Sent<std::int64_t>, std::vector<std::int64_t>& recv) { recv.push_back(1); };
  expect_words(check<std::int64_t>(shift, 2, {.send = 1, .recv = 1}, longer), {"leaves 2 elements, must leave 1"});
}

}  // namespace
}  // namespace rondo::internal::check_test
