// The Cartesian alltoall under mpirun, in all its forms, against the definition.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rondo/rondo.hpp>

#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::cart_alltoall_test {
namespace {

int world_size() {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

std::vector<int> balanced(int d) {
  std::vector<int> sizes(static_cast<std::size_t>(d), 0);
  MPI_Dims_create(world_size(), d, sizes.data());
  return sizes;
}

/// Element j of block i of a rank: different everywhere.
int content(int rank, int i, int j) { return rank * 1000003 + i * 1009 + j; }

struct Variant {
  const char* algorithm;
  const char* schedule;
  const char* messages = "auto";
};
constexpr Variant kVariants[] = {{"auto", "dependencies"},
                                 {"direct", "dependencies"},
                                 {"coalesced", "dependencies"},
                                 {"combining", "dependencies"},
                                 {"neighbors", "dependencies"},
                                 {"logarithmic", "dependencies"},
                                 {"ring", "dependencies"},
                                 {"direct", "phases"},
                                 {"coalesced", "phases"},
                                 {"combining", "phases"},
                                 {"direct", "dependencies", "datatype"},
                                 {"coalesced", "dependencies", "datatype"},
                                 {"combining", "dependencies", "datatype"},
                                 {"combining", "dependencies", "staged"}};

Options options(const Variant& variant) {
  Options result;
  result.algorithm = algorithm_from(variant.algorithm);
  result.schedule = ordering_from(variant.schedule);
  result.messages = message_form_from(variant.messages);
  return result;
}

/// A torus whose neighborhoods share its communicator, as making one takes MPICH long where ranks share cores.
CartComm torus_of(const std::vector<int>& sizes) {
  return {MPI_COMM_WORLD, sizes, Neighborhood(static_cast<int>(sizes.size()))};
}

/// Buffers of an alltoall of t blocks of m ints.
struct Buffers {
  Buffers(const CartComm& given, int count)
      : torus(given),
        t(torus.neighbor_count()),
        m(count),
        sources(torus.sources()),
        send(static_cast<std::size_t>(t * m)),
        expected(send.size()),
        recv(send.size()) {
    for (int i = 0; i < t; ++i) {
      for (int j = 0; j < m; ++j) {
        const auto at = static_cast<std::size_t>(i * m + j);
        send[at] = content(torus.rank(), i, j);
        expected[at] = content(sources[static_cast<std::size_t>(i)], i, j);
      }
    }
    clear();
  }
  void clear() { std::ranges::fill(recv, -1); }
  void expect_received(const std::string& what) {
    if (recv != expected) {
      const auto wrong = static_cast<int>(std::ranges::mismatch(recv, expected).in1 - recv.begin());
      FAIL() << what << ", block " << wrong / m << ", element " << wrong % m << ": "
             << recv[static_cast<std::size_t>(wrong)];
    }
    clear();
  }

  const CartComm& torus;
  int t;
  int m;
  std::vector<int> sources;
  std::vector<int> send;
  std::vector<int> expected;
  std::vector<int> recv;
};

TEST(CartAlltoall, EveryFormAndAlgorithm) {
  constexpr std::array kCounts{1, 300, 3000};
  std::size_t turn = 0;
  for (int d = 1; d <= 3; ++d) {
    const CartComm all = torus_of(balanced(d));
    for (const Neighborhood& hood : {moore(d, 1), box(d, 4, -1), von_neumann(d, 2), Neighborhood(d)}) {
      for (const Variant& variant : kVariants) {
        CartComm torus = all.with_neighborhood(hood, options(variant));
        ++turn;
        for (const int m : kCounts) {
          // Below a scale of 1 they take turns: 14 variants are no multiple of three, so that each has all of them.
          if (test_scale() < 1 && m != kCounts[turn % kCounts.size()]) continue;
          const std::string what = std::string(variant.algorithm) + " " + variant.schedule + " " + variant.messages +
                                   ", d " + std::to_string(d) + ", t " + std::to_string(hood.size()) + ", m " +
                                   std::to_string(m);
          Buffers buffers(torus, m);
          torus.alltoall(buffers.send, buffers.recv, m);
          buffers.expect_received(what + ", blocking");
          Request request = torus.ialltoall(buffers.send, buffers.recv, m);
          request.wait();
          EXPECT_TRUE(request.null());
          buffers.expect_received(what + ", nonblocking");
          Request persistent = torus.alltoall_init(buffers.send, buffers.recv, m);
          for (int repetition = 0; repetition < 3; ++repetition) {
            persistent.start();
            while (!persistent.test()) {
            }
            buffers.expect_received(what + ", persistent");
          }
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(CartAlltoall, DimensionsOfSizeOneAndTwo) {
  // Where the nonblocking neighborhood collectives of Open MPI 4.1 and MPICH 4.0 deliver wrong data.
  std::vector<int> sizes{world_size(), 1};
  if (world_size() % 2 == 0) sizes = {world_size() / 2, 2, 1};
  const int d = static_cast<int>(sizes.size());
  const CartComm all = torus_of(sizes);
  for (const Variant& variant : kVariants) {
    CartComm torus = all.with_neighborhood(von_neumann(d, 1), options(variant));
    Buffers buffers(torus, 5);
    Request request = torus.ialltoall(buffers.send, buffers.recv, 5);
    request.wait();
    buffers.expect_received(variant.algorithm);
    if (HasFatalFailure()) return;
  }
}

TEST(CartAlltoall, BlocksOfDifferentSizes) {
  const Neighborhood hood = box(2, 3, -1);
  const CartComm all = torus_of(balanced(2));
  for (const Variant& variant : kVariants) {
    CartComm torus = all.with_neighborhood(hood, options(variant));
    const int t = hood.size();
    const auto sources = torus.sources();
    // With `own` the sizes also differ from rank to rank, which is MPI's to allow.
    for (const bool own : {false, true}) {
      const auto count = [&](int rank, int i) { return (i * 7) % 5 * 40 + (own ? (rank * 13 + i) % 3 : 0); };
      std::vector<int> send_counts, send_places, recv_counts, recv_places;
      int send_size = 0;
      int recv_size = 0;
      for (int i = 0; i < t; ++i) {
        send_counts.push_back(count(torus.rank(), i));
        recv_counts.push_back(count(sources[static_cast<std::size_t>(i)], i));
        send_places.push_back(send_size + 1);
        recv_places.push_back(recv_size + 2);
        send_size += send_counts.back() + 1;
        recv_size += recv_counts.back() + 2;
      }
      std::vector<int> send(static_cast<std::size_t>(send_size + 1));
      std::vector<int> expected(static_cast<std::size_t>(recv_size + 2), -1);
      for (std::size_t i = 0; i < static_cast<std::size_t>(t); ++i) {
        for (int j = 0; j < send_counts[i]; ++j) {
          send[static_cast<std::size_t>(send_places[i] + j)] = content(torus.rank(), static_cast<int>(i), j);
        }
        for (int j = 0; j < recv_counts[i]; ++j) {
          expected[static_cast<std::size_t>(recv_places[i] + j)] = content(sources[i], static_cast<int>(i), j);
        }
      }
      std::vector<int> recv(expected.size(), -1);
      torus.alltoallv(send, {send_counts, send_places}, recv, {recv_counts, recv_places});
      EXPECT_EQ(recv, expected) << variant.algorithm << " blocking";
      std::ranges::fill(recv, -1);
      torus.ialltoallv(send, {send_counts, send_places}, recv, {recv_counts, recv_places}).wait();
      EXPECT_EQ(recv, expected) << variant.algorithm << " nonblocking";
      Request request = torus.alltoallv_init(send, {send_counts, send_places}, recv, {recv_counts, recv_places});
      for (int repetition = 0; repetition < 2; ++repetition) {
        std::ranges::fill(recv, -1);
        request.start();
        request.wait();
        EXPECT_EQ(recv, expected) << variant.algorithm << " persistent";
      }
      if (!own && std::string(variant.algorithm) == "combining") {
        EXPECT_EQ(request.algorithm(), "combining") << "the ranks agree on the sizes";
      }
    }
  }
}

/// A halo of depth 1 in one array: rows, columns and corners, sent and received in place (the paper's listing 3).
TEST(CartAlltoall, HaloInOneArray) {
  constexpr int kRows = 6;
  constexpr int kColumns = 9;
  const std::vector<int> sizes = balanced(2);
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(kColumns, MPI_DOUBLE, &row);
  MPI_Type_vector(kRows, 1, kColumns + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&row);
  MPI_Type_commit(&column);
  const CartComm all = torus_of(sizes);
  for (const Variant& variant : kVariants) {
    CartComm torus = all.with_neighborhood(moore(2, 1), options(variant));
    const auto place = torus.coordinates();
    const auto global = [&](int i, int j) {
      const int rows = kRows * sizes[0];
      const int columns = kColumns * sizes[1];
      const int row_of = (place[0] * kRows + i - 1 + rows) % rows;
      return row_of * columns + (place[1] * kColumns + j - 1 + columns) % columns;
    };
    std::vector<double> grid(static_cast<std::size_t>((kRows + 2) * (kColumns + 2)), -1);
    const auto at = [&](int i, int j) -> double& { return grid[static_cast<std::size_t>(i * (kColumns + 2) + j)]; };
    std::vector<SendBlock> send;
    std::vector<RecvBlock> recv;
    for (int a = -1; a <= 1; ++a) {
      for (int b = -1; b <= 1; ++b) {
        if (a == 0 && b == 0) continue;
        const MPI_Datatype type = a == 0 ? column : b == 0 ? row : MPI_DOUBLE;
        // Towards (a, b) goes the edge there; from the process at -(a, b) comes the halo there.
        send.push_back({&at(a > 0 ? kRows : 1, b > 0 ? kColumns : 1), 1, type});
        recv.push_back({&at(a > 0 ? 0 : a < 0 ? kRows + 1 : 1, b > 0 ? 0 : b < 0 ? kColumns + 1 : 1), 1, type});
      }
    }
    const auto fill_and_check = [&](const char* form, auto exchange) {
      std::ranges::fill(grid, -1);
      for (int i = 1; i <= kRows; ++i) {
        for (int j = 1; j <= kColumns; ++j) at(i, j) = global(i, j);
      }
      exchange();
      for (int i = 0; i < kRows + 2; ++i) {
        for (int j = 0; j < kColumns + 2; ++j) {
          ASSERT_EQ(at(i, j), global(i, j)) << variant.algorithm << " " << form << " at " << i << ", " << j;
        }
      }
    };
    fill_and_check("blocking", [&] { torus.alltoallw(send, recv); });
    fill_and_check("nonblocking", [&] { torus.ialltoallw(send, recv).wait(); });
    Request halo = torus.alltoallw_init(send, recv);
    for (int step = 0; step < 3; ++step) {
      fill_and_check("persistent", [&] {
        halo.start();
        halo.wait();
      });
    }
    if (HasFatalFailure()) return;
  }
  MPI_Type_free(&row);
  MPI_Type_free(&column);
}

/// Calls with other buffers share a pooled operation, whose messages have addresses in them: they are bound anew.
TEST(CartAlltoall, DatatypesFollowTheBuffers) {
  for (int d = 1; d <= 2; ++d) {
    CartComm torus(MPI_COMM_WORLD, balanced(d), box(d, 4, -1), options({"combining", "dependencies", "datatype"}));
    std::vector<Buffers> buffers;
    buffers.reserve(2);
    for (int k = 0; k < 2; ++k) buffers.emplace_back(torus, 30);
    for (int& value : buffers[1].send) value += 7;
    const auto expect_received = [&](std::size_t k) {
      EXPECT_EQ(buffers[1 - k].recv, std::vector<int>(buffers[1 - k].recv.size(), -1)) << "the other buffer";
      for (int& value : buffers[k].recv) value -= k == 1 ? 7 : 0;
      buffers[k].expect_received("buffers " + std::to_string(k));
    };
    for (int repetition = 0; repetition < 6; ++repetition) {
      const auto k = static_cast<std::size_t>(repetition % 2);
      torus.ialltoall(buffers[k].send, buffers[k].recv, 30).wait();
      expect_received(k);
      torus.alltoall(buffers[1 - k].send, buffers[1 - k].recv, 30);
      expect_received(1 - k);
      // One of the buffers stays.
      torus.ialltoall(buffers[1 - k].send, buffers[k].recv, 30).wait();
      for (int& value : buffers[k].recv) value += k == 1 ? 7 : -7;
      expect_received(k);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CartAlltoall, DatatypesMayBeFreedAtOnce) {
  for (const char* algorithm : {"direct", "combining"}) {
    for (const char* messages : {"auto", "staged", "datatype"}) {
      CartComm torus(MPI_COMM_WORLD, balanced(1), box(1, 5, -2), options({algorithm, "dependencies", messages}));
      const auto sources = torus.sources();
      MPI_Datatype pair = MPI_DATATYPE_NULL;
      MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
      MPI_Type_commit(&pair);
      const auto t = sources.size();
      std::vector<int> send(4 * t);
      std::vector<int> recv(4 * t, -1);
      std::vector<int> expected(4 * t);
      std::vector<SendBlock> out;
      std::vector<RecvBlock> in;
      std::vector<RecvBlock> in_between;
      for (std::size_t i = 0; i < t; ++i) {
        const auto block = static_cast<int>(i);
        for (std::size_t k = 0; k < 2; ++k) {
          send[4 * i + 2 * k] = content(torus.rank(), block, static_cast<int>(k));
          expected[4 * i + 2 * k] = expected[4 * i + 2 * k + 1] = content(sources[i], block, static_cast<int>(k));
        }
        out.push_back({&send[4 * i], 1, pair});
        in.push_back({&recv[4 * i], 1, pair});
        in_between.push_back({&recv[4 * i + 1], 1, pair});
      }
      Request persistent = torus.alltoallw_init(out, in);
      Request once = torus.ialltoallw(out, in_between);
      MPI_Type_free(&pair);
      persistent.start();
      once.wait();
      persistent.wait();
      EXPECT_EQ(recv, expected) << algorithm << " " << messages;
    }
  }
}

TEST(CartAlltoall, ManyInFlightStartedInAnyOrder) {
  CartComm torus(MPI_COMM_WORLD, balanced(2), box(2, 3, -1), options({"combining", "dependencies"}));
  constexpr int kOperations = 12;
  std::vector<Buffers> buffers;
  buffers.reserve(kOperations);
  std::vector<Request> requests;
  for (int k = 0; k < kOperations; ++k) {
    buffers.emplace_back(torus, 10 + k);
    requests.push_back(torus.alltoall_init(buffers.back().send, buffers.back().recv, 10 + k));
  }
  std::vector<std::size_t> order(kOperations);
  std::iota(order.begin(), order.end(), 0U);
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::mt19937 random(static_cast<unsigned>(repetition * 100 + torus.rank()));  // a different order on each rank
    std::ranges::shuffle(order, random);
    for (const std::size_t k : order) requests[k].start();
    std::ranges::shuffle(order, random);
    for (const std::size_t k : order) requests[k].wait();
    for (int k = 0; k < kOperations; ++k)
      buffers[static_cast<std::size_t>(k)].expect_received("operation " + std::to_string(k));
    if (HasFatalFailure()) return;
  }
  // Nonblocking ones with the same arguments share a schedule, not buffers or tags.
  std::vector<Buffers> same;
  same.reserve(kOperations);
  std::vector<Request> started;
  for (int k = 0; k < kOperations; ++k) {
    same.emplace_back(torus, 7);
    for (int& value : same.back().send) value += k * 5;
    started.push_back(torus.ialltoall(same.back().send, same.back().recv, 7));
  }
  std::mt19937 random(static_cast<unsigned>(torus.rank()));
  std::ranges::shuffle(order, random);
  for (const std::size_t k : order) started[k].wait();
  for (int k = 0; k < kOperations; ++k) {
    for (int& value : same[static_cast<std::size_t>(k)].recv) value -= k * 5;
    same[static_cast<std::size_t>(k)].expect_received("nonblocking operation " + std::to_string(k));
  }
}

TEST(CartAlltoall, UsersMessagesNeverMeetOurs) {
  CartComm torus(MPI_COMM_WORLD, balanced(1), moore(1, 1));
  Buffers buffers(torus, 4);
  const int p = torus.size();
  const int to = (torus.rank() + 1) % p;
  int sent = 4711 + torus.rank();
  int received = -1;
  MPI_Request mine = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, torus.native(), &mine);
  Request ours = torus.ialltoall(buffers.send, buffers.recv, 4);
  ours.wait();
  buffers.expect_received("beside a wildcard receive");
  MPI_Send(&sent, 1, MPI_INT, to, 0, torus.native());
  MPI_Wait(&mine, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, 4711 + (torus.rank() + p - 1) % p);
}

TEST(CartAlltoall, LargeBlocks) {
  CartComm torus(MPI_COMM_WORLD, balanced(1), moore(1, 1));
  Buffers buffers(torus, 400000);
  torus.alltoall(buffers.send, buffers.recv, 400000);
  buffers.expect_received("1.6 MB blocks");
}

/// Counts whose bytes pass 2^31: one rank sends to itself and to its neighbor, 2.2 GB in one block.
/// An array of more elements than there is memory for: its first, middle and last piece are its own, all others are one
/// piece of memory over and over.
class LargeArray {
 public:
  explicit LargeArray(std::size_t elements) : pieces_(elements * sizeof(double) / kPiece + 1) {
    auto* base = static_cast<std::byte*>(
        mmap(nullptr, pieces_ * kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    const int shared = memfd_create("rondo-test", 0);
    EXPECT_EQ(ftruncate(shared, kPiece), 0);
    const std::size_t middle = elements / 2 * sizeof(double) / kPiece;
    for (std::size_t piece = 1; piece + 1 < pieces_; ++piece) {
      if (piece == middle) continue;
      EXPECT_NE(mmap(base + piece * kPiece, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared, 0),
                MAP_FAILED);
    }
    close(shared);
    elements_ = {reinterpret_cast<double*>(base), elements};
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() { munmap(elements_.data(), pieces_ * kPiece); }
  [[nodiscard]] std::span<double> elements() const { return elements_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{8} << 20U;
  std::size_t pieces_;
  std::span<double> elements_;
};

TEST(CartAlltoall, BlocksOfMoreThanTwoGigabytes) {
  if (world_size() != 2 || test_scale() < 0.2) GTEST_SKIP() << "takes seconds, and memory: once is enough";
  CartComm torus(MPI_COMM_WORLD, balanced(1), Neighborhood{{1}}, options({"coalesced", "dependencies"}));
  constexpr int kCount = 280000000;
  const LargeArray sent(kCount);
  const LargeArray received(kCount);
  const std::span<double> send = sent.elements();
  const std::span<double> recv = received.elements();
  send.front() = torus.rank() + 0.5;
  send[kCount / 2] = torus.rank() + 0.25;
  send.back() = 1000.0 + torus.rank();
  torus.alltoall(send, recv, kCount);
  const int source = torus.sources().front();
  EXPECT_EQ(recv.front(), source + 0.5);
  EXPECT_EQ(recv[kCount / 2], source + 0.25);
  EXPECT_EQ(recv.back(), 1000.0 + source);
}

}  // namespace
}  // namespace rondo::internal::cart_alltoall_test
