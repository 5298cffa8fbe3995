// Persistent operations through shared memory that cannot go on, under mpirun: what MPI refuses, operations of
// reductions that fail, sizes that do not fit. RONDO_TEST_NODES and RONDO_SHM have some pairs of ranks take MPI.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>

#include "runtime/routes/slot_plan.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/faults/refusing_mpi.hpp"
#include "tests/support/mpi_grid.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::shared_memory_failures_test {
namespace {

using test::all_ranks;
using test::all_share;
using test::own_rank;
using test::posts_to_refuse;
using test::reductions_fail;

/// `text`: what a rank with these sources was told of a start, which `fails` on rank 0 or does not.
void expect_told(const std::string& text, bool fails, std::span<const int> sources) {
  if (!fails) {
    EXPECT_EQ(text, "");
  } else if (own_rank() == 0) {
    EXPECT_NE(text, "");
  } else if (std::ranges::find(sources, 0) != sources.end()) {
    expect_words(text, {"rank 0 failed earlier in this operation"});
  } else {
    EXPECT_EQ(text, "") << "nothing comes from rank 0";
  }
}

/// If MPI refuses a message of rank 0, which sends its block to many, all its receivers hear of it; the next start is a
/// good one. The last rank's block is too long for slots.
TEST(SharedMemoryFailures, BlocksForManyOfARankThatFails) {
  if (all_ranks() < 2) GTEST_SKIP() << "nothing takes MPI";
  constexpr int kLong = static_cast<int>(kLongestInSlot / sizeof(int)) + 1;
  constexpr int kShort = 1000;
  Options options;
  options.algorithm = Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, Neighborhood{{1}, {-1}, {1}, {-1}}, options);
  const std::vector<int> sources = ring.sources();
  const auto count_of = [](int rank) { return rank == all_ranks() - 1 ? kLong : kShort; };
  std::vector<int> counts;
  for (const int source : sources) counts.push_back(count_of(source));
  const std::vector<int> places{0, kLong, 2 * kLong, 3 * kLong};
  std::vector<int> send(static_cast<std::size_t>(count_of(own_rank())));
  std::vector<int> recv(std::size_t{4} * kLong);
  Request request = ring.allgatherv_init(send, recv, {counts, places});
  for (int start = 0; start < 9; ++start) {
    const bool fails = start % 3 != 0;
    posts_to_refuse = fails && own_rank() == 0 ? 1 : 0;
    std::ranges::fill(send, 100 * own_rank() + start);
    std::ranges::fill(recv, -1);
    request.start();
    std::string text;
    try {
      request.wait();
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto first = static_cast<std::size_t>(places[i]);
        EXPECT_EQ(recv[first], 100 * sources[i] + start);
        EXPECT_EQ(recv[first + static_cast<std::size_t>(counts[i]) - 1], 100 * sources[i] + start);
      }
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(std::exchange(posts_to_refuse, 0), 0) << "nothing took MPI";
    expect_told(text, fails, sources);
  }
}

/// One rank sends more or less than another expects, or a block where the other expects none: no message stands for an
/// empty block, and a rank that connects would wait for it for ever.
TEST(SharedMemoryFailures, SizesThatDoNotFit) {
  if (all_ranks() < 2) GTEST_SKIP() << "a rank agrees with itself";
  Comm comm(MPI_COMM_WORLD);
  const std::vector<int> right(static_cast<std::size_t>(all_ranks()), 2);
  std::vector<int> places(right.size());
  for (std::size_t j = 0; j < places.size(); ++j) places[j] = static_cast<int>(4 * j);
  const std::vector<int> send(4 * right.size(), own_rank());
  std::vector<int> recv(send.size(), -1);
  Options options;
  options.algorithm = Algorithm::direct;
  const auto init = [&](const std::vector<int>& sent, const std::vector<int>& received) {
    return comm.alltoallv_init(send, {sent, places}, recv, {received, places}, options);
  };
  for (const bool check : {true, false}) {
    options.check = check;
    for (const int wrong : {0, 1, 3}) {
      for (const bool sender : {true, false}) {
        std::vector<int> sent = right;
        std::vector<int> received = right;
        if (sender && own_rank() == 0) sent[1] = wrong;
        if (!sender && own_rank() == 1) received[0] = wrong;
        try {
          static_cast<void>(init(sent, received));
          ADD_FAILURE() << "the sizes do not fit";
        } catch (const Error& error) {
          const std::string bytes = std::to_string(4 * wrong);
          const std::string words = check    ? "rank 0"
                                    : sender ? "recv block 0: has 8 bytes on rank 1, but rank 0 sends " + bytes
                                             : "recv block 0: has " + bytes + " bytes on rank 1, but rank 0 sends 8";
          expect_words(error.what(), {words.c_str()});
        }
      }
    }
  }
  options.check = false;
  Request request = init(right, right);
  request.start();
  request.wait();
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_EQ(recv[4 * i + 1], static_cast<int>(i));
}

