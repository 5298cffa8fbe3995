// Alltoall on meshes under mpirun: every mix of periodic and other dimensions, in all forms, against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace rondo::internal::cart_mesh_test {
namespace {

const std::vector<std::string> kAlgorithms{"auto", "direct", "coalesced", "combining", "logarithmic", "ring"};
constexpr int kUntouched = -77;
int content(int rank, int i, int j) { return rank * 1000003 + i * 1009 + j; }

/// Block i has its own size, at its own place, with a gap behind it.
struct Irregular {
  explicit Irregular(int t) {
    for (int i = 0; i < t; ++i) {
      counts.push_back(i * 7 % 5 + (i % 3 == 0 ? 0 : 1));
      displacements.push_back(size);
      size += counts.back() + 1;
    }
  }
  std::vector<int> counts;
  std::vector<int> displacements;
  int size = 0;
};

TEST(CartMesh, RegularBlocksInEveryForm) {
  constexpr int kCount = 3;
  for (int d = 1; d <= 3; ++d) {
    for_each_grid(d, {box(d, 3, -1)}, kAlgorithms, [&](CartComm& comm, const std::string& what) {
      if (::testing::Test::HasFatalFailure()) return;
      const int t = comm.neighbor_count();
      const std::vector<int> sources = comm.sources();
      std::vector<int> send(static_cast<std::size_t>(t * kCount));
      for (int i = 0; i < t * kCount; ++i)
        send[static_cast<std::size_t>(i)] = content(comm.rank(), i / kCount, i % kCount);
      std::vector<int> recv(send.size());
      const auto expect = [&](const char* form) {
        for (int i = 0; i < t * kCount; ++i) {
          const int source = sources[static_cast<std::size_t>(i / kCount)];
          ASSERT_EQ(recv[static_cast<std::size_t>(i)],
                    source == MPI_PROC_NULL ? kUntouched : content(source, i / kCount, i % kCount))
              << what << ", " << form << ", element " << i;
        }
        std::ranges::fill(recv, kUntouched);
      };
      std::ranges::fill(recv, kUntouched);
      comm.alltoall(send, recv, kCount);
      expect("blocking");
      Request request = comm.ialltoall(send, recv, kCount);
      request.wait();
      expect("nonblocking");
      Request persistent = comm.alltoall_init(send, recv, kCount);
      for (int repetition = 0; repetition < 2; ++repetition) {
        persistent.start();
        persistent.wait();
        expect("persistent");
      }
    });
  }
}

TEST(CartMesh, IrregularBlocksAndArgumentsThatDoNotCount) {
  for_each_communicator(
      2, moore(2, 1), {"auto", "direct", "coalesced", "combining"}, [&](const CartComm& comm, const std::string& what) {
        if (::testing::Test::HasFatalFailure()) return;
        const int t = comm.neighbor_count();
        const std::vector<int> sources = comm.sources();
        const std::vector<int> targets = comm.targets();
        const Irregular blocks(t);
        std::vector<int> send(static_cast<std::size_t>(blocks.size), kUntouched);
        std::vector<int> recv(static_cast<std::size_t>(blocks.size), kUntouched);
        for (int i = 0; i < t; ++i) {
          const auto index = static_cast<std::size_t>(i);
          for (int j = 0; j < blocks.counts[index]; ++j)
            send[static_cast<std::size_t>(blocks.displacements[index] + j)] = content(comm.rank(), i, j);
        }
        // What is said of missing neighbors is not looked at.
        const auto arguments = [&](const std::vector<int>& neighbors) {
          struct {
            std::vector<int> counts;
            std::vector<MPI_Aint> places;
            std::vector<MPI_Datatype> types;
          } made;
          for (int i = 0; i < t; ++i) {
            const auto index = static_cast<std::size_t>(i);
            const bool missing = neighbors[index] == MPI_PROC_NULL;
            made.counts.push_back(missing ? -5 : blocks.counts[index]);
            made.places.push_back(missing ? MPI_Aint{1} << 40 : blocks.displacements[index] * MPI_Aint{sizeof(int)});
            made.types.push_back(missing ? MPI_DATATYPE_NULL : MPI_INT);
          }
          return made;
        };
        const auto sent = arguments(targets);
        const auto received = arguments(sources);
        const auto expect = [&](const char* form) {
          std::vector<int> expected(recv.size(), kUntouched);
          for (int i = 0; i < t; ++i) {
            const auto index = static_cast<std::size_t>(i);
            if (sources[index] == MPI_PROC_NULL) continue;
            for (int j = 0; j < blocks.counts[index]; ++j)
              expected[static_cast<std::size_t>(blocks.displacements[index] + j)] = content(sources[index], i, j);
          }
          ASSERT_EQ(recv, expected) << what << ", " << form;
          std::ranges::fill(recv, kUntouched);
        };
        MPI_Comm_set_errhandler(comm.native(), MPI_ERRORS_RETURN);
        ASSERT_EQ(
            Rondo_Cart_alltoallw(send.data(), sent.counts.data(), sent.places.data(), sent.types.data(), recv.data(),
                                 received.counts.data(), received.places.data(), received.types.data(), comm.native()),
            MPI_SUCCESS);
        expect("blocking");
        Rondo_Request request = RONDO_REQUEST_NULL;
        ASSERT_EQ(
            Rondo_Iso_neighbor_alltoallw_init(send.data(), sent.counts.data(), sent.places.data(), sent.types.data(),
                                              recv.data(), received.counts.data(), received.places.data(),
                                              received.types.data(), comm.native(), MPI_INFO_NULL, &request),
            MPI_SUCCESS);
        for (int repetition = 0; repetition < 2; ++repetition) {
          ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
          ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
          expect("persistent");
        }
        ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
      });
}

/// As an application writes it: missing neighbors have blocks too, as long as they are elsewhere.
TEST(CartMesh, FacesAndCornersOfSeveralSizes) {
  const Neighborhood hood = moore(2, 1);
  std::vector<int> counts;
  std::vector<int> places;
  int size = 0;
  for (int i = 0; i < hood.size(); ++i) {
    counts.push_back(hood[i][0] == 0 ? 5 : hood[i][1] == 0 ? 3 : 1);
    places.push_back(size);
    size += counts.back();
  }
  for_each_grid(2, {hood}, {"auto", "direct", "coalesced", "combining"}, [&](CartComm& comm, const std::string& what) {
    if (::testing::Test::HasFatalFailure()) return;
    const std::vector<int> sources = comm.sources();
    std::vector<int> send;
    std::vector<int> recv(static_cast<std::size_t>(size), kUntouched);
    std::vector<int> expected;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const int source = sources[i];
      for (int j = 0; j < counts[i]; ++j) {
        send.push_back(content(comm.rank(), static_cast<int>(i), j));
        expected.push_back(source == MPI_PROC_NULL ? kUntouched : content(source, static_cast<int>(i), j));
      }
    }
    comm.alltoallv(send, {counts, places}, recv, {counts, places});
    ASSERT_EQ(recv, expected) << what << ", blocking";
    std::ranges::fill(recv, kUntouched);
    Request persistent = comm.alltoallv_init(send, {counts, places}, recv, {counts, places});
    persistent.start();
    persistent.wait();
    ASSERT_EQ(recv, expected) << what << ", persistent";
  });
}

