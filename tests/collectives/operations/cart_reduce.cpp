// Neighborhood reductions under mpirun, in all their forms, on tori and meshes, against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::cart_reduce_test {
namespace {

constexpr int kUntouched = -77;
const std::vector<std::string> kAlgorithms{"auto", "direct", "combining", "logarithmic"};

/// Element j that a rank sends to neighbor i.
int content(int rank, int i, int j) { return rank * 1009 + i * 31 + j; }

std::vector<Neighborhood> neighborhoods(int d) {
  std::vector<Neighborhood> all{moore(d, 1), box(d, 4, -1), von_neumann(d, 2), Neighborhood(d)};
  if (d == 2) all.push_back({{1, 1}, {0, 0}, {1, 1}, {-7, 5}, {0, 1}});
  return all;
}

template <typename Visit>
void for_each(Visit visit) {
  for (int d = 1; d <= 3; ++d) {
    for_each_grid(d, neighborhoods(d), kAlgorithms, [&](CartComm& comm, const std::string& what) {
      if (!::testing::Test::HasFatalFailure()) visit(comm, what);
    });
  }
}

/// Sums by the definition; `scatter`: each neighbor gets a vector of its own.
std::vector<int> sums(const CartComm& comm, int count, bool scatter) {
  std::vector<int> expected(static_cast<std::size_t>(count), kUntouched);
  const std::vector<int> sources = comm.sources();
  for (int j = 0; j < count; ++j) {
    bool any = false;
    int sum = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] == MPI_PROC_NULL) continue;
      any = true;
      sum += content(sources[i], scatter ? static_cast<int>(i) : 0, j);
    }
    if (any) expected[static_cast<std::size_t>(j)] = sum;
  }
  return expected;
}

TEST(CartReduce, SumsInEveryForm) {
  for_each([](CartComm& comm, const std::string& what) {
    for (const int count : {1, 700}) {
      std::vector<int> send;
      for (int j = 0; j < count; ++j) send.push_back(content(comm.rank(), 0, j));
      std::vector<int> recv(send.size(), kUntouched);
      const std::vector<int> expected = sums(comm, count, false);
      const auto expect = [&](const char* form) {
        ASSERT_EQ(recv, expected) << what << ", " << form;
        std::ranges::fill(recv, kUntouched);
      };
      comm.reduce(send, recv, MPI_SUM);
      expect("blocking");
      Request request = comm.ireduce(send, recv, MPI_SUM);
      request.wait();
      expect("nonblocking");
      Request persistent = comm.reduce_init(send, recv, MPI_SUM);
      for (int repetition = 0; repetition < 2; ++repetition) {
        persistent.start();
        persistent.wait();
        expect("persistent");
      }
    }
  });
}

TEST(CartReduce, AVectorForEachTarget) {
  for_each([](CartComm& comm, const std::string& what) {
    constexpr int kCount = 5;
    std::vector<int> send;
    for (int i = 0; i < comm.neighbor_count(); ++i) {
      for (int j = 0; j < kCount; ++j) send.push_back(content(comm.rank(), i, j));
    }
    std::vector<int> recv(kCount, kUntouched);
    const std::vector<int> expected = sums(comm, kCount, true);
    const auto expect = [&](const char* form) {
      ASSERT_EQ(recv, expected) << what << ", " << form;
      std::ranges::fill(recv, kUntouched);
    };
    comm.scatter_reduce(send, recv, MPI_SUM);
    expect("blocking");
    Request request = comm.iscatter_reduce(send, recv, MPI_SUM);
    request.wait();
    expect("nonblocking");
    Request persistent = comm.scatter_reduce_init(send, recv, MPI_SUM);
    for (int repetition = 0; repetition < 2; ++repetition) {
      persistent.start();
      persistent.wait();
      expect("persistent");
    }
  });
}

TEST(CartReduce, AMaximumAfterASum) {
  CartComm comm(MPI_COMM_WORLD, balanced(1), box(1, 2, 0));
  int sum = 0;
  int greatest = 0;
  for (const int source : comm.sources()) {
    sum += content(source, 0, 1);
    greatest = std::max(greatest, content(source, 0, 1));
  }
  const std::vector<int> send{content(comm.rank(), 0, 1)};
  std::vector<int> recv(1);
  for (const MPI_Op op : {MPI_SUM, MPI_MAX, MPI_SUM}) {
    const int expected = op == MPI_MAX ? greatest : sum;
    recv[0] = kUntouched;
    comm.reduce(send, recv, op);
    EXPECT_EQ(recv[0], expected) << "blocking";
    recv[0] = kUntouched;
    Request persistent = comm.reduce_init(send, recv, op);
    persistent.start();
    persistent.wait();
    EXPECT_EQ(recv[0], expected) << "persistent";
  }
}

