#include "collectives/comm_state/agreement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
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

TEST(Agreement, SumsThatWrapAround) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  std::array words{rank == 0 ? std::uint64_t{0} - others : 1, ~std::uint64_t{0}};
  sum_over_ranks(words, MPI_COMM_WORLD);
  EXPECT_EQ(words[0], 0U);
  EXPECT_EQ(words[1], std::uint64_t{0} - others - 1);
}

std::string trouble_of(const std::exception_ptr& trouble) {
  try {
    const std::array<std::uint64_t, 2> sums = agree_that_all_is_well(trouble, {1, 2}, MPI_COMM_WORLD);
    return "sums " + std::to_string(sums[0]) + " and " + std::to_string(sums[1]);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// With the words of all ranks; otherwise all hear of it, and of the highest rank that is in trouble.
TEST(Agreement, ThatAllIsWell) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_EQ(trouble_of(nullptr), "sums " + std::to_string(ranks) + " and " + std::to_string(2 * ranks));
  const std::exception_ptr trouble = std::make_exception_ptr(std::runtime_error("own trouble"));
  for (int first = 0; first < ranks; ++first) {
    const bool here = rank >= first && rank < first + 2;
    const int highest = std::min(first + 1, ranks - 1);
    EXPECT_EQ(trouble_of(here ? trouble : nullptr),
              here ? "own trouble" : "rank " + std::to_string(highest) + " of comm failed in this call");
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
