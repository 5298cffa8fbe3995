// The dense alltoall under mpirun, in all its forms, against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/dense_alltoall/algorithms.hpp"
#include "tests/support/bad_input.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace rondo::internal::dense_alltoall_test {
namespace {

/// Element k of the block from one rank to another: different everywhere.
int content(int source, int target, int k) { return source * 1000003 + target * 1009 + k; }

/// Buffers of blocks of ints with gaps between them; `count(source, target)` elements each.
struct Buffers {
  using Count = std::function<int(int, int)>;
  explicit Buffers(Count given) : count(std::move(given)) {
    int send_end = 1;
    int recv_end = 2;
    for (int j = 0; j < p; ++j) {
      send_counts.push_back(count(rank, j));
      send_places.push_back(send_end);
      send_end += send_counts.back() + j % 3;
      recv_counts.push_back(count(j, rank));
      recv_places.push_back(recv_end);
      recv_end += recv_counts.back() + (j + 1) % 2;
    }
    send.assign(static_cast<std::size_t>(send_end), -7);
    recv.assign(static_cast<std::size_t>(recv_end), -1);
    for (int j = 0; j < p; ++j) {
      for (int k = 0; k < send_counts[at(j)]; ++k) send[at(send_places[at(j)] + k)] = content(rank, j, k);
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// In place: the blocks to send are where they will be received.
  void fill_in_place() {
    for (int j = 0; j < p; ++j) {
      for (int k = 0; k < recv_counts[at(j)]; ++k) recv[at(recv_places[at(j)] + k)] = content(rank, j, k);
    }
  }
  /// Every element of the receive buffer, those between the blocks too.
  void expect_received(const std::string& what) {
    std::vector<int> expected(recv.size(), -1);
    for (int j = 0; j < p; ++j) {
      for (int k = 0; k < recv_counts[at(j)]; ++k) expected[at(recv_places[at(j)] + k)] = content(j, rank, k);
    }
    ASSERT_EQ(recv, expected) << what << " on rank " << rank << " of " << p;
    std::ranges::fill(recv, -1);
  }
  [[nodiscard]] BlockPlaces sent() const { return {send_counts, send_places}; }
  [[nodiscard]] BlockPlaces received() const { return {recv_counts, recv_places}; }

  int rank = world_rank();
  int p = world_size();
  Count count;
  std::vector<int> send_counts, send_places, recv_counts, recv_places;
  std::vector<int> send, recv;
};

std::vector<std::string> algorithms() {
  std::vector<std::string> names{"auto"};
  for (const dense::Algorithm& row : dense::registry().algorithms) names.emplace_back(row.name);
  return names;
}

TEST(DenseAlltoall, RegularInEveryFormAndAlgorithm) {
  const int p = world_size();
  const int rank = world_rank();
  for (const std::string& algorithm : algorithms()) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    Comm comm(MPI_COMM_WORLD, options);
    for (const int m : {1, 300, 5000}) {
      const std::string what = algorithm + ", m " + std::to_string(m);
      const auto size = static_cast<std::size_t>(p * m);
      std::vector<int> send(size);
      std::vector<int> expected(size);
      for (int j = 0; j < p; ++j) {
        for (int k = 0; k < m; ++k) {
          send[static_cast<std::size_t>(j * m + k)] = content(rank, j, k);
          expected[static_cast<std::size_t>(j * m + k)] = content(j, rank, k);
        }
      }
      std::vector<int> recv(size, -1);
      comm.alltoall(send, recv, m);
      ASSERT_EQ(recv, expected) << what << ", blocking";
      std::ranges::fill(recv, -1);
      Request request = comm.ialltoall(send, recv, m);
      request.wait();
      ASSERT_EQ(recv, expected) << what << ", nonblocking";
      recv = send;
      comm.alltoall(in_place, recv, m);
      ASSERT_EQ(recv, expected) << what << ", in place";
      Request persistent = comm.alltoall_init(send, recv, m);
      Request persistent_in_place = comm.alltoall_init(in_place, recv, m);
      for (int repetition = 0; repetition < 3; ++repetition) {
        std::ranges::fill(recv, -1);
        persistent.start();
        while (!persistent.test()) {
        }
        ASSERT_EQ(recv, expected) << what << ", persistent";
        recv = send;
        persistent_in_place.start();
        persistent_in_place.wait();
        ASSERT_EQ(recv, expected) << what << ", persistent in place";
      }
    }
  }
}

TEST(DenseAlltoall, IrregularInEveryFormAndAlgorithm) {
  for (const std::string& algorithm : algorithms()) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    Comm comm(MPI_COMM_WORLD, options);
    const std::vector<Buffers::Count> counts{
        [](int source, int target) { return (source + target) % 3 * 40; },      // some empty
        [](int source, int target) { return 1000 + (source * target) % 500; },  // regular enough for Bruck
        [](int source, int target) { return source == target ? 0 : 30000; }};
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const std::string what = algorithm + ", counts " + std::to_string(c);
      Buffers buffers(counts[c]);
      const std::span<const int> send(buffers.send);
      const std::span<int> recv(buffers.recv);
      comm.alltoallv(send, buffers.sent(), recv, buffers.received());
      buffers.expect_received(what + ", blocking");
      Request request = comm.ialltoallv(send, buffers.sent(), recv, buffers.received());
      request.wait();
      buffers.expect_received(what + ", nonblocking");
      Request persistent = comm.alltoallv_init(send, buffers.sent(), recv, buffers.received());
      for (int repetition = 0; repetition < 2; ++repetition) {
        persistent.start();
        persistent.wait();
        buffers.expect_received(what + ", persistent");
      }
      buffers.fill_in_place();
      comm.alltoallv(in_place, recv, buffers.received());
      buffers.expect_received(what + ", in place");
      if (HasFatalFailure()) return;
    }
  }
}

