// Several neighborhoods on one communicator: made without communication where they are asserted, one order of calls,
// one space of tags.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "collectives/communicators/neighborhood_context.hpp"

namespace rondo::internal::further_neighborhoods_test {
namespace {

std::vector<int> balanced(int d) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(d), 0);
  MPI_Dims_create(p, d, sizes.data());
  return sizes;
}

/// Blocks of one integer that names sender, neighborhood and neighbor.
struct Exchange {
  Exchange(const CartComm& on, int hood)
      : number(hood), sources(on.sources()), send(sources.size()), recv(sources.size(), -1) {
    for (std::size_t i = 0; i < send.size(); ++i) send[i] = value(on.rank(), i);
  }
  [[nodiscard]] int value(int rank, std::size_t i) const { return rank * 10000 + number * 1000 + static_cast<int>(i); }
  void expect_right() {
    for (std::size_t i = 0; i < recv.size(); ++i) EXPECT_EQ(recv[i], value(sources[i], i)) << "neighborhood " << number;
    std::ranges::fill(recv, -1);
  }

  int number;
  std::vector<int> sources;
  std::vector<int> send;
  std::vector<int> recv;
};

TEST(FurtherNeighborhoods, KnowTheOffsetsOfRanks) {
  const CartComm torus(MPI_COMM_WORLD, balanced(2), moore(2, 1));
  for (int rank = 0; rank < torus.size(); ++rank) EXPECT_EQ(torus.relative_rank(torus.offset_of(rank)), rank);
  for (const int rank : {-1, torus.size()}) {
    try {
      static_cast<void>(torus.offset_of(rank));
      ADD_FAILURE() << "accepted " << rank;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_RANK);
    }
  }
}

TEST(FurtherNeighborhoods, EachHasItsOwnNeighbors) {
  const CartComm torus(MPI_COMM_WORLD, balanced(2), moore(2, 1));
  for (const bool asserted : {false, true}) {
    const Neighborhood hood{{0, 2}, {-1, 0}, {0, 0}};
    CartComm further = torus.with_neighborhood(hood, {.assert_isomorphic = asserted});
    EXPECT_EQ(further.native(), torus.native());
    EXPECT_EQ(further.rank(), torus.rank());
    EXPECT_EQ(further.size(), torus.size());
    EXPECT_EQ(further.coordinates(), torus.coordinates());
    EXPECT_EQ(further.neighbor_count(), 3);
    EXPECT_TRUE(std::ranges::equal(further.neighborhood().flattened(), hood.flattened()));
    EXPECT_EQ(torus.neighbor_count(), 8) << "as before";
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(further.targets()[static_cast<std::size_t>(i)], torus.relative_rank(hood[i]));
    }
    Exchange exchange(further, 1);
    further.alltoall(exchange.send, exchange.recv);
    exchange.expect_right();
  }
}

/// Only rank 0 makes one: nobody else is asked. And it costs no MPI communicator.
TEST(FurtherNeighborhoods, AreLocalWhereAsserted) {
  const CartComm torus(MPI_COMM_WORLD, balanced(2), moore(2, 1));
  if (torus.rank() == 0) {
    std::vector<CartComm> many;
    for (int i = 0; i < 5000; ++i) many.push_back(torus.with_neighborhood(moore(2, 2), {.assert_isomorphic = true}));
    EXPECT_EQ(many.back().neighbor_count(), 24);
  }
  MPI_Barrier(torus.native());
}

TEST(FurtherNeighborhoods, OutliveTheFirst) {
  std::optional<CartComm> torus(std::in_place, MPI_COMM_WORLD, balanced(2), moore(2, 1));
  std::optional<CartComm> second(torus->with_neighborhood(von_neumann(2, 1)));
  CartComm third = second->with_neighborhood(Neighborhood{{0, 1}});
  torus.reset();
  Exchange exchange(*second, 2);
  second->alltoall(exchange.send, exchange.recv);
  exchange.expect_right();
  Exchange last(third, 3);
  Request request = third.alltoall_init(last.send, last.recv);
  second.reset();
  request.start();
  request.wait();
  last.expect_right();
  int rank = -1;
  EXPECT_EQ(MPI_Comm_rank(third.native(), &rank), MPI_SUCCESS);
}

