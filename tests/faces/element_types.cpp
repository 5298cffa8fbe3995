// What MPI calls the elements of C++, and of one's own.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace {

struct Point {
  double x;
  double y;
};
MPI_Datatype point_type = MPI_DATATYPE_NULL;

}  // namespace

template <>
struct rondo::DatatypeOf<Point> {
  static MPI_Datatype get() { return point_type; }
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

/// What `Communicator` can begin to send from `Send`: a vector that has a name, a span, and no temporary.
template <typename Communicator, typename Send>
constexpr bool kBegins = requires(Communicator comm, Send send, std::span<int> recv) {
  comm.template ialltoall<int>(std::forward<Send>(send), recv);
  comm.template alltoall_init<int>(std::forward<Send>(send), recv);
};
static_assert(kBegins<CartComm, std::vector<int>&>);
static_assert(kBegins<CartComm, const std::vector<int>&>);
static_assert(kBegins<CartComm, std::span<const int>>);
static_assert(!kBegins<CartComm, std::vector<int>>);
static_assert(!kBegins<CartComm, std::array<int, 8>>);
static_assert(kBegins<Comm, std::array<int, 8>&>);
static_assert(kBegins<Comm, std::span<int>>);
static_assert(!kBegins<Comm, std::vector<int>>);

/// The same of the other collectives, each by itself.
template <typename Send>
constexpr bool kReduces = requires(CartComm comm, Send send, std::span<int> recv) {
  comm.ireduce<int>(std::forward<Send>(send), recv, MPI_SUM);
};
template <typename Send>
constexpr bool kGathers = requires(CartComm comm, Send send, std::span<int> recv) {
  comm.allgather_init<int>(std::forward<Send>(send), recv);
};
static_assert(kReduces<std::vector<int>&> && !kReduces<std::vector<int>>);
static_assert(kGathers<std::vector<int>&> && !kGathers<std::vector<int>>);

TEST(ElementTypes, ComplexNumbersAreExchangedAndAdded) {
  using Complex = std::complex<double>;
  CartComm ring(MPI_COMM_WORLD, {world_size()}, moore(1, 1));
  const double rank = ring.rank();
  const std::array send{Complex(rank, 1), Complex(-rank, 2)};
  std::array<Complex, 2> recv{};
  ring.alltoall<Complex>(send, recv);
  const std::vector<int> sources = ring.sources();
  EXPECT_EQ(recv[0], Complex(sources[0], 1));
  EXPECT_EQ(recv[1], Complex(-sources[1], 2));
  std::array<Complex, 1> sum{};
  ring.reduce<Complex>(std::span(send).first(1), sum, MPI_SUM);
  EXPECT_EQ(sum[0], Complex(sources[0] + sources[1], 2));
}

TEST(ElementTypes, OnesOfYourOwnAreExchanged) {
  MPI_Type_contiguous(2, MPI_DOUBLE, &point_type);
  MPI_Type_commit(&point_type);
  Comm comm(MPI_COMM_WORLD);
  const std::vector<Point> send(static_cast<std::size_t>(comm.size()), {1.0 * comm.rank(), 0.5});
  std::vector<Point> recv(send.size());
  comm.alltoall<Point>(send, recv);
  for (int i = 0; i < comm.size(); ++i) {
    EXPECT_EQ(recv[static_cast<std::size_t>(i)].x, 1.0 * i);
    EXPECT_EQ(recv[static_cast<std::size_t>(i)].y, 0.5);
  }
  MPI_Type_free(&point_type);
}

}  // namespace
}  // namespace rondo::internal::element_types_test