/// Section 3.5 of the zero-copy Bruck paper: sizes are exchanged in _init, anew for each, as those of blocks that pass
/// through a process are not to be seen in its own arguments.
TEST(DenseAlltoall, IrregularBruckRunsWhereSizesDifferLittle) {
  const auto one_way = [](int source, int target) { return 100 + (source == 2 && target == 3 ? 50 : 0); };
  const auto other_way = [](int source, int target) { return 100 + (source == 3 && target == 2 ? 50 : 0); };
  const auto both_ways = [](int source, int target) { return 300 + (source + target) * (source + target) % 101; };
  const auto wild = [](int source, int target) { return source == target ? 1000 : 10; };
  for (const std::string algorithm : {"bruck", "irregular-bruck"}) {
    for (const int radix : {0, 3}) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      options.dense.radix = radix;
      Comm comm(MPI_COMM_WORLD, options);
      const auto shows = [&](const Request& request) {
        return request.explain().find('\n' + algorithm) != std::string::npos;
      };
      const auto run = [&](const Buffers::Count& count, bool in_place_too, bool applies) {
        Buffers buffers(count);
        const std::span<int> recv(buffers.recv);
        Request persistent =
            comm.alltoallv_init(std::span<const int>(buffers.send), buffers.sent(), recv, buffers.received());
        EXPECT_EQ(shows(persistent), applies) << persistent.explain();
        for (int repetition = 0; repetition < 3; ++repetition) {
          persistent.start();
          persistent.wait();
          buffers.expect_received(algorithm);
        }
        if (!in_place_too) return;
        Request in_one_buffer = comm.alltoallv_init(in_place, recv, buffers.received());
        EXPECT_EQ(shows(in_one_buffer), applies) << in_one_buffer.explain();
        for (int repetition = 0; repetition < 3; ++repetition) {
          buffers.fill_in_place();
          in_one_buffer.start();
          in_one_buffer.wait();
          buffers.expect_received(algorithm + ", in place");
        }
      };
      run(one_way, false, true);
      run(other_way, false, true);
      run(one_way, false, true);
      run(both_ways, true, true);
      run(wild, true, world_size() == 1);
      if (HasFailure()) return;
    }
  }
}