/// Nothing that a process gives says how long the blocks are that only pass through it, in this call and in the next.
TEST(CartMesh, SizesOfBlocksThatOnlyPassThrough) {
  const std::array periods{0, 0};
  Options options;
  options.algorithm = rondo::Algorithm::combining;
  CartComm comm(MPI_COMM_WORLD, balanced(2), periods, Neighborhood(2, std::vector{1, 1}), options);
  const int source = comm.sources().front();
  const std::array place{0};
  const std::vector<int> send(9, comm.rank());
  std::vector<int> recv(9);
  for (const int length : {2, 9, 1, 2}) {
    const std::array count{length};
    std::ranges::fill(recv, kUntouched);
    std::vector<int> expected = recv;
    if (source != MPI_PROC_NULL) std::fill_n(expected.begin(), length, source);
    Request request = comm.alltoallv_init(send, {count, place}, recv, {count, place});
    EXPECT_EQ(request.algorithm(), "combining");
    request.start();
    request.wait();
    EXPECT_EQ(recv, expected) << length << " elements";
  }
}

/// Sizes that differ from rank to rank allow no combining; an _init call finds that out on a mesh too.
TEST(CartMesh, SizesOfTheSenders) {
  const std::array periods{0, 0};
  Options options;
  options.algorithm = rondo::Algorithm::combining;
  CartComm comm(MPI_COMM_WORLD, balanced(2), periods, moore(2, 1), options);
  const auto t = static_cast<std::size_t>(comm.neighbor_count());
  const std::vector<int> sources = comm.sources();
  std::vector<int> send(t * 10, comm.rank());
  std::vector<int> recv(t * 10, kUntouched);
  std::vector<int> sent(t);
  std::vector<int> received(t);
  std::vector<int> places(t);
  for (std::size_t i = 0; i < t; ++i) {
    sent[i] = comm.rank() % 7 + 1;
    received[i] = sources[i] == MPI_PROC_NULL ? 0 : sources[i] % 7 + 1;
    places[i] = static_cast<int>(i) * 10;
  }
  Request request = comm.alltoallv_init(send, {sent, places}, recv, {received, places});
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  if (p > 2) {
    EXPECT_EQ(request.algorithm(), "coalesced-where-it-pays");
  }
  request.start();
  request.wait();
  for (std::size_t i = 0; i < t; ++i) {
    for (int j = 0; j < 10; ++j)
      ASSERT_EQ(recv[i * 10 + static_cast<std::size_t>(j)], j < received[i] ? sources[i] : kUntouched);
  }
}

