// Making, asking, duplicating and freeing communicators with a neighborhood.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "collectives/comm_state/tag_space.hpp"
#include "collectives/communicators/cart_neighborhood.hpp"
#include "tests/support/sanitizers.hpp"

namespace rondo::internal::cart_neighborhood_test {
namespace {

std::vector<int> balanced(int d) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(d), 0);
  MPI_Dims_create(p, d, sizes.data());
  return sizes;
}

class CartNeighborhood : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::array periods{1, 1};
    sizes = balanced(2);
    ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 3, offsets.data(),
                                             weights.data(), MPI_INFO_NULL, 0, &cart),
              MPI_SUCCESS);
    MPI_Comm_rank(cart, &rank);
  }
  void TearDown() override {
    if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
  }
  /// Whether an alltoall on `comm` delivers what it should.
  void expect_works(MPI_Comm comm) const {
    std::array<int, 3> source{};
    Rondo_Cart_neighbor_get(comm, 3, source.data(), nullptr, 0, nullptr, nullptr);
    const std::array send{rank * 3, rank * 3 + 1, rank * 3 + 2};
    std::array recv{-1, -1, -1};
    ASSERT_EQ(Rondo_Cart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm), MPI_SUCCESS);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(recv[i], source[i] * 3 + static_cast<int>(i));
  }

  std::vector<int> sizes;
  const std::array<int, 6> offsets{0, 1, -1, 0, 5, -7};
  const std::array<int, 3> weights{4, 0, 2};
  MPI_Comm cart = MPI_COMM_NULL;
  int rank = -1;
};