/// Vectors of other datatypes than the result, and arguments that do not count.
TEST(CartReduce, VectorsOfOtherDatatypes) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(5, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  for_each_communicator(2, box(2, 4, -1), kAlgorithms, [&](const CartComm& comm, const std::string& what) {
    if (::testing::Test::HasFatalFailure()) return;
    const int t = comm.neighbor_count();
    const std::vector<int> targets = comm.targets();
    std::vector<int> send(static_cast<std::size_t>(t) * 15, kUntouched);
    std::vector<int> counts;
    std::vector<MPI_Aint> places;
    std::vector<MPI_Datatype> types;
    for (int i = 0; i < t; ++i) {
      const bool missing = targets[static_cast<std::size_t>(i)] == MPI_PROC_NULL;
      counts.push_back(missing ? -1 : i % 2 == 0 ? 5 : 1);
      places.push_back(static_cast<MPI_Aint>(i) * 15 * MPI_Aint{sizeof(int)});
      types.push_back(missing ? MPI_DATATYPE_NULL : i % 2 == 0 ? MPI_INT : column);
      for (int j = 0; j < 5; ++j)
        send[static_cast<std::size_t>(i * 15 + j * (i % 2 == 0 ? 1 : 3))] = content(comm.rank(), i, j);
    }
    MPI_Comm_set_errhandler(comm.native(), MPI_ERRORS_RETURN);
    std::vector<int> recv(5, kUntouched);
    ASSERT_EQ(Rondo_Iso_neighbor_scatter_reduce(send.data(), counts.data(), places.data(), types.data(), recv.data(), 5,
                                                MPI_INT, MPI_SUM, comm.native()),
              MPI_SUCCESS);
    ASSERT_EQ(recv, sums(comm, 5, true)) << what;
    std::ranges::fill(recv, kUntouched);
    Rondo_Request request = RONDO_REQUEST_NULL;
    ASSERT_EQ(Rondo_Cart_scatter_reduce_init(send.data(), counts.data(), places.data(), types.data(), recv.data(), 5,
                                             MPI_INT, MPI_SUM, comm.native(), MPI_INFO_NULL, &request),
              MPI_SUCCESS);
    ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
    ASSERT_EQ(recv, sums(comm, 5, true)) << what;
  });
  MPI_Type_free(&column);
}

int misaligned = 0;

/// A sum that counts the operands which do not lie as doubles do.
void aligned_sum(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  for (const void* operand : {static_cast<const void*>(in), static_cast<const void*>(inout)})
    misaligned += reinterpret_cast<std::uintptr_t>(operand) % alignof(double) == 0 ? 0 : 1;
  for (std::size_t j = 0; j < static_cast<std::size_t>(*length); ++j) {
    double one = 0;
    double other = 0;
    std::memcpy(&one, static_cast<const char*>(in) + j * sizeof(double), sizeof one);
    std::memcpy(&other, static_cast<const char*>(inout) + j * sizeof(double), sizeof other);
    one += other;
    std::memcpy(static_cast<char*>(inout) + j * sizeof(double), &one, sizeof one);
  }
}

/// A user may say of bytes at any address that they are doubles; an operation is given doubles where they may lie.
TEST(CartReduce, OperationsSeeAlignedOperandsOnly) {
  constexpr int kCount = 3;
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(aligned_sum, 1, &op);
  for_each_communicator(2, moore(2, 1), kAlgorithms, [&](const CartComm& comm, const std::string& what) {
    const int t = comm.neighbor_count();
    std::vector<double> memory(static_cast<std::size_t>(t * (kCount + 1) + 1));
    auto* const begin = reinterpret_cast<char*>(memory.data());
    const std::vector<int> counts(static_cast<std::size_t>(t), kCount);
    const std::vector<MPI_Datatype> types(counts.size(), MPI_DOUBLE);
    std::vector<MPI_Aint> places;
    for (int i = 0; i < t; ++i) {
      places.push_back(i * (kCount + 1) * static_cast<MPI_Aint>(sizeof(double)) + i % 8);
      for (int j = 0; j < kCount; ++j) {
        const double value = content(comm.rank(), i, j);
        std::memcpy(begin + places.back() + j * static_cast<MPI_Aint>(sizeof(double)), &value, sizeof value);
      }
    }
    std::vector<double> recv(kCount, kUntouched);
    ASSERT_EQ(Rondo_Cart_scatter_reduce(begin, counts.data(), places.data(), types.data(), recv.data(), kCount,
                                        MPI_DOUBLE, op, comm.native()),
              MPI_SUCCESS);
    const std::vector<int> expected = sums(comm, kCount, true);
    EXPECT_EQ(recv, std::vector<double>(expected.begin(), expected.end())) << what;
    EXPECT_EQ(std::exchange(misaligned, 0), 0) << what;
  });
  MPI_Op_free(&op);
}