/// Blocks of ints sent as such and received as every second int, or the other way round.
TEST(DenseAlltoall, BlocksOfAnyDatatype) {
  const int p = world_size();
  const int rank = world_rank();
  constexpr int kCount = 100;
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  const auto odd = [](int source, int target) { return (source + target) % 2 == 1; };
  for (const std::string& algorithm : algorithms()) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    Comm comm(MPI_COMM_WORLD, options);
    std::vector<std::vector<int>> send(static_cast<std::size_t>(p), std::vector<int>(2 * kCount, -5));
    std::vector<std::vector<int>> recv(static_cast<std::size_t>(p), std::vector<int>(2 * kCount, -1));
    std::vector<std::vector<int>> expected = recv;
    std::vector<SendBlock> from;
    std::vector<RecvBlock> to;
    for (int j = 0; j < p; ++j) {
      const auto at = static_cast<std::size_t>(j);
      for (int k = 0; k < kCount; ++k) {
        send[at][static_cast<std::size_t>(odd(rank, j) ? 2 * k : k)] = content(rank, j, k);
        expected[at][static_cast<std::size_t>(odd(rank, j) ? k : 2 * k)] = content(j, rank, k);
      }
      from.push_back({send[at].data(), odd(rank, j) ? 1 : kCount, odd(rank, j) ? strided : MPI_INT});
      to.push_back({recv[at].data(), odd(rank, j) ? kCount : 1, odd(rank, j) ? MPI_INT : strided});
    }
    comm.alltoallw(from, to);
    ASSERT_EQ(recv, expected) << algorithm;
    for (auto& block : recv) std::ranges::fill(block, -1);
    Request persistent = comm.alltoallw_init(from, to);
    persistent.start();
    persistent.wait();
    ASSERT_EQ(recv, expected) << algorithm << ", persistent";
  }
  MPI_Type_free(&strided);
}

/// The very first call on a communicator may be a nonblocking one, and must not wait for a rank that is not there yet.
TEST(DenseAlltoall, TheFirstCallMayBeNonblocking) {
  const int p = world_size();
  const int rank = world_rank();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<int> send(static_cast<std::size_t>(p));
  for (int j = 0; j < p; ++j) send[static_cast<std::size_t>(j)] = content(rank, j, 0);
  std::vector<std::vector<int>> recv(2, std::vector<int>(static_cast<std::size_t>(p), -1));
  int token = 0;
  if (rank != 0) MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Rondo_Request requests[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, recv[static_cast<std::size_t>(i)].data(), 1, MPI_INT, comm,
                              &requests[i]),
              MPI_SUCCESS);
  }
  if (rank == 0) {
    for (int j = 1; j < p; ++j) MPI_Send(&token, 1, MPI_INT, j, 0, MPI_COMM_WORLD);
  }
  ASSERT_EQ(Rondo_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (const auto& received : recv) {
    for (int j = 0; j < p; ++j) EXPECT_EQ(received[static_cast<std::size_t>(j)], content(j, rank, 0));
  }
  // And then any other.
  std::ranges::fill(recv[0], -1);
  ASSERT_EQ(Rondo_Alltoall(send.data(), 1, MPI_INT, recv[0].data(), 1, MPI_INT, comm), MPI_SUCCESS);
  EXPECT_EQ(recv[0], recv[1]);
  MPI_Comm_free(&comm);
}

