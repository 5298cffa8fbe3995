// Neighborhoods on Cartesian communicators that others made, and the lists of neighbors that exist.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/sanitizers.hpp"

#include <array>
#include <span>
#include <vector>

namespace rondo::internal::iso_neighborhood_test {
namespace {

constexpr int kNeighbors = 6;
const std::array<int, 2 * kNeighbors> kOffsets{0, 1, -1, 0, 2, -1, 0, 0, 1, 1, 0, 1};

/// Rank at an offset by MPI's own word, which knows no rank beyond an edge.
int rank_at(MPI_Comm cart, std::span<const int> offset, int sign) {
  std::array<int, 2> sizes{}, periods{}, place{};
  MPI_Cart_get(cart, 2, sizes.data(), periods.data(), place.data());
  for (std::size_t k = 0; k < 2; ++k) {
    place[k] += sign * offset[k];
    if (periods[k] == 0 && (place[k] < 0 || place[k] >= sizes[k])) return MPI_PROC_NULL;
  }
  int rank = -1;
  MPI_Cart_rank(cart, place.data(), &rank);
  return rank;
}

class IsoNeighborhood : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 2, sizes.data());
    periods = {GetParam() & 1, GetParam() >> 1};
    ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 0, &cart), MPI_SUCCESS);
    MPI_Comm_rank(cart, &rank);
    for (std::size_t i = 0; i < kNeighbors; ++i) {
      const std::span<const int> offset(kOffsets.data() + 2 * i, 2);
      sources.push_back(rank_at(cart, offset, -1));
      targets.push_back(rank_at(cart, offset, 1));
    }
  }
  void TearDown() override {
    if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
  }
  /// Whether the neighborhood of `comm` is that of kOffsets.
  void expect_is_there(MPI_Comm comm) const {
    std::vector<int> found_sources(kNeighbors, -7), found_targets(kNeighbors, -7);
    ASSERT_EQ(Rondo_Iso_neighborhood_get(comm, kNeighbors, found_sources.data(), found_targets.data()), MPI_SUCCESS);
    EXPECT_EQ(found_sources, sources);
    EXPECT_EQ(found_targets, targets);
    std::array<int, kNeighbors> send{}, recv{};
    recv.fill(-1);
    for (int i = 0; i < kNeighbors; ++i) send[static_cast<std::size_t>(i)] = rank * kNeighbors + i;
    ASSERT_EQ(Rondo_Cart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm), MPI_SUCCESS);
    for (std::size_t i = 0; i < kNeighbors; ++i)
      EXPECT_EQ(recv[i], sources[i] == MPI_PROC_NULL ? -1 : sources[i] * kNeighbors + static_cast<int>(i));
  }
  static std::vector<int> existing(const std::vector<int>& ranks) {
    std::vector<int> some;
    for (const int neighbor : ranks) {
      if (neighbor != MPI_PROC_NULL) some.push_back(neighbor);
    }
    return some;
  }

  std::array<int, 2> sizes{};
  std::array<int, 2> periods{};
  MPI_Comm cart = MPI_COMM_NULL;
  int rank = -1;
  std::vector<int> sources;
  std::vector<int> targets;
};

TEST_P(IsoNeighborhood, IsAttachedWhereThereIsNone) {
  MPI_Comm iso = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Iso_neighborhood_create(cart, kNeighbors, kOffsets.data(), &iso), MPI_SUCCESS);
  EXPECT_EQ(iso, cart);
  expect_is_there(cart);
  MPI_Comm copy = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(iso, &copy), MPI_SUCCESS);
  MPI_Comm_free(&cart);
  expect_is_there(copy);
  MPI_Comm_free(&copy);
}

TEST_P(IsoNeighborhood, GetsACommunicatorWhereThereIsAnother) {
  const std::array other{0, -1, 0, 2};
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Iso_neighborhood_create(cart, 2, other.data(), &first), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Iso_neighborhood_create(first, kNeighbors, kOffsets.data(), &second), MPI_SUCCESS);
  EXPECT_NE(second, first);
  int same = MPI_UNEQUAL;
  MPI_Comm_compare(first, second, &same);
  EXPECT_EQ(same, MPI_CONGRUENT);
  std::array<int, 2> found_sizes{}, found_periods{}, place{};
  MPI_Cart_get(second, 2, found_sizes.data(), found_periods.data(), place.data());
  EXPECT_EQ(found_sizes, sizes);
  int count = 0;
  EXPECT_EQ(Rondo_Cart_neighbor_count(first, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 2) << "as before";
  expect_is_there(second);
  MPI_Comm_free(&cart);
  expect_is_there(second);
  MPI_Comm_free(&second);
}

TEST_P(IsoNeighborhood, WorksOnCommunicatorsOfTheOtherInterface) {
  MPI_Comm made = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), kNeighbors, kOffsets.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
            MPI_SUCCESS);
  expect_is_there(made);
  MPI_Comm iso = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Iso_neighborhood_create(made, 0, nullptr, &iso), MPI_SUCCESS);
  EXPECT_NE(iso, made);
  int s = -1, in = -1, out = -1;
  EXPECT_EQ(Rondo_Iso_neighborhood_count(iso, &s, &in, &out), MPI_SUCCESS);
  EXPECT_EQ(s + in + out, 0);
  MPI_Comm_free(&iso);
  MPI_Comm_free(&made);
}

