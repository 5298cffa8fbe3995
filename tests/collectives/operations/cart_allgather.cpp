// The Cartesian allgather under mpirun, in all its forms, on tori and meshes, against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace rondo::internal::cart_allgather_test {
namespace {

constexpr int kUntouched = -77;
const std::vector<std::string> kAlgorithms{"auto",      "direct",      "coalesced", "combining",
                                           "neighbors", "logarithmic", "ring"};

int content(int rank, int j) { return rank * 1009 + j; }

std::vector<int> block_of(int rank, int count) {
  std::vector<int> block;
  for (int j = 0; j < count; ++j) block.push_back(content(rank, j));
  return block;
}

std::vector<Neighborhood> neighborhoods(int d) {
  std::vector<Neighborhood> all{moore(d, 1), box(d, 4, -1), Neighborhood(d)};
  if (d == 3) all.push_back({{-1, -1, -1}, {-1, 0, 0}});  // where the authors' own library is wrong
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

TEST(CartAllgather, RegularInEveryForm) {
  for_each([](CartComm& comm, const std::string& what) {
    const std::vector<int> sources = comm.sources();
    for (const int count : {1, 2000}) {
      const std::vector<int> send = block_of(comm.rank(), count);
      std::vector<int> recv(sources.size() * send.size(), kUntouched);
      std::vector<int> expected;
      for (const int source : sources) {
        const std::vector<int> block =
            source == MPI_PROC_NULL ? std::vector<int>(send.size(), kUntouched) : block_of(source, count);
        expected.insert(expected.end(), block.begin(), block.end());
      }
      const auto expect = [&](const char* form) {
        ASSERT_EQ(recv, expected) << what << ", " << form;
        std::ranges::fill(recv, kUntouched);
      };
      comm.allgather(send, recv);
      expect("blocking");
      Request request = comm.iallgather(send, recv);
      request.wait();
      expect("nonblocking");
      Request persistent = comm.allgather_init(send, recv);
      for (int repetition = 0; repetition < 2; ++repetition) {
        persistent.start();
        persistent.wait();
        expect("persistent");
      }
    }
  });
}

/// Each rank sends as many elements as it likes, some none, and where combining is asked for it must be had by _init.
TEST(CartAllgather, SizesOfTheSenders) {
  for_each([](CartComm& comm, const std::string& what) {
    const auto count_of = [](int rank) { return rank == MPI_PROC_NULL ? -3 : rank * 3 % 5; };
    const std::vector<int> sources = comm.sources();
    const std::vector<int> send = block_of(comm.rank(), count_of(comm.rank()));
    std::vector<int> counts;
    std::vector<int> places;
    for (const int source : sources) {
      counts.push_back(count_of(source));
      places.push_back(static_cast<int>(places.size()) * 6 + 1);
    }
    std::vector<int> recv(sources.size() * 6 + 1, kUntouched);
    std::vector<int> expected = recv;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] != MPI_PROC_NULL) std::ranges::copy(block_of(sources[i], counts[i]), &expected[i * 6 + 1]);
    }
    const auto expect = [&](const char* form) {
      ASSERT_EQ(recv, expected) << what << ", " << form;
      std::ranges::fill(recv, kUntouched);
    };
    comm.allgatherv(send, recv, {counts, places});
    expect("blocking");
    comm.iallgatherv(send, recv, {counts, places}).wait();
    expect("nonblocking");
    Request persistent = comm.allgatherv_init(send, recv, {counts, places});
    if (what.starts_with("combining")) {
      ASSERT_TRUE(persistent.algorithm().starts_with("combining"));
    }
    for (int repetition = 0; repetition < 2; ++repetition) {
      persistent.start();
      persistent.wait();
      expect("persistent");
    }
  });
}