/// A blocking call while the duplicate of a nonblocking one is still on its way; and requests of all forms at once.
TEST(DenseAlltoall, AnyFormsAtOnce) {
  const int p = world_size();
  const int rank = world_rank();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);  // other ranks than in MPI_COMM_WORLD
  int own = 0;
  MPI_Comm_rank(comm, &own);
  std::vector<int> send(static_cast<std::size_t>(p));
  std::vector<int> expected(static_cast<std::size_t>(p));
  for (int j = 0; j < p; ++j) {
    send[static_cast<std::size_t>(j)] = content(own, j, 0);
    expected[static_cast<std::size_t>(j)] = content(j, own, 0);
  }
  std::vector<std::vector<int>> recv(4, std::vector<int>(static_cast<std::size_t>(p), -1));
  Rondo_Request first = RONDO_REQUEST_NULL;
  Rondo_Request persistent = RONDO_REQUEST_NULL;
  Rondo_Request last = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, recv[0].data(), 1, MPI_INT, comm, &first), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Alltoall_init(send.data(), 1, MPI_INT, recv[1].data(), 1, MPI_INT, comm, MPI_INFO_NULL, &persistent),
            MPI_SUCCESS);
  ASSERT_EQ(Rondo_Start(&persistent), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Alltoall(send.data(), 1, MPI_INT, recv[2].data(), 1, MPI_INT, comm), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, recv[3].data(), 1, MPI_INT, comm, &last), MPI_SUCCESS);
  for (Rondo_Request* request : {&last, &persistent, &first})
    ASSERT_EQ(Rondo_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (const auto& received : recv) EXPECT_EQ(received, expected);
  ASSERT_EQ(Rondo_Request_free(&persistent), MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

/// MPI_Alltoallw's displacements are ints, in bytes.
TEST(DenseAlltoall, CInterfaceOfAlltoallvAndW) {
  Buffers buffers([](int source, int target) { return source + 2 * target; });
  std::vector<int> send_bytes = buffers.send_places;
  std::vector<int> recv_bytes = buffers.recv_places;
  for (int& place : send_bytes) place *= 4;
  for (int& place : recv_bytes) place *= 4;
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(buffers.p), MPI_INT);
  const auto wait = [](Rondo_Request request) {
    EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return request;
  };
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Alltoallv(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                            buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT,
                            MPI_COMM_WORLD),
            MPI_SUCCESS);
  buffers.expect_received("v");
  ASSERT_EQ(Rondo_Ialltoallv(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                             buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT,
                             MPI_COMM_WORLD, &request),
            MPI_SUCCESS);
  wait(request);
  buffers.expect_received("iv");
  ASSERT_EQ(Rondo_Alltoallv_init(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                                 buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT,
                                 MPI_COMM_WORLD, MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  request = wait(request);
  buffers.expect_received("v_init");
  ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  ASSERT_EQ(
      Rondo_Alltoallw(buffers.send.data(), buffers.send_counts.data(), send_bytes.data(), types.data(),
                      buffers.recv.data(), buffers.recv_counts.data(), recv_bytes.data(), types.data(), MPI_COMM_WORLD),
      MPI_SUCCESS);
  buffers.expect_received("w");
  ASSERT_EQ(Rondo_Ialltoallw(buffers.send.data(), buffers.send_counts.data(), send_bytes.data(), types.data(),
                             buffers.recv.data(), buffers.recv_counts.data(), recv_bytes.data(), types.data(),
                             MPI_COMM_WORLD, &request),
            MPI_SUCCESS);
  wait(request);
  buffers.expect_received("iw");
  ASSERT_EQ(Rondo_Alltoallw_init(buffers.send.data(), buffers.send_counts.data(), send_bytes.data(), types.data(),
                                 buffers.recv.data(), buffers.recv_counts.data(), recv_bytes.data(), types.data(),
                                 MPI_COMM_WORLD, MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
  request = wait(request);
  buffers.expect_received("w_init");
  ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
}

/// Zero-copy Bruck paper, section 3.5: ranks agree on sizes in every call when Bruck's algorithm was asked for.
TEST(DenseAlltoall, BruckOfBlocksThatDifferInSize) {
  for (const char* algorithm : {"bruck", "irregular-bruck"}) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    Comm comm(MPI_COMM_WORLD, options);
    Buffers buffers([](int source, int target) { return 20 + (source * 7 + target * 3) % 15; });
    const std::span<const int> send(buffers.send);
    const std::span<int> recv(buffers.recv);
    const auto runs = [&](const Request& request) {
      return buffers.p == 1 || request.algorithm().starts_with(algorithm);
    };
    for (int repetition = 0; repetition < 3; ++repetition) {
      comm.alltoallv(send, buffers.sent(), recv, buffers.received());
      buffers.expect_received(algorithm);
    }
    const Request persistent = comm.alltoallv_init(send, buffers.sent(), recv, buffers.received());
    EXPECT_TRUE(runs(persistent)) << persistent.algorithm();
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::vector<int> counts = buffers.send_counts;
      Request nonblocking = comm.ialltoallv(send, BlockPlaces{counts, buffers.send_places}, recv, buffers.received());
      std::ranges::fill(counts, -1);  // not looked at any more
      while (nonblocking.algorithm() == "to be chosen" && !nonblocking.test()) {
      }
      EXPECT_TRUE(nonblocking.null() || runs(nonblocking)) << nonblocking.algorithm();
      nonblocking.wait();
      buffers.expect_received(std::string(algorithm) + ", nonblocking");
    }
  }
}

/// Several of them at once, the first on a communicator that is not ready, waited for in any order; sizes that are too
/// different run something else.
TEST(DenseAlltoall, ManyLateChoicesAtOnce) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  ASSERT_EQ(setenv("RONDO_ALGORITHM", "bruck", 1), 0);
  std::vector<Buffers> buffers;
  for (const int factor : {1, 400, 2, 3})
    buffers.emplace_back([factor](int source, int target) { return 20 + (source + target) % 3 * factor; });
  std::vector<Rondo_Request> requests(buffers.size(), RONDO_REQUEST_NULL);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Buffers& each = buffers[i];
    ASSERT_EQ(
        Rondo_Ialltoallv(each.send.data(), each.send_counts.data(), each.send_places.data(), MPI_INT, each.recv.data(),
                         each.recv_counts.data(), each.recv_places.data(), MPI_INT, comm, &requests[i]),
        MPI_SUCCESS);
  }
  unsetenv("RONDO_ALGORITHM");
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::size_t next = (i * 3 + static_cast<std::size_t>(buffers[0].rank)) % buffers.size();
    ASSERT_EQ(Rondo_Wait(&requests[next], MPI_STATUS_IGNORE), MPI_SUCCESS);
    buffers[next].expect_received("number " + std::to_string(next));
  }
  MPI_Comm_free(&comm);
}