/// A failure goes on to those who needed what did not come, by name; the next start is a good one.
TEST(SharedMemoryFailures, APartnerThatFailsIsNamed) {
  if (all_ranks() < 4) GTEST_SKIP() << "nothing is passed on";
  Options options;
  options.algorithm = Algorithm::combining;
  // Along one dimension, and what came of that along the other.
  CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 3, -1), options);
  const std::vector<int> sources = grid.sources();
  std::vector<int> send(4);
  std::vector<int> recv(4);
  Request request = grid.reduce_init(send, recv, MPI_SUM);
  for (int start = 0; start < 6; ++start) {
    reductions_fail = start % 2 == 1 && own_rank() == 0;
    std::ranges::fill(send, 100 * own_rank() + start);
    std::ranges::fill(recv, -1);
    request.start();
    std::string text;
    try {
      request.wait();
      const int sum = std::accumulate(sources.begin(), sources.end(), 0,
                                      [&](int so_far, int source) { return so_far + 100 * source + start; });
      EXPECT_EQ(std::ranges::count(recv, sum), 4) << "start " << start;
    } catch (const Error& error) {
      text = error.what();
      if (own_rank() != 0) expect_words(text, {"failed earlier in this operation"});
    }
    EXPECT_TRUE(own_rank() != 0 || text.empty() == (start % 2 == 0)) << text;
    int heard = text.find("rank 0 failed earlier in this operation") == std::string::npos ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &heard, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(heard > 0, start % 2 == 1) << "its partners know whom it was";
  }
  reductions_fail = false;
}

/// A long message that MPI refuses: the short ones, which take slots, tell the partners as well.
TEST(SharedMemoryFailures, APostThatMpiRefusesFailsTheStartOnBothWays) {
  if (all_ranks() < 2) GTEST_SKIP() << "nothing takes MPI";
  Options options;
  options.algorithm = Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, Neighborhood{{1}, {-1}}, options);
  constexpr int kLong = static_cast<int>(kLongestInSlot / sizeof(int)) + 1;
  constexpr int kShort = 20;
  const std::vector<int> counts{kLong, kShort};
  const std::vector<int> places{0, kLong};
  std::vector<int> send(kLong + kShort);
  std::vector<int> recv(send.size());
  Request request = ring.alltoallv_init(send, {counts, places}, recv, {counts, places});
  const std::vector<int> sources = ring.sources();
  for (int start = 0; start < 6; ++start) {
    const bool fails = start % 2 == 1;
    posts_to_refuse = fails && own_rank() == 0 ? 1 : 0;
    std::ranges::fill(send, 100 * own_rank() + start);
    std::ranges::fill(recv, -1);
    request.start();
    std::string text;
    try {
      request.wait();
      EXPECT_EQ(recv.front(), 100 * sources[0] + start);
      EXPECT_EQ(recv.back(), 100 * sources[1] + start);
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(std::exchange(posts_to_refuse, 0), 0) << "nothing took MPI";
    expect_told(text, fails, sources);
  }
}