TEST_F(CartNeighborhood, IsACartesianCommunicator) {
  int status = 0;
  MPI_Topo_test(cart, &status);
  EXPECT_EQ(status, MPI_CART);
  std::array<int, 2> place{};
  MPI_Cart_coords(cart, rank, 2, place.data());
  const auto wrap = [](int value, int size) { return ((value % size) + size) % size; };
  for (int a = -3; a <= 3; ++a) {
    for (int b = -3; b <= 3; ++b) {
      const std::array offset{a, b};
      const std::array there{wrap(place[0] + a, sizes[0]), wrap(place[1] + b, sizes[1])};
      const std::array back{wrap(place[0] - a, sizes[0]), wrap(place[1] - b, sizes[1])};
      int expected = -1;
      int expected_in = -1;
      MPI_Cart_rank(cart, there.data(), &expected);
      MPI_Cart_rank(cart, back.data(), &expected_in);
      int found = -1;
      EXPECT_EQ(Rondo_Cart_relative_rank(cart, offset.data(), &found), MPI_SUCCESS);
      EXPECT_EQ(found, expected);
      int in = -1;
      int out = -1;
      EXPECT_EQ(Rondo_Cart_relative_shift(cart, offset.data(), &in, &out), MPI_SUCCESS);
      EXPECT_EQ(in, expected_in);
      EXPECT_EQ(out, expected);
      std::array<int, 2> relative{};
      EXPECT_EQ(Rondo_Cart_relative_coord(cart, expected, relative.data()), MPI_SUCCESS);
      Rondo_Cart_relative_rank(cart, relative.data(), &found);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST_F(CartNeighborhood, TellsItsNeighbors) {
  int t = 0;
  EXPECT_EQ(Rondo_Cart_neighbor_count(cart, &t), MPI_SUCCESS);
  EXPECT_EQ(t, 3);
  std::array<int, 3> source{}, source_weight{}, target{}, target_weight{};
  EXPECT_EQ(
      Rondo_Cart_neighbor_get(cart, 3, source.data(), source_weight.data(), 3, target.data(), target_weight.data()),
      MPI_SUCCESS);
  EXPECT_EQ(source_weight, weights);
  EXPECT_EQ(target_weight, weights);
  for (std::size_t i = 0; i < 3; ++i) {
    int in = -1;
    int out = -1;
    Rondo_Cart_relative_shift(cart, offsets.data() + 2 * i, &in, &out);
    EXPECT_EQ(source[i], in);
    EXPECT_EQ(target[i], out);
  }
  std::array<int, 3> fewer{-5, -5, -5};
  EXPECT_EQ(Rondo_Cart_neighbor_get(cart, 1, fewer.data(), MPI_UNWEIGHTED, 0, nullptr, nullptr), MPI_SUCCESS);
  EXPECT_EQ(fewer[0], source[0]);
  EXPECT_EQ(fewer[1], -5) << "at most maxin are written";
}

TEST_F(CartNeighborhood, DuplicatesKeepTheNeighborhood) {
  MPI_Comm copy = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(cart, &copy), MPI_SUCCESS);
  int t = 0;
  ASSERT_EQ(Rondo_Cart_neighbor_count(copy, &t), MPI_SUCCESS);
  EXPECT_EQ(t, 3);
  expect_works(copy);
  MPI_Comm of_copy = MPI_COMM_NULL;
  MPI_Comm_dup(copy, &of_copy);
  MPI_Comm_free(&cart);
  expect_works(copy);
  MPI_Comm_free(&copy);
  expect_works(of_copy);
  MPI_Comm_free(&of_copy);
}

/// MPI_Comm_idup calls the attribute's copy function, which must not wait: the last rank comes to it only when the
/// others have done so. Duplicates are made, used, duplicated again and freed in every order that is legal.
TEST_F(CartNeighborhood, NonblockingDuplicatesWaitForNobody) {
  int p = 0;
  MPI_Comm_size(cart, &p);
  for (int round = 0; round < 32; ++round) {
    for (int other = 0; rank == p - 1 && other < rank; ++other)
      MPI_Recv(nullptr, 0, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Comm_idup(cart, &copy, &request), MPI_SUCCESS);
    if (rank < p - 1) MPI_Send(nullptr, 0, MPI_INT, p - 1, 0, MPI_COMM_WORLD);
    if ((round & 1) != 0) expect_works(cart);
    if ((round & 16) != 0) {  // an agreement on a communicator that is being duplicated
      std::array<int, 3> send{};
      std::array<int, 3> recv{};
      Rondo_Request persistent = RONDO_REQUEST_NULL;
      ASSERT_EQ(
          Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, cart, MPI_INFO_NULL, &persistent),
          MPI_SUCCESS);
      Rondo_Request_free(&persistent);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm another = MPI_COMM_NULL;  // while Rondo's part of the first one is under way
    MPI_Comm_dup(cart, &another);
    if ((round & 3) != 0) expect_works(another);
    MPI_Comm_free(&another);
    if ((round & 2) != 0) expect_works(copy);
    MPI_Comm of_copy = MPI_COMM_NULL;
    MPI_Comm_idup(copy, &of_copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if ((round & 4) != 0) MPI_Comm_free(&copy);
    if ((round & 8) != 0) expect_works(of_copy);
    MPI_Comm_free(&of_copy);
    if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
  }
}

TEST_F(CartNeighborhood, ManyCanBeMadeAndFreed) {
  const std::array periods{1, 1};
  // On few ranks more often than an MPI has context ids: a leak of the private communicator would end this. On more
  // ranks than cores MPICH, which never yields, takes too long for that, and so does the address sanitizer.
  const int times = sizes[0] * sizes[1] <= 2 && !test::kAddressSanitizer ? 3000 : 50;
  for (int i = 0; i < times; ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 3, offsets.data(),
                                             MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
              MPI_SUCCESS);
    if (i % 25 == 0) expect_works(made);
    MPI_Comm_free(&made);
  }
}

TEST_F(CartNeighborhood, RequestsOutliveTheirCommunicator) {
  const std::array send{rank, rank + 100, rank + 200};
  std::array recv{-1, -1, -1};
  std::array<int, 3> source{};
  Rondo_Cart_neighbor_get(cart, 3, source.data(), nullptr, 0, nullptr, nullptr);
  Rondo_Request nonblocking = RONDO_REQUEST_NULL;
  Rondo_Request persistent = RONDO_REQUEST_NULL;
  Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, cart, MPI_INFO_NULL, &persistent);
  std::array other{-1, -1, -1};
  Rondo_Icart_alltoall(send.data(), 1, MPI_INT, other.data(), 1, MPI_INT, cart, &nonblocking);
  MPI_Comm_free(&cart);
  EXPECT_EQ(Rondo_Start(&persistent), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Wait(&nonblocking, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Request_free(&persistent), MPI_SUCCESS);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(recv[i], source[i] + static_cast<int>(i) * 100);
  EXPECT_EQ(other, recv);
}

TEST(TagSpace, BeginsANewCommunicatorWhenTagsRunOut) {
  TagSpace tags(std::make_shared<const PrivateComm>(MPI_COMM_WORLD), 100);
  tags.prepare_room(30);
  tags.make_room(30);
  const auto first = tags.next_persistent(30);
  EXPECT_EQ(first.first_tag, 50);
  EXPECT_EQ(tags.next_persistent(30).first_tag, 50) << "nobody has taken it";
  tags.take_persistent(30);
  tags.prepare_room(30);
  tags.make_room(30);
  const auto second = tags.next_persistent(30);
  EXPECT_EQ(second.first_tag, 50);
  EXPECT_NE(first.comm, second.comm) << "live ranges of tags never meet";
  EXPECT_EQ(tags.next_nonblocking(30), 0);
  tags.take_nonblocking(0, 30);
  EXPECT_EQ(tags.next_nonblocking(20), 30);
  EXPECT_EQ(tags.next_nonblocking(30), 0) << "used over and over";
  EXPECT_THROW(static_cast<void>(tags.next_persistent(60)), Error);
}

TEST(Reorder, KeepsDataRight) {
  Options options;
  options.reorder = true;
  CartComm torus(MPI_COMM_WORLD, balanced(2), moore(2, 1), options);
  const std::vector<int> send(8, torus.rank());
  std::vector<int> recv(8);
  torus.alltoall(send, recv);
  EXPECT_EQ(recv, torus.sources());
}

/// Ranks on two nodes in turn, as some launchers place them, are brought together: no node is asked for by MPI here.
TEST(Reorder, BringsNeighborsTogether) {
  int p = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::array sizes{p};
  const std::array periods{0};
  const std::array offsets{1, -1};
  const std::array weights{3, 5};
  const int node = rank % 2;
  MPI_Comm world = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm cart = MPI_COMM_NULL;
  const auto no_steps = [](NeighborhoodArguments&, Settings&) {};
  cart = create_neighborhood({.function = "test",
                              .comm = world,
                              .d = 1,
                              .dimensions = sizes.data(),
                              .periods = periods.data(),
                              .t = 2,
                              .targetrelative = offsets.data(),
                              .weight = weights.data(),
                              .reorder = 1,
                              .node = node},
                             std::ref(no_steps));
  MPI_Comm_free(&world);
  std::vector<int> node_at(static_cast<std::size_t>(p)), was(node_at);
  MPI_Allgather(&node, 1, MPI_INT, node_at.data(), 1, MPI_INT, cart);
  MPI_Allgather(&rank, 1, MPI_INT, was.data(), 1, MPI_INT, cart);
  int borders = 0;
  for (std::size_t i = 1; i < node_at.size(); ++i) borders += node_at[i] != node_at[i - 1] ? 1 : 0;
  EXPECT_EQ(borders, p > 1 ? 1 : 0) << "a line needs but one";
  std::ranges::sort(was);
  for (int i = 0; i < p; ++i) EXPECT_EQ(was[static_cast<std::size_t>(i)], i);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(cart, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_RETURN) << "the given communicator's";
  // Who asks finds the ranks of the new communicator.
  int place = 0;
  MPI_Comm_rank(cart, &place);
  std::array<int, 2> source{}, target{};
  Rondo_Cart_neighbor_get(cart, 2, source.data(), nullptr, 2, target.data(), nullptr);
  EXPECT_EQ(target[0], place + 1 < p ? place + 1 : MPI_PROC_NULL);
  EXPECT_EQ(source[0], place > 0 ? place - 1 : MPI_PROC_NULL);
  const std::array send{place, place};
  std::array recv{-1, -1};
  EXPECT_EQ(Rondo_Cart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, cart), MPI_SUCCESS);
  EXPECT_EQ(recv[0], place > 0 ? place - 1 : -1);
  MPI_Comm_free(&cart);
}

TEST(Settings, ComeFromInfoAndEnvironment) {
  const auto sizes = balanced(2);
  const std::array periods{1, 1};
  const std::array offsets{0, 1, 1, 1};
  const auto algorithm_of = [&](MPI_Info at_create, MPI_Info at_init) {
    MPI_Comm cart = MPI_COMM_NULL;
    Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 2, offsets.data(), MPI_UNWEIGHTED,
                                   at_create, 0, &cart);
    const std::array send{1, 2};
    std::array recv{0, 0};
    Rondo_Request request = RONDO_REQUEST_NULL;
    Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, cart, at_init, &request);
    std::array<char, RONDO_MAX_ALGORITHM_NAME> name{};
    int length = 0;
    Rondo_Request_get_algorithm(request, name.data(), &length);
    Rondo_Request_free(&request);
    MPI_Comm_free(&cart);
    return std::string(name.data());
  };
  MPI_Info direct = MPI_INFO_NULL;
  MPI_Info_create(&direct);
  MPI_Info_set(direct, "rondo_algorithm", "direct");
  MPI_Info combining = MPI_INFO_NULL;
  MPI_Info_create(&combining);
  MPI_Info_set(combining, "rondo_algorithm", "combining");
  EXPECT_EQ(algorithm_of(direct, MPI_INFO_NULL), "direct");
  EXPECT_EQ(algorithm_of(direct, combining), "combining") << "the call's info comes before the communicator's";
  setenv("RONDO_ALGORITHM", "coalesced", 1);
  EXPECT_EQ(algorithm_of(MPI_INFO_NULL, MPI_INFO_NULL), "coalesced");
  EXPECT_EQ(algorithm_of(direct, MPI_INFO_NULL), "direct") << "info comes before the environment";
  unsetenv("RONDO_ALGORITHM");
  MPI_Info_free(&direct);
  MPI_Info_free(&combining);
}

