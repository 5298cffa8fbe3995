// What MPI calls the elements of C++, and of one's own, and which buffers of them the collectives take.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <list>
#include <ranges>
#include <span>
#include <vector>

namespace {

struct Point {
  double x;
  double y;
};
MPI_Datatype point_type = MPI_DATATYPE_NULL;

/// A view of one's own: it refers to elements, and does not own them.
struct Pair {
  int* first;
  [[nodiscard]] int* begin() const { return first; }
  [[nodiscard]] int* end() const { return first + 2; }
};

}  // namespace

template <>
inline constexpr bool std::ranges::enable_borrowed_range<Pair> = true;

template <>
struct rondo::DatatypeOf<Point> {
  static MPI_Datatype native() { return point_type; }
};

namespace rondo::internal::element_types_test {
namespace {

TEST(ElementTypes, AreMpisOfTheSameName) {
  EXPECT_EQ(datatype_of<float>(), MPI_FLOAT);
  EXPECT_EQ(datatype_of<double>(), MPI_DOUBLE);
  EXPECT_EQ(datatype_of<char>(), MPI_CHAR);
  EXPECT_EQ(datatype_of<signed char>(), MPI_SIGNED_CHAR);
  EXPECT_EQ(datatype_of<unsigned char>(), MPI_UNSIGNED_CHAR);
  EXPECT_EQ(datatype_of<std::byte>(), MPI_BYTE);
  EXPECT_EQ(datatype_of<short>(), MPI_SHORT);
  EXPECT_EQ(datatype_of<unsigned short>(), MPI_UNSIGNED_SHORT);
  EXPECT_EQ(datatype_of<int>(), MPI_INT);
  EXPECT_EQ(datatype_of<unsigned>(), MPI_UNSIGNED);
  EXPECT_EQ(datatype_of<long>(), MPI_LONG);
  EXPECT_EQ(datatype_of<unsigned long>(), MPI_UNSIGNED_LONG);
  EXPECT_EQ(datatype_of<long long>(), MPI_LONG_LONG);
  EXPECT_EQ(datatype_of<unsigned long long>(), MPI_UNSIGNED_LONG_LONG);
  EXPECT_EQ(datatype_of<long double>(), MPI_LONG_DOUBLE);
  EXPECT_EQ(datatype_of<bool>(), MPI_CXX_BOOL);
  EXPECT_EQ(datatype_of<std::complex<float>>(), MPI_CXX_FLOAT_COMPLEX);
  EXPECT_EQ(datatype_of<std::complex<double>>(), MPI_CXX_DOUBLE_COMPLEX);
  EXPECT_EQ(datatype_of<std::complex<long double>>(), MPI_CXX_LONG_DOUBLE_COMPLEX);
}

/// What `Communicator` can begin to send from `Send` and receive into `Recv`, with an element type that is deduced and
/// with one that is named.
template <typename Communicator, typename Send, typename Recv = std::span<int>>
constexpr bool kBegins = requires(Communicator comm, Send send, Recv recv) {
  comm.ialltoall(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  comm.alltoall_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv), 1, Options{});
  comm.template ialltoall<int>(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  comm.template alltoall_init<int>(static_cast<Send&&>(send), static_cast<Recv&&>(recv), 1, Options{});
};
/// The same of a blocking call, for which a temporary that is sent lasts.
template <typename Communicator, typename Send, typename Recv = std::span<int>>
constexpr bool kExchanges = requires(Communicator comm, Send send, Recv recv) {
  comm.alltoall(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
};
using Owned = std::vector<int>;

template <typename Communicator>
constexpr bool takes_contiguous_ranges() {
  static_assert(kBegins<Communicator, Owned&, Owned&>);
  static_assert(kBegins<Communicator, const Owned&, std::array<int, 8>&>);
  static_assert(kBegins<Communicator, const int(&)[8], int(&)[8]>);
  static_assert(kBegins<Communicator, std::span<const int>, std::span<int, 8>>);
  static_assert(kBegins<Communicator, std::span<int>, const std::span<int>&>);
  static_assert(kBegins<Communicator, Pair, Pair>);
  static_assert(kExchanges<Communicator, std::span<const int>, Owned&>);
  static_assert(!kExchanges<Communicator, std::list<int>&>, "not contiguous");
  static_assert(!kExchanges<Communicator, std::vector<bool>&, std::vector<bool>&>, "not contiguous");
  static_assert(!kExchanges<Communicator, int>);
  return true;
}
template <typename Communicator>
constexpr bool takes_one_type() {
  static_assert(!kExchanges<Communicator, std::vector<long>&, Owned&>);
  static_assert(!kExchanges<Communicator, std::vector<unsigned>&, Owned&>);
  static_assert(!kBegins<Communicator, std::vector<long>&, std::vector<long>&>, "<int> names another");
  return true;
}
template <typename Communicator>
constexpr bool receives_into_nothing_const() {
  static_assert(!kExchanges<Communicator, Owned&, const Owned&>);
  static_assert(!kExchanges<Communicator, Owned&, std::span<const int>>);
  static_assert(!kExchanges<Communicator, Owned&, const std::array<int, 8>&>);
  return true;
}
/// A temporary that owns its elements is gone after the call; of one that refers to them, a view, they stay.
template <typename Communicator>
constexpr bool takes_temporaries_that_last() {
  static_assert(kExchanges<Communicator, Owned>);
  static_assert(kExchanges<Communicator, std::array<int, 8>>);
  static_assert(!kBegins<Communicator, Owned>);
  static_assert(!kBegins<Communicator, std::array<int, 8>>);
  static_assert(!kBegins<Communicator, Owned&, Owned>);
  static_assert(!kBegins<Communicator, Owned&, std::array<int, 8>>);
  static_assert(!kExchanges<Communicator, Owned&, Owned>, "nobody would see what it receives");
  return true;
}
static_assert(takes_contiguous_ranges<CartComm>() && takes_contiguous_ranges<Comm>());
static_assert(takes_one_type<CartComm>() && takes_one_type<Comm>());
static_assert(receives_into_nothing_const<CartComm>() && receives_into_nothing_const<Comm>());
static_assert(takes_temporaries_that_last<CartComm>() && takes_temporaries_that_last<Comm>());

/// The same rules for every collective that goes on after its call.
template <typename Takes>
constexpr bool takes_what_lasts(Takes takes) {
  return takes.template operator()<Owned&, Owned&>() && takes.template operator()<const Owned&, std::span<int>>() &&
         !takes.template operator()<Owned, Owned&>() && !takes.template operator()<Owned&, Owned>() &&
         !takes.template operator()<std::vector<long>&, Owned&>() && !takes.template operator()<Owned&, const Owned&>();
}
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.ialltoall(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.alltoall_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(Comm comm, Send send, Recv recv) {
    comm.ialltoall(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(Comm comm, Send send, Recv recv) {
    comm.alltoall_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.ireduce(static_cast<Send&&>(send), static_cast<Recv&&>(recv), MPI_SUM);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.reduce_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv), MPI_SUM);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.iscatter_reduce(static_cast<Send&&>(send), static_cast<Recv&&>(recv), MPI_SUM);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.scatter_reduce_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv), MPI_SUM);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.iallgather(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv) {
    comm.allgather_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv));
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv, BlockPlaces places) {
    comm.iallgatherv(static_cast<Send&&>(send), static_cast<Recv&&>(recv), places);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv, BlockPlaces places) {
    comm.allgatherv_init(static_cast<Send&&>(send), static_cast<Recv&&>(recv), places);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv, BlockPlaces places) {
    comm.ialltoallv(static_cast<Send&&>(send), places, static_cast<Recv&&>(recv), places);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(Comm comm, Send send, Recv recv, BlockPlaces places) {
    comm.ialltoallv(static_cast<Send&&>(send), places, static_cast<Recv&&>(recv), places);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(CartComm comm, Send send, Recv recv, BlockPlaces places) {
    comm.alltoallv_init(static_cast<Send&&>(send), places, static_cast<Recv&&>(recv), places);
  };
}));
static_assert(takes_what_lasts([]<typename Send, typename Recv>() {
  return requires(Comm comm, Send send, Recv recv, BlockPlaces places) {
    comm.alltoallv_init(static_cast<Send&&>(send), places, static_cast<Recv&&>(recv), places);
  };
}));