TEST_P(IsoNeighborhood, ListsForDistributedGraphs) {
  MPI_Comm iso = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Iso_neighborhood_create(cart, kNeighbors, kOffsets.data(), &iso), MPI_SUCCESS);
  int s = 0, in = 0, out = 0;
  ASSERT_EQ(Rondo_Iso_neighborhood_count(iso, &s, &in, &out), MPI_SUCCESS);
  EXPECT_EQ(s, kNeighbors);
  std::vector<int> from(static_cast<std::size_t>(in)), to(static_cast<std::size_t>(out));
  EXPECT_EQ(Rondo_Iso_neighborhood_graph_get(iso, kNeighbors, from.data(), to.data()), MPI_SUCCESS);
  EXPECT_EQ(from, existing(sources));
  EXPECT_EQ(to, existing(targets));
  MPI_Comm graph = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Dist_graph_create_adjacent(iso, in, from.data(), MPI_UNWEIGHTED, out, to.data(), MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &graph),
            MPI_SUCCESS);
  MPI_Comm_free(&graph);
  // No more than asked for.
  std::array fewer{-7, -7, -7};
  EXPECT_EQ(Rondo_Iso_neighborhood_get(iso, 2, fewer.data(), fewer.data()), MPI_SUCCESS);
  EXPECT_EQ(fewer, (std::array{targets[0], targets[1], -7}));
  EXPECT_EQ(Rondo_Iso_neighborhood_get(iso, 0, nullptr, nullptr), MPI_SUCCESS);
}

TEST_P(IsoNeighborhood, TheNeighborsThatMpiKnows) {
  std::vector<int> expected;
  for (int k = 0; k < 2; ++k) {
    int down = -7, up = -7;
    MPI_Cart_shift(cart, k, 1, &down, &up);
    expected.insert(expected.end(), {down, up});
  }
  MPI_Comm made = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), kNeighbors, kOffsets.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
            MPI_SUCCESS);
  for (const MPI_Comm comm : {cart, made}) {
    int s = 0, in = 0, out = 0;
    ASSERT_EQ(Rondo_Cart_mpi_neighbor_count(comm, &s, &in, &out), MPI_SUCCESS);
    EXPECT_EQ(s, 4);
    EXPECT_EQ(in, static_cast<int>(existing(expected).size()));
    EXPECT_EQ(out, in);
    std::vector<int> from(4, -7), to(4, -7);
    EXPECT_EQ(Rondo_Cart_mpi_neighbor_get(comm, 4, from.data(), to.data()), MPI_SUCCESS);
    EXPECT_EQ(from, expected);
    EXPECT_EQ(to, expected);
    from.assign(static_cast<std::size_t>(in), -7);
    to = from;
    EXPECT_EQ(Rondo_Cart_mpi_neighbor_graph_get(comm, 4, from.data(), to.data()), MPI_SUCCESS);
    EXPECT_EQ(from, existing(expected));
    EXPECT_EQ(to, existing(expected));
  }
  MPI_Comm_free(&made);
}

INSTANTIATE_TEST_SUITE_P(Periods, IsoNeighborhood, ::testing::Range(0, 4));

/// A leak of communicators would end this.
TEST(IsoNeighborhoods, ManyCanBeMadeAndFreed) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int period = 1;
  const int times = p <= 2 && !test::kAddressSanitizer ? 1500 : 30;
  for (int i = 0; i < times; ++i) {
    MPI_Comm cart = MPI_COMM_NULL, iso = MPI_COMM_NULL, another = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &period, 0, &cart);
    ASSERT_EQ(Rondo_Iso_neighborhood_create(cart, 1, &period, &iso), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Iso_neighborhood_create(cart, 1, &period, &another), MPI_SUCCESS);
    MPI_Comm_free(&another);
    MPI_Comm_free(&cart);
  }
}

TEST(IsoNeighborhoods, SettingsAreTheEnvironmentsOrTheGivenOnes) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int period = 1;
  const std::array offsets{1, 2};
  const auto algorithm_on = [&](MPI_Comm comm) {
    const std::array send{1, 2};
    std::array recv{0, 0};
    Rondo_Request request = RONDO_REQUEST_NULL;
    Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &request);
    std::array<char, RONDO_MAX_ALGORITHM_NAME> name{};
    int length = 0;
    Rondo_Request_get_algorithm(request, name.data(), &length);
    Rondo_Request_free(&request);
    return std::string(name.data());
  };
  MPI_Comm cart = MPI_COMM_NULL, iso = MPI_COMM_NULL, another = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &period, 0, &cart);
  setenv("RONDO_ALGORITHM", "coalesced", 1);
  Rondo_Iso_neighborhood_create(cart, 2, offsets.data(), &iso);
  unsetenv("RONDO_ALGORITHM");
  EXPECT_EQ(algorithm_on(iso), "coalesced");
  Rondo_Iso_neighborhood_create(iso, 2, offsets.data(), &another);
  EXPECT_EQ(algorithm_on(another), "coalesced");
  MPI_Comm_free(&another);
  MPI_Comm_free(&cart);
}

}  // namespace
}  // namespace rondo::internal::iso_neighborhood_test