TEST(FurtherNeighborhoods, TakeTheSettingsOfTheFirst) {
  CartComm torus(MPI_COMM_WORLD, balanced(2), moore(2, 1), {.algorithm = rondo::Algorithm::direct});
  CartComm same = torus.with_neighborhood(moore(2, 1));
  CartComm other = torus.with_neighborhood(moore(2, 1), {.algorithm = rondo::Algorithm::combining});
  const std::vector<int> send(8);
  std::vector<int> recv(8);
  EXPECT_EQ(same.alltoall_init(send, recv).algorithm(), "direct");
  EXPECT_EQ(other.alltoall_init(send, recv).algorithm(), "combining");
  EXPECT_EQ(torus.alltoall_init(send, recv).algorithm(), "direct");
}

/// Persistent operations of all neighborhoods, started in an order of its own on each rank, and nonblocking ones
/// between them, all alive at once.
TEST(FurtherNeighborhoods, ManyOperationsInFlight) {
  CartComm torus(MPI_COMM_WORLD, balanced(2), moore(2, 1));
  std::vector<CartComm> on;
  on.push_back(torus.with_neighborhood(von_neumann(2, 1), {.assert_isomorphic = true}));
  on.push_back(torus.with_neighborhood(von_neumann(2, 1), {.assert_isomorphic = true}));  // alike, and yet another
  on.push_back(torus.with_neighborhood(Neighborhood{{1, 1}, {1, 1}, {0, 0}, {3, -2}}));
  on.push_back(on[1].with_neighborhood(box(2, 3, -1), {.algorithm = rondo::Algorithm::combining}));
  on.push_back(std::move(torus));
  std::vector<Exchange> persistent;
  std::vector<Exchange> nonblocking;
  for (std::size_t i = 0; i < on.size(); ++i) {
    persistent.emplace_back(on[i], static_cast<int>(i));
    nonblocking.emplace_back(on[i], static_cast<int>(i) + 5);
  }
  std::vector<Request> requests;
  for (std::size_t i = 0; i < on.size(); ++i)
    requests.push_back(on[i].alltoall_init(persistent[i].send, persistent[i].recv));
  std::mt19937 random(static_cast<unsigned>(on[0].rank()));
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  for (int repetition = 0; repetition < 10; ++repetition) {
    std::ranges::shuffle(order, random);
    std::vector<Request> others;
    for (std::size_t i = 0; i < on.size(); ++i) {
      requests[order[i]].start();
      others.push_back(on[i].ialltoall(nonblocking[i].send, nonblocking[i].recv));  // the same order everywhere
    }
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      requests[i].wait();
      others[i].wait();
    }
    for (std::size_t i = 0; i < on.size(); ++i) {
      persistent[i].expect_right();
      nonblocking[i].expect_right();
    }
  }
}

/// Tags come from the communicator, in the order of the calls.
TEST(FurtherNeighborhoods, ShareTags) {
  const CartComm torus(MPI_COMM_WORLD, balanced(1), moore(1, 1));
  NeighborhoodContext& first = NeighborhoodContext::of(torus.native());
  NeighborhoodContext second(first.on(), moore(1, 2), first.settings());
  EXPECT_EQ(&first.calls().tags(), &second.calls().tags());
  EXPECT_EQ(&first.calls().mutex(), &second.calls().mutex());
  EXPECT_NE(&first.calls().cache(), &second.calls().cache());
  const int tag = first.calls().tags().next_nonblocking(2);
  EXPECT_EQ(second.calls().tags().next_nonblocking(2), tag) << "nobody has taken it";
  first.calls().tags().take_nonblocking(tag, 2);
  EXPECT_EQ(second.calls().tags().next_nonblocking(4), tag + 2);
}

}  // namespace
}  // namespace rondo::internal::further_neighborhoods_test