/// In place there is one buffer.
template <typename Takes>
constexpr bool takes_what_lasts_in_place(Takes takes) {
  return takes.template operator()<Owned&>() && takes.template operator()<std::span<int>>() &&
         takes.template operator()<int(&)[4]>() && !takes.template operator()<Owned>() &&
         !takes.template operator()<const Owned&>() && !takes.template operator()<std::vector<long>&>();
}
static_assert(takes_what_lasts_in_place([]<typename Buffer>() {
  return requires(Comm comm, Buffer buffer, BlockPlaces places) {
    comm.ialltoall<int>(in_place, static_cast<Buffer&&>(buffer));
  };
}));
static_assert(takes_what_lasts_in_place([]<typename Buffer>() {
  return requires(Comm comm, Buffer buffer, BlockPlaces places) {
    comm.alltoall_init<int>(in_place, static_cast<Buffer&&>(buffer));
  };
}));
static_assert(takes_what_lasts_in_place([]<typename Buffer>() {
  return requires(Comm comm, Buffer buffer, BlockPlaces places) {
    comm.ialltoallv<int>(in_place, static_cast<Buffer&&>(buffer), places);
  };
}));
static_assert(takes_what_lasts_in_place([]<typename Buffer>() {
  return requires(Comm comm, Buffer buffer, BlockPlaces places) {
    comm.alltoallv_init<int>(in_place, static_cast<Buffer&&>(buffer), places);
  };
}));