/// Fractions 1/(n + 1), whose floating-point sum depends on the order of additions.
TEST(CartReduce, FloatingPointSumsAreTheSameToTheLastBit) {
  constexpr int kCount = 64;
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
    std::vector<double> first;
    for (const std::string& algorithm : kAlgorithms) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      CartComm comm(MPI_COMM_WORLD, balanced(2), periods, box(2, 5, -2), options);
      std::vector<double> send;
      for (int j = 0; j < kCount; ++j) send.push_back(1.0 / (comm.rank() * 71 + j * 13 + 1));
      std::vector<double> recv(kCount);
      for (int repetition = 0; repetition < 3; ++repetition) {
        comm.reduce(send, recv, MPI_SUM);
        if (first.empty()) first = recv;
        ASSERT_EQ(std::memcmp(recv.data(), first.data(), kCount * sizeof(double)), 0) << algorithm;
      }
    }
  }
}

/// A struct with a hole behind its first member, combined by an operation of the user's.
struct Extremum {
  char tag;
  double value;
};

void take_greater(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    const Extremum& one = static_cast<const Extremum*>(in)[i];
    Extremum& other = static_cast<Extremum*>(inout)[i];
    if (one.value > other.value) other = one;
  }
}

TEST(CartReduce, AnOperationAndADatatypeOfTheUsers) {
  int lengths[] = {1, 1};
  MPI_Aint places[] = {offsetof(Extremum, tag), offsetof(Extremum, value)};
  MPI_Datatype members[] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, members, &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(take_greater, 1, &op);
  for_each([&](CartComm& comm, const std::string& what) {
    const auto value = [](int rank) {
      return Extremum{static_cast<char>('a' + rank % 26), rank * 7 % 11 + 0.01 * rank};
    };
    const std::vector<Extremum> send(3, value(comm.rank()));
    std::vector<Extremum> recv(3, Extremum{'-', -1.0});
    Request request = comm.reduce_init(send.data(), recv.data(), 3, type, op);
    request.start();
    request.wait();
    Extremum expected{'-', -1.0};
    for (const int source : comm.sources()) {
      if (source != MPI_PROC_NULL && value(source).value > expected.value) expected = value(source);
    }
    for (const Extremum& received : recv) {
      ASSERT_EQ(received.tag, expected.tag) << what;
      ASSERT_EQ(received.value, expected.value) << what;
    }
  });
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

TEST(CartReduce, BadArguments) {
  CartComm comm(MPI_COMM_WORLD, balanced(1), moore(1, 1));
  MPI_Comm_set_errhandler(comm.native(), MPI_ERRORS_RETURN);
  const double send = 1;
  double recv = 0;
  Rondo_Request request = RONDO_REQUEST_NULL;
  EXPECT_EQ(Rondo_Cart_reduce(&send, &recv, 1, MPI_DOUBLE, MPI_OP_NULL, comm.native()), MPI_ERR_OP);
  EXPECT_EQ(Rondo_Cart_reduce(&send, &recv, 1, MPI_DOUBLE, MPI_BAND, comm.native()), MPI_ERR_OP);
  EXPECT_EQ(Rondo_Cart_reduce(&send, &recv, -1, MPI_DOUBLE, MPI_SUM, comm.native()), MPI_ERR_COUNT);
  EXPECT_EQ(Rondo_Cart_reduce(&send, &recv, 1, MPI_DATATYPE_NULL, MPI_SUM, comm.native()), MPI_ERR_TYPE);
  EXPECT_EQ(Rondo_Cart_reduce(MPI_IN_PLACE, &recv, 1, MPI_DOUBLE, MPI_SUM, comm.native()), MPI_ERR_BUFFER);
  EXPECT_EQ(Rondo_Cart_reduce(&recv, &recv, 1, MPI_DOUBLE, MPI_SUM, comm.native()), MPI_ERR_BUFFER);
  const std::array counts{1, 2};
  const std::array<MPI_Aint, 2> places{0, 0};
  const std::array types{MPI_DOUBLE, MPI_DOUBLE};
  const std::array<double, 2> pair{};
  EXPECT_EQ(Rondo_Cart_scatter_reduce(pair.data(), counts.data(), places.data(), types.data(), &recv, 1, MPI_DOUBLE,
                                      MPI_SUM, comm.native()),
            MPI_ERR_TRUNCATE);
  // What is wrong on one rank all hear of.
  const MPI_Op op = comm.rank() == 0 ? MPI_OP_NULL : MPI_SUM;
  EXPECT_EQ(Rondo_Cart_reduce_init(&send, &recv, 1, MPI_DOUBLE, op, comm.native(), MPI_INFO_NULL, &request),
            comm.rank() == 0 ? MPI_ERR_OP : MPI_ERR_ARG);
  if (comm.size() == 1) return;
  EXPECT_EQ(Rondo_Cart_reduce_init(&send, &recv, comm.rank() == 0 ? 0 : 1, MPI_DOUBLE, MPI_SUM, comm.native(),
                                   MPI_INFO_NULL, &request),
            MPI_ERR_COUNT);
}

}  // namespace
}  // namespace rondo::internal::cart_reduce_test
