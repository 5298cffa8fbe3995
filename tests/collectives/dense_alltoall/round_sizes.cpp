// The sizes of what passes through a process, by exchange and by looking at all sizes of all ranks.
#include "collectives/dense_alltoall/round_sizes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace rondo::internal::dense::round_sizes_test {
namespace {

std::int64_t some_size(int source, int target) { return (source * 7 + target * 13) % 10 * 1000000000000; }

/// What is looked up is what goes from hand to hand.
TEST(RoundSizes, FollowTheBlocks) {
  for (int p = 1; p <= 20; ++p) {
    for (const int radix : {2, 3, 4, 20}) {
      struct Block {
        int source;
        int target;
      };
      // at_hand[rank][j]
      std::vector<std::vector<Block>> at_hand(static_cast<std::size_t>(p));
      std::vector<RoundSizes> looked_up;
      for (int rank = 0; rank < p; ++rank) {
        for (int j = 0; j < p; ++j) at_hand[static_cast<std::size_t>(rank)].push_back({rank, (rank + p - j) % p});
        looked_up.push_back(round_sizes(p, rank, radix, some_size));
      }
      std::vector<std::size_t> next(static_cast<std::size_t>(p));
      const BruckRounds rounds(p, radix);
      for (const BruckRound& round : rounds.all()) {
        const auto before = at_hand;
        for (int rank = 0; rank < p; ++rank) {
          const auto here = static_cast<std::size_t>(rank);
          round.for_each_block(p, [&](int j) {
            const Block block = before[static_cast<std::size_t>((rank + round.steps) % p)][static_cast<std::size_t>(j)];
            at_hand[here][static_cast<std::size_t>(j)] = block;
            EXPECT_EQ(looked_up[here].arriving.at(next[here]++), some_size(block.source, block.target));
            EXPECT_TRUE(block.target == rank || !round.arrives(j));
          });
        }
      }
      for (int rank = 0; rank < p; ++rank) {
        const auto here = static_cast<std::size_t>(rank);
        EXPECT_EQ(next[here], looked_up[here].arriving.size());
      }
    }
  }
}

TEST(RoundSizes, AreExchanged) {
  int rank = 0;
  int p = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<std::int64_t> own;
  for (int target = 0; target < p; ++target) own.push_back(some_size(rank, target));
  std::deque<RoundSizeExchange> exchanges;  // all at once, each with its tag
  for (int radix = 2; radix <= p + 1; ++radix) exchanges.emplace_back(radix, own, MPI_COMM_WORLD, radix);
  for (bool done = false; !done;) {
    done = true;
    for (RoundSizeExchange& exchange : exchanges) done = exchange.advance() && done;
  }
  for (int radix = 2; radix <= p + 1; ++radix) {
    const RoundSizes expected = round_sizes(p, rank, radix, some_size);
    const RoundSizes exchanged = std::move(exchanges[static_cast<std::size_t>(radix - 2)]).take();
    EXPECT_EQ(exchanged.radix, radix);
    EXPECT_EQ(exchanged.arriving, expected.arriving) << "radix " << radix;
  }
}

}  // namespace
}  // namespace rondo::internal::dense::round_sizes_test