/// A late choice that other calls overtake, on a communicator whose duplicate is still on its way: they take turns.
TEST(DenseAlltoall, OtherCallsWhileSizesAreAgreedOn) {
  ASSERT_EQ(setenv("RONDO_ALGORITHM", "bruck", 1), 0);
  for (int second = 0; second < 4; ++second) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<Buffers> buffers;
    for (int i = 0; i < 3; ++i)
      buffers.emplace_back([i](int source, int target) { return 20 + (source + 2 * target) % 5 + i; });
    const auto start_late = [&](Buffers& each, Rondo_Request& request) {
      return Rondo_Ialltoallv(each.send.data(), each.send_counts.data(), each.send_places.data(), MPI_INT,
                              each.recv.data(), each.recv_counts.data(), each.recv_places.data(), MPI_INT, comm,
                              &request);
    };
    Rondo_Request first = RONDO_REQUEST_NULL;
    Rondo_Request third = RONDO_REQUEST_NULL;
    ASSERT_EQ(start_late(buffers[0], first), MPI_SUCCESS);
    Buffers& other = buffers[1];
    if (second == 0) {
      ASSERT_EQ(Rondo_Comm_prepare(comm, MPI_INFO_NULL), MPI_SUCCESS);
    } else if (second == 1) {
      ASSERT_EQ(Rondo_Alltoallv(other.send.data(), other.send_counts.data(), other.send_places.data(), MPI_INT,
                                other.recv.data(), other.recv_counts.data(), other.recv_places.data(), MPI_INT, comm),
                MPI_SUCCESS);
      other.expect_received("blocking");
    } else if (second == 2) {
      Rondo_Request persistent = RONDO_REQUEST_NULL;
      ASSERT_EQ(Rondo_Alltoallv_init(other.send.data(), other.send_counts.data(), other.send_places.data(), MPI_INT,
                                     other.recv.data(), other.recv_counts.data(), other.recv_places.data(), MPI_INT,
                                     comm, MPI_INFO_NULL, &persistent),
                MPI_SUCCESS);
      ASSERT_EQ(Rondo_Start(&persistent), MPI_SUCCESS);
      ASSERT_EQ(Rondo_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
      other.expect_received("persistent");
      ASSERT_EQ(Rondo_Request_free(&persistent), MPI_SUCCESS);
    }
    ASSERT_EQ(start_late(buffers[2], third), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&third, MPI_STATUS_IGNORE), MPI_SUCCESS);
    buffers[2].expect_received("the later one, " + std::to_string(second));
    ASSERT_EQ(Rondo_Wait(&first, MPI_STATUS_IGNORE), MPI_SUCCESS);
    buffers[0].expect_received("the earlier one, " + std::to_string(second));
    MPI_Comm_free(&comm);
  }
  unsetenv("RONDO_ALGORITHM");
}