/// MPI refuses a long message while the others lie in allocated arrays: whoever copies these finds that there is
/// nothing to copy.
TEST(SharedMemoryFailures, APostThatMpiRefusesFailsTheStartBetweenArrays) {
  if (all_ranks() < 2) GTEST_SKIP() << "nothing takes MPI";
  Options options;
  options.algorithm = Algorithm::direct;
  options.messages = MessageForm::datatype;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, Neighborhood{{1}, {-1}}, options);
  constexpr int kLong = static_cast<int>(kLongestInSlot / sizeof(int)) + 1;
  constexpr int kClaimed = 5000;
  std::vector<int> long_send(kLong);
  std::vector<int> long_recv(kLong);
  Array<int> send(kClaimed);
  Array<int> recv(kClaimed);
  Request request =
      ring.alltoallw_init(std::vector<SendBlock>{{long_send.data(), kLong, MPI_INT}, {send.data(), kClaimed, MPI_INT}},
                          std::vector<RecvBlock>{{long_recv.data(), kLong, MPI_INT}, {recv.data(), kClaimed, MPI_INT}});
  if (all_share()) expect_words(request.explain(), {"of these, 2 lie in allocated arrays at both ends"});
  const std::vector<int> sources = ring.sources();
  for (int start = 0; start < 6; ++start) {
    const bool fails = start % 2 == 1;
    posts_to_refuse = fails && own_rank() == 0 ? 1 : 0;
    std::ranges::fill(long_send, 100 * own_rank() + start);
    std::ranges::fill(send, 100 * own_rank() + start);
    std::ranges::fill(long_recv, -1);
    std::ranges::fill(recv, -1);
    request.start();
    std::string text;
    try {
      request.wait();
      EXPECT_EQ(long_recv.back(), 100 * sources[0] + start);
      EXPECT_EQ(std::ranges::count(recv, 100 * sources[1] + start), kClaimed);
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(std::exchange(posts_to_refuse, 0), 0) << "nothing took MPI";
    expect_told(text, fails, sources);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// One block is too long for slots, and MPI refuses the message that it is in. Whoever has wrong data hears of it, also
/// where others are passed on from slot to slot; the next start is a good one.
TEST(SharedMemoryFailures, AFailureReachesThoseToWhomBlocksArePassedOn) {
  if (all_ranks() < 4) GTEST_SKIP() << "nothing is passed on";
  for (const MessageForm form : {MessageForm::automatic, MessageForm::datatype}) {
    Options options;
    options.algorithm = Algorithm::combining;
    options.messages = form;
    CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 3, -1), options);
    const std::vector<int> sources = grid.sources();
    std::vector<int> counts(sources.size(), 20);
    counts[1] = static_cast<int>(kLongestInSlot / sizeof(int)) + 1;  // (-1, 0): along one dimension, with two others
    std::vector<int> places(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::vector<int> send(static_cast<std::size_t>(places.back() + counts.back()));
    std::vector<int> recv(send.size());
    const auto element = [](int rank, int start, std::size_t i) {
      return rank * 1000003 + start * 101 + static_cast<int>(i);
    };
    Request request = grid.alltoallv_init(send, {counts, places}, recv, {counts, places});
    for (int start = 0; start < 6; ++start) {
      posts_to_refuse = start % 2 == 1 && own_rank() == 0 ? 1 : 0;
      for (std::size_t i = 0; i < send.size(); ++i) send[i] = element(own_rank(), start, i);
      std::ranges::fill(recv, -1);
      request.start();
      std::string text;
      try {
        request.wait();
        for (std::size_t block = 0; block < sources.size(); ++block) {
          for (std::size_t k = 0; k < static_cast<std::size_t>(counts[block]); ++k) {
            const std::size_t place = static_cast<std::size_t>(places[block]) + k;
            ASSERT_EQ(recv[place], element(sources[block], start, place)) << "start " << start << ", block " << block;
          }
        }
      } catch (const Error& error) {
        text = error.what();
        if (own_rank() != 0) expect_words(text, {"failed earlier in this operation"});
      }
      EXPECT_EQ(std::exchange(posts_to_refuse, 0), 0) << "nothing took MPI";
      EXPECT_TRUE(own_rank() != 0 || text.empty() == (start % 2 == 0)) << text;
      int heard = text.find("rank 0 failed earlier in this operation") == std::string::npos ? 0 : 1;
      MPI_Allreduce(MPI_IN_PLACE, &heard, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(heard > 0, start % 2 == 1);
    }
  }
}

}  // namespace
}  // namespace rondo::internal::shared_memory_failures_test