TEST(CartMesh, ARequestExplainsItself) {
  const std::array periods{0, 1};
  CartComm comm(MPI_COMM_WORLD, balanced(2), periods, moore(2, 1));
  std::vector<int> send(8);
  std::vector<int> recv(8);
  const Request request = comm.alltoall_init(send, recv);
  const std::string whole = explain(request);
  EXPECT_NE(whole.find("\n" + request.algorithm()), std::string::npos) << whole;
  int length = 0;
  ASSERT_EQ(Rondo_Explain(request.native(), 0, nullptr, &length), MPI_SUCCESS);
  EXPECT_EQ(length, static_cast<int>(whole.size()));
  std::vector<char> text(5, 'x');
  ASSERT_EQ(Rondo_Explain(request.native(), 5, text.data(), &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text.data()), whole.substr(0, 4));
}

/// Below the table, which is the same on all ranks, stands what this one sends: less at the edges.
TEST(CartMesh, ARequestExplainsWhatThisRankSends) {
  const std::array periods{0, 0};
  CartComm comm(MPI_COMM_WORLD, balanced(2), periods, moore(2, 1));
  const std::vector<int> targets = comm.targets();
  const auto sent = static_cast<std::int64_t>(targets.size()) - std::ranges::count(targets, MPI_PROC_NULL);
  std::vector<int> send(8 * 5);
  std::vector<int> recv(send.size());
  const std::string explained = comm.alltoall_init(send, recv, 5, {.algorithm = rondo::Algorithm::direct}).explain();
  const std::string numbers = "rounds " + std::to_string(sent) + ", blocks " + std::to_string(sent) + ", bytes " +
                              std::to_string(sent * 5 * static_cast<int>(sizeof(int))) + "\n";
  const std::size_t line = explained.find("\nthis rank: phases ");
  ASSERT_NE(line, std::string::npos) << explained;
  EXPECT_NE(explained.find(numbers, line), std::string::npos) << explained << "without " << numbers;
}

TEST(CartMesh, ARequestDrawsItself) {
  const std::array periods{0, 1};
  CartComm comm(MPI_COMM_WORLD, balanced(2), periods, moore(2, 1));
  std::vector<int> send(8);
  std::vector<int> recv(8);
  const Request request = comm.alltoall_init(send, recv);
  const std::string drawing = to_dot(request);
  EXPECT_TRUE(drawing.starts_with("digraph ")) << drawing;
  EXPECT_NE(drawing.find("(" + request.algorithm() + ")"), std::string::npos) << drawing;
  int length = 0;
  ASSERT_EQ(Rondo_To_dot(request.native(), 0, nullptr, &length), MPI_SUCCESS);
  EXPECT_EQ(length, static_cast<int>(drawing.size()));
  std::vector<char> text(drawing.size() + 1, 'x');
  ASSERT_EQ(Rondo_To_dot(request.native(), static_cast<int>(text.size()), text.data(), &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text.data()), drawing);
  EXPECT_THROW(static_cast<void>(Request().to_dot()), Error) << "null";
}

}  // namespace
}  // namespace rondo::internal::cart_mesh_test