/// It finds out while it is under way that the ranks went by different environments.
TEST(DenseAlltoall, LateChoicesFailOnAllRanksWhereSettingsDiffer) {
  if (world_size() == 1) GTEST_SKIP() << "needs two ranks";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Buffers buffers([](int source, int target) { return 20 + (source + 2 * target) % 5; });
  ASSERT_EQ(setenv("RONDO_ALGORITHM", "bruck", 1), 0);
  ASSERT_EQ(setenv("RONDO_REGULAR_RATIO", world_rank() == 0 ? "2" : "3", 1), 0);
  Rondo_Request request = RONDO_REQUEST_NULL;
  EXPECT_EQ(Rondo_Ialltoallv(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                             buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT, comm,
                             &request),
            MPI_SUCCESS);
  unsetenv("RONDO_ALGORITHM");
  unsetenv("RONDO_REGULAR_RATIO");
  const int code = Rondo_Wait(&request, MPI_STATUS_IGNORE);
  expect_error(code, MPI_ERR_INFO_VALUE, {"info: all ranks must ask for the same algorithm"}, __LINE__);
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  ASSERT_EQ(Rondo_Comm_prepare(comm, MPI_INFO_NULL), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Alltoallv(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                            buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT, comm),
            MPI_SUCCESS);
  buffers.expect_received("afterwards");
  MPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Whether its duplicate is there, on its way, or needed for sizes first.
TEST(DenseAlltoall, TheCommunicatorMayBeFreedBeforeTheWait) {
  for (const char* algorithm : {"auto", "bruck"}) {
    for (const bool ready : {false, true}) {
      ASSERT_EQ(setenv("RONDO_ALGORITHM", algorithm, 1), 0);
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      if (ready) {
        ASSERT_EQ(Rondo_Comm_prepare(comm, MPI_INFO_NULL), MPI_SUCCESS);
      }
      Buffers buffers([](int source, int target) { return 20 + (source + 2 * target) % 5; });
      Rondo_Request request = RONDO_REQUEST_NULL;
      ASSERT_EQ(Rondo_Ialltoallv(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                                 buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT,
                                 comm, &request),
                MPI_SUCCESS);
      MPI_Comm_free(&comm);
      ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      buffers.expect_received(algorithm);
    }
  }
  unsetenv("RONDO_ALGORITHM");
}

/// Operations that have not begun are not complete, however one asks.
TEST(DenseAlltoall, WaitAnyAndTestAnyWaitForWhatHasNotBegun) {
  const int rank = world_rank();
  const int p = world_size();
  for (const bool tests : {false, true}) {
    for (const char* algorithm : {"auto", "bruck"}) {
      ASSERT_EQ(setenv("RONDO_ALGORITHM", algorithm, 1), 0);
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      Buffers buffers([](int source, int target) { return 20 + (source + 2 * target) % 5; });
      int token = 0;
      if (rank != 0) MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      Rondo_Request request = RONDO_REQUEST_NULL;
      ASSERT_EQ(Rondo_Ialltoallv(buffers.send.data(), buffers.send_counts.data(), buffers.send_places.data(), MPI_INT,
                                 buffers.recv.data(), buffers.recv_counts.data(), buffers.recv_places.data(), MPI_INT,
                                 comm, &request),
                MPI_SUCCESS);
      int index = -1;
      int flag = 0;
      if (rank == 0 && p > 1) {
        ASSERT_EQ(Rondo_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(flag, 0) << "the others have not even called";
        for (int j = 1; j < p; ++j) MPI_Send(&token, 1, MPI_INT, j, 0, MPI_COMM_WORLD);
      }
      while (tests && flag == 0) ASSERT_EQ(Rondo_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
      if (!tests) {
        ASSERT_EQ(Rondo_Waitany(1, &request, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      EXPECT_EQ(request, RONDO_REQUEST_NULL);
      buffers.expect_received(algorithm);
      MPI_Comm_free(&comm);
    }
  }
  unsetenv("RONDO_ALGORITHM");
}

/// A size that is not what comes, on one rank: all hear of it where ranks agree on sizes, and go on afterwards.
TEST(DenseAlltoall, AllHearOfASizeThatIsNotWhatComes) {
  if (world_size() == 1) return;
  Options options;
  options.algorithm = rondo::Algorithm::bruck;
  Comm comm(MPI_COMM_WORLD, options);
  Buffers buffers([](int source, int target) { return 20 + (source + 2 * target) % 5; });
  const std::vector<int> right = buffers.recv_counts;
  if (buffers.rank == 0) --buffers.recv_counts[1];
  try {
    comm.alltoallv(std::span<const int>(buffers.send), buffers.sent(), std::span<int>(buffers.recv),
                   buffers.received());
    ADD_FAILURE() << "of another size than what comes";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.error_class(), buffers.rank == 0 ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER) << text;
    EXPECT_NE(text.find(buffers.rank == 0 ? "recv block 1: has" : "rank 0 of comm failed"), std::string::npos) << text;
  }
  buffers.recv_counts = right;
  comm.alltoallv(std::span<const int>(buffers.send), buffers.sent(), std::span<int>(buffers.recv), buffers.received());
  buffers.expect_received("afterwards");
}

}  // namespace
}  // namespace rondo::internal::dense_alltoall_test