TEST(Settings, AreThoseOfDuplicatesToo) {
  const std::array send{1, 2};
  std::array recv{0, 0};
  for (const char* algorithm : {"direct", "combining"}) {  // one of them is not what `auto` chooses
    Options options;
    options.algorithm = algorithm_from(algorithm);
    const CartComm original(MPI_COMM_WORLD, balanced(2), Neighborhood{{0, 1}, {1, 1}}, options);
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(original.native(), &copy), MPI_SUCCESS);
    Rondo_Request request = RONDO_REQUEST_NULL;
    EXPECT_EQ(Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, copy, MPI_INFO_NULL, &request),
              MPI_SUCCESS);
    EXPECT_EQ(Request(request).algorithm(), algorithm);
    MPI_Comm_free(&copy);
  }
}

/// A second call that differs in nothing else does not get the first one's schedule.
TEST(Settings, OfACallAreForThatCall) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  if (p == 1) GTEST_SKIP() << "needs two ranks, as nothing else is a message";
  const CartComm torus(MPI_COMM_WORLD, balanced(2), Neighborhood{{0, 1}, {1, 1}});
  MPI_Datatype scattered = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &scattered);
  MPI_Type_commit(&scattered);
  const std::array<int, 6> send{};
  std::array<int, 6> recv{};
  const auto drawing_with = [&](const char* messages) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rondo_algorithm", "direct");
    MPI_Info_set(info, "rondo_messages", messages);
    Rondo_Request request = RONDO_REQUEST_NULL;
    EXPECT_EQ(
        Rondo_Cart_alltoall_init(send.data(), 1, scattered, recv.data(), 1, scattered, torus.native(), info, &request),
        MPI_SUCCESS);
    MPI_Info_free(&info);
    return Request(request).to_dot();
  };
  const std::string staged = drawing_with("staged");
  EXPECT_NE(drawing_with("datatype"), staged) << "it copies nothing";
  EXPECT_EQ(drawing_with("staged"), staged);
  MPI_Type_free(&scattered);
}

}  // namespace
}  // namespace rondo::internal::cart_neighborhood_test
