// Communicators on grids that are periodic in some dimensions only: who is whose neighbor, and who is nobody's.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <array>
#include <span>
#include <vector>

namespace rondo::internal::mesh_neighborhood_test {
namespace {

/// The definition (EuroMPI 2015, section 4): coordinates wrap around where a dimension is periodic, and where it is not
/// there is nobody beyond the edge.
int rank_at(std::span<const int> sizes, std::span<const int> periods, int from, std::span<const int> offset, int sign) {
  std::vector<int> place(sizes.size());
  for (std::size_t k = sizes.size(); k-- > 0; from /= sizes[k]) place[k] = from % sizes[k];
  int rank = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    int there = place[k] + sign * offset[k];
    while (periods[k] != 0 && there < 0) there += sizes[k];
    while (periods[k] != 0 && there >= sizes[k]) there -= sizes[k];
    if (there < 0 || there >= sizes[k]) return MPI_PROC_NULL;
    rank = rank * sizes[k] + there;
  }
  return rank;
}

class Mesh : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dims_create(p, 2, sizes.data());
    periods = {GetParam() & 1, GetParam() & 2};
  }

  std::array<int, 2> sizes{};
  std::array<int, 2> periods{};
  int rank = 0;
};

TEST_P(Mesh, TellsWhoIsMissing) {
  const std::array offsets{0, 1, -1, 0, 5, -7, 0, 0, 1, 1, 0, 1};
  constexpr int kNeighbors = 6;
  MPI_Comm cart = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), kNeighbors, offsets.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cart),
            MPI_SUCCESS);
  std::array<int, 2> found_sizes{}, found_periods{}, place{};
  MPI_Cart_get(cart, 2, found_sizes.data(), found_periods.data(), place.data());
  EXPECT_EQ(found_sizes, sizes);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(found_periods[k] != 0, periods[k] != 0);

  int t = 0;
  EXPECT_EQ(Rondo_Cart_neighbor_count(cart, &t), MPI_SUCCESS);
  EXPECT_EQ(t, kNeighbors) << "those that are missing here are counted: they have blocks";
  std::array<int, kNeighbors> source{}, target{};
  ASSERT_EQ(
      Rondo_Cart_neighbor_get(cart, kNeighbors, source.data(), nullptr, kNeighbors, target.data(), MPI_UNWEIGHTED),
      MPI_SUCCESS);
  for (std::size_t i = 0; i < kNeighbors; ++i) {
    const std::span<const int> offset(offsets.data() + 2 * i, 2);
    EXPECT_EQ(source[i], rank_at(sizes, periods, rank, offset, -1));
    EXPECT_EQ(target[i], rank_at(sizes, periods, rank, offset, 1));
  }
  for (int a = -4; a <= 4; ++a) {
    for (int b = -4; b <= 4; ++b) {
      const std::array offset{a, b};
      const int expected = rank_at(sizes, periods, rank, offset, 1);
      int in = -7, out = -7, there = -7;
      EXPECT_EQ(Rondo_Cart_relative_rank(cart, offset.data(), &there), MPI_SUCCESS);
      EXPECT_EQ(Rondo_Cart_relative_shift(cart, offset.data(), &in, &out), MPI_SUCCESS);
      EXPECT_EQ(there, expected);
      EXPECT_EQ(out, expected);
      EXPECT_EQ(in, rank_at(sizes, periods, rank, offset, -1));
      if (expected == MPI_PROC_NULL) continue;
      std::array<int, 2> relative{};
      EXPECT_EQ(Rondo_Cart_relative_coord(cart, expected, relative.data()), MPI_SUCCESS);
      for (std::size_t k = 0; k < 2; ++k) {
        if (periods[k] == 0) {
          EXPECT_EQ(relative[k], offset[k]);
        }
      }
      EXPECT_EQ(rank_at(sizes, periods, rank, relative, 1), expected);
    }
  }
  MPI_Comm_free(&cart);
}

TEST_P(Mesh, InCpp) {
  const Neighborhood hood = moore(2, 1);
  const CartComm grid(MPI_COMM_WORLD, sizes, periods, hood);
  const auto sources = grid.sources();
  const auto targets = grid.targets();
  ASSERT_EQ(sources.size(), 8U);
  ASSERT_EQ(targets.size(), 8U);
  for (int i = 0; i < 8; ++i) {
    const auto index = static_cast<std::size_t>(i);
    EXPECT_EQ(sources[index], rank_at(sizes, periods, rank, hood[i], -1));
    EXPECT_EQ(targets[index], rank_at(sizes, periods, rank, hood[i], 1));
    EXPECT_EQ(grid.relative_rank(hood[i]), targets[index]);
  }
}

TEST_P(Mesh, BlocksOfMissingNeighborsAreLeftAlone) {
  CartComm grid(MPI_COMM_WORLD, {sizes[0], sizes[1]}, {periods[0], periods[1]}, moore(2, 1));
  const auto sources = grid.sources();
  std::vector<int> send(8), recv(8, -1);
  for (int i = 0; i < 8; ++i) send[static_cast<std::size_t>(i)] = rank * 10 + i;
  grid.alltoall(send, recv);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(recv[i], sources[i] == MPI_PROC_NULL ? -1 : sources[i] * 10 + static_cast<int>(i));
}

INSTANTIATE_TEST_SUITE_P(Periods, Mesh, ::testing::Range(0, 4));

}  // namespace
}  // namespace rondo::internal::mesh_neighborhood_test