/// A datatype for each source: every other block in a column, and what is said of missing ones is not looked at.
TEST(CartAllgather, DatatypesOfTheReceivers) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  for_each_communicator(2, box(2, 4, -1), kAlgorithms, [&](CartComm& comm, const std::string& what) {
    if (::testing::Test::HasFatalFailure()) return;
    const std::vector<int> sources = comm.sources();
    const std::vector<int> send = block_of(comm.rank(), 4);
    const std::size_t t = sources.size();
    std::vector<int> counts;
    std::vector<MPI_Aint> places;
    std::vector<MPI_Datatype> types;
    for (std::size_t i = 0; i < t; ++i) {
      const bool missing = sources[i] == MPI_PROC_NULL;
      counts.push_back(missing ? -1 : i % 2 == 0 ? 4 : 1);
      places.push_back(missing ? -1 : static_cast<MPI_Aint>(i * 12 * sizeof(int)));
      types.push_back(missing ? MPI_DATATYPE_NULL : i % 2 == 0 ? MPI_INT : column);
    }
    std::vector<int> recv(t * 12, kUntouched);
    MPI_Comm_set_errhandler(comm.native(), MPI_ERRORS_RETURN);
    const auto expect = [&](const char* form) {
      std::vector<int> expected(recv.size(), kUntouched);
      for (std::size_t i = 0; i < t; ++i) {
        for (std::size_t j = 0; j < 4 && sources[i] != MPI_PROC_NULL; ++j)
          expected[i * 12 + j * (i % 2 == 0 ? 1 : 3)] = content(sources[i], static_cast<int>(j));
      }
      ASSERT_EQ(recv, expected) << what << ", " << form;
      std::ranges::fill(recv, kUntouched);
    };
    ASSERT_EQ(Rondo_Cart_allgatherw(send.data(), 4, MPI_INT, recv.data(), counts.data(), places.data(), types.data(),
                                    comm.native()),
              MPI_SUCCESS);
    expect("blocking");
    Rondo_Request request = RONDO_REQUEST_NULL;
    ASSERT_EQ(Rondo_Iiso_neighbor_allgatherw(send.data(), 4, MPI_INT, recv.data(), counts.data(), places.data(),
                                             types.data(), comm.native(), &request),
              MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect("nonblocking");
    ASSERT_EQ(Rondo_Cart_allgatherw_init(send.data(), 4, MPI_INT, recv.data(), counts.data(), places.data(),
                                         types.data(), comm.native(), MPI_INFO_NULL, &request),
              MPI_SUCCESS);
    ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect("persistent");
    ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
    std::vector<RecvBlock> blocks;
    for (std::size_t i = 0; i < t; ++i) {
      const bool missing = sources[i] == MPI_PROC_NULL;
      blocks.push_back({missing ? nullptr : &recv[i * 12], counts[i], types[i]});
    }
    const SendBlock own{send.data(), 4, MPI_INT};
    comm.allgatherw(own, blocks);
    expect("blocking, C++");
    comm.iallgatherw(own, blocks).wait();
    expect("nonblocking, C++");
    Request persistent = comm.allgatherw_init(own, blocks);
    for (int repetition = 0; repetition < 2; ++repetition) {
      persistent.start();
      persistent.wait();
      expect("persistent, C++");
    }
  });
  MPI_Type_free(&column);
}

/// Neither what a process sends nor what it receives says how long the blocks are that only pass through it.
TEST(CartAllgather, SizesOfBlocksThatOnlyPassThrough) {
  Options options;
  options.algorithm = rondo::Algorithm::combining;
  CartComm comm(MPI_COMM_WORLD, balanced(2), Neighborhood(2, std::vector{1, 1}), options);
  const int source = comm.sources().front();
  const std::array place{0};
  std::vector<int> recv(40);
  for (const int more : {0, 9, 3, 0}) {
    const auto count_of = [&](int rank) { return rank + 1 + (rank == 0 ? more : 0); };
    const std::vector<int> send = block_of(comm.rank(), count_of(comm.rank()));
    const std::array count{count_of(source)};
    std::ranges::fill(recv, kUntouched);
    std::vector<int> expected = recv;
    std::ranges::copy(block_of(source, count[0]), expected.begin());
    Request request = comm.allgatherv_init(send, recv, {count, place});
    EXPECT_TRUE(request.algorithm().starts_with("combining")) << request.algorithm();
    request.start();
    request.wait();
    EXPECT_EQ(recv, expected) << more << " more elements of rank 0";
  }
}

/// All ranks hear of sizes that do not fit, and none is left waiting.
TEST(CartAllgather, SizesThatDoNotFit) {
  CartComm comm(MPI_COMM_WORLD, balanced(1), moore(1, 1));
  std::vector<int> send(8, comm.rank());
  std::vector<int> recv(16);
  const std::array places{0, 8};
  const auto error_of = [&](auto make) {
    try {
      const Request request = make();
      return MPI_SUCCESS;
    } catch (const Error& error) {
      return error.error_class();
    }
  };
  // Rank 0 expects one element more than everybody sends.
  const std::array counts{comm.rank() == 0 ? 5 : 4, 4};
  const int expected = comm.rank() == 0 ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
  EXPECT_EQ(error_of([&] {
              return comm.allgatherv_init(std::span<const int>(send).first(4), recv, {counts, places});
            }),
            expected);
  if (comm.size() == 1) return;
  // A regular one with two sizes.
  const std::size_t own = comm.rank() == 0 ? 3 : 4;
  EXPECT_EQ(error_of([&] { return comm.allgather_init(std::span<const int>(send).first(own), std::span<int>(recv)); }),
            MPI_ERR_COUNT);
}

}  // namespace
}  // namespace rondo::internal::cart_allgather_test