TEST(ElementTypes, BuffersAreWhateverIsContiguous) {
  CartComm ring(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const std::vector<int> sources = ring.sources();
  const int rank = ring.rank();
  int from[2] = {rank, rank + 100};
  std::vector<int> to(2);
  const auto expect_received = [&] {
    EXPECT_EQ(to, (std::vector{sources[0], sources[1] + 100}));
    to.assign(2, -1);
  };
  ring.alltoall(from, to);
  expect_received();
  ring.alltoall(std::vector{rank, rank + 100}, to);
  expect_received();
  ring.alltoall(std::span(from), std::span<int, 2>(to));
  expect_received();
  ring.alltoall<int>({from, 2}, {to.data(), 2});
  expect_received();
  Request request = ring.alltoall_init<int>(Pair{from}, to);
  request.start();
  request.wait();
  expect_received();
}

TEST(ElementTypes, ComplexNumbersAreExchangedAndAdded) {
  using Complex = std::complex<double>;
  CartComm ring(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const double rank = ring.rank();
  const std::array send{Complex(rank, 1), Complex(-rank, 2)};
  std::array<Complex, 2> recv{};
  ring.alltoall(send, recv);
  const std::vector<int> sources = ring.sources();
  EXPECT_EQ(recv[0], Complex(sources[0], 1));
  EXPECT_EQ(recv[1], Complex(-sources[1], 2));
  std::array<Complex, 1> sum{};
  ring.reduce(std::span(send).first(1), sum, MPI_SUM);
  EXPECT_EQ(sum[0], Complex(sources[0] + sources[1], 2));
}

TEST(ElementTypes, OnesOfYourOwnAreExchanged) {
  MPI_Type_contiguous(2, MPI_DOUBLE, &point_type);
  MPI_Type_commit(&point_type);
  Comm comm(MPI_COMM_WORLD);
  const std::vector<Point> send(static_cast<std::size_t>(comm.size()), {1.0 * comm.rank(), 0.5});
  std::vector<Point> recv(send.size());
  comm.alltoall(send, recv);
  for (int i = 0; i < comm.size(); ++i) {
    EXPECT_EQ(recv[static_cast<std::size_t>(i)].x, 1.0 * i);
    EXPECT_EQ(recv[static_cast<std::size_t>(i)].y, 0.5);
  }
  MPI_Type_free(&point_type);
}

}  // namespace
}  // namespace rondo::internal::element_types_test
