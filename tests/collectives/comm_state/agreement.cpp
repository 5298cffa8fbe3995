#include "collectives/comm_state/agreement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace rondo::internal::agreement_test {
namespace {

TEST(Agreement, TheGreatestOfWordsOfAnySize) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // MPICH 4.0 takes what has the top bit for negative when it compares unsigned words itself.
  constexpr std::array<std::uint64_t, 5> kWords{0, 1, (std::uint64_t{1} << 63U) - 1, std::uint64_t{1} << 63U,
                                                ~std::uint64_t{0}};
  for (const std::uint64_t one : kWords) {
    for (const std::uint64_t other : kWords) {
      std::array words{rank == 0 ? one : other, rank + 1 == ranks ? one : other};
      max_over_ranks(words, MPI_COMM_WORLD);
      const std::uint64_t greatest = ranks == 1 ? one : std::max(one, other);
      EXPECT_EQ(words[0], greatest);
      EXPECT_EQ(words[1], greatest);
    }
  }
}

TEST(Agreement, ValuesOfAllRanks) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<std::int64_t> values(static_cast<std::size_t>(ranks));
  gather_from_all(rank - 7, values, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i - 7);
}

}  // namespace
}  // namespace rondo::internal::agreement_test
