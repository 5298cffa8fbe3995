// Persistent operations through shared memory, under mpirun: data over many starts. RONDO_TEST_NODES and RONDO_SHM have
// some pairs of ranks take MPI.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rondo/rondo.hpp>

#include "runtime/routes/slot_plan.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/faults/refusing_mpi.hpp"
#include "tests/support/mpi_grid.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::shared_memory_test {
namespace {

using test::all_ranks;
using test::all_share;
using test::own_rank;
using test::rounds_of;
using test::sent_over_mpi;

[[maybe_unused]] const ::testing::Environment* const kErrors =
    ::testing::AddGlobalTestEnvironment(new test::ReturnedErrors);

/// Element k of block `block` of what a rank sends.
int value(int rank, int block, int start, std::size_t k, int operation) {
  return rank * 1000003 + block * 10007 + start * 101 + static_cast<int>(k) + operation * 7;
}

/// A persistent operation, and what it must do.
class Checked {
 public:
  Checked(std::string name, int number, int rank, int send_blocks, int recv_blocks, int m)
      : name_(std::move(name)),
        number_(number),
        rank_(rank),
        m_(static_cast<std::size_t>(m)),
        send(static_cast<std::size_t>(send_blocks) * m_),
        recv(static_cast<std::size_t>(recv_blocks) * m_) {}

  void start() {
    ++start_;
    for (std::size_t i = 0; i < send.size(); ++i)
      send[i] = value(rank_, static_cast<int>(i / m_), start_, i % m_, number_);
    std::ranges::fill(recv, -1);
    request.start();
  }
  /// After the end of a start.
  void check() const {
    const int blocks = m_ == 0 ? 0 : static_cast<int>(recv.size() / m_);
    for (int block = 0; block < blocks; ++block) {
      const auto from = origin(block);
      const int* const received = recv.data() + static_cast<std::size_t>(block) * m_;
      for (std::size_t k = 0; k < m_; ++k) {
        int expected = 0;
        for (const auto& [rank, sent] : from) expected += value(rank, sent, start_, k, number_);
        if (received[k] != expected)
          FAIL() << name_ << ", start " << start_ << ", block " << block << ", element " << k << ": " << received[k]
                 << ", not " << expected;
      }
    }
  }

 private:
  std::string name_;
  int number_;
  int rank_;
  std::size_t m_;
  int start_ = 0;

 public:
  std::vector<int> send;
  std::vector<int> recv;
  /// Of which ranks' blocks a received block is the sum.
  std::function<std::vector<std::pair<int, int>>(int block)> origin;
  Request request;
};

using Operations = std::vector<std::unique_ptr<Checked>>;

/// Every collective on a grid, with blocks of `m` elements.
Operations every_collective(CartComm& grid, Comm& comm, int m, const Options& options, int first_number = 0) {
  Operations all;
  const std::vector<int> sources = grid.sources();
  const auto t = static_cast<int>(sources.size());
  const int p = comm.size();
  const auto add = [&](const char* name, int send_blocks, int recv_blocks) -> Checked& {
    const int number = first_number + static_cast<int>(all.size());
    all.push_back(std::make_unique<Checked>(name, number, grid.rank(), send_blocks, recv_blocks, m));
    return *all.back();
  };
  using Origins = std::vector<std::pair<int, int>>;
  const auto at = [sources](int i) { return sources[static_cast<std::size_t>(i)]; };
  {
    Checked& it = add("alltoall", t, t);
    it.origin = [at](int i) { return Origins{{at(i), i}}; };
    it.request = grid.alltoall_init(it.send, it.recv, m, options);
  }
  {
    Checked& it = add("alltoallv", t, t);
    it.origin = [at](int i) { return Origins{{at(i), i}}; };
    const std::vector<int> counts(static_cast<std::size_t>(t), m);
    std::vector<int> places(counts.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * m;
    it.request = grid.alltoallv_init(it.send, {counts, places}, it.recv, {counts, places}, options);
  }
  {
    Checked& it = add("allgather", 1, t);
    it.origin = [at](int i) { return Origins{{at(i), 0}}; };
    it.request = grid.allgather_init(it.send, it.recv, options);
  }
  {
    Checked& it = add("reduce", 1, 1);
    it.origin = [at, t](int) {
      Origins origins;
      for (int i = 0; i < t; ++i) origins.emplace_back(at(i), 0);
      return origins;
    };
    it.request = grid.reduce_init(it.send, it.recv, MPI_SUM, options);
  }
  {
    Checked& it = add("scatter_reduce", t, 1);
    it.origin = [at, t](int) {
      Origins origins;
      for (int i = 0; i < t; ++i) origins.emplace_back(at(i), i);
      return origins;
    };
    it.request = grid.scatter_reduce_init(it.send, it.recv, MPI_SUM, options);
  }
  {
    Checked& it = add("dense alltoall", p, p);
    const int rank = comm.rank();
    it.origin = [rank](int j) { return Origins{{j, rank}}; };
    it.request = comm.alltoall_init(it.send, it.recv, m, options);
  }
  return all;
}

/// All in flight at once, started and ended on each rank in an order of its own.
void run(Operations& operations, int starts) {
  std::mt19937 random(static_cast<unsigned>(own_rank()));
  std::vector<std::size_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0U);
  for (int start = 0; start < starts; ++start) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) operations[i]->start();
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      while (random() % 2 == 0) static_cast<void>(operations[i]->request.test());
      operations[i]->request.wait();
      operations[i]->check();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SharedMemoryTest, EveryCollectiveOverManyStarts) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 3, -1));
  Comm comm(MPI_COMM_WORLD);
  for (const MessageForm form : {MessageForm::automatic, MessageForm::datatype}) {
    for (const int m : {1, 300}) {
      Options options;
      options.messages = form;
      Operations operations = every_collective(grid, comm, m, options);
      sent_over_mpi = 0;
      run(operations, rounds_of(60));
      if (HasFatalFailure()) return;
      // Nine blocks of 1200 bytes fit one message.
      EXPECT_TRUE(!all_share() || sent_over_mpi == 0) << sent_over_mpi << " messages over MPI";
      EXPECT_TRUE(all_share() || all_ranks() < 4 || sent_over_mpi > 0) << "some ranks share no memory";
    }
  }
}

/// A short message and a long one each way.
TEST(SharedMemoryTest, AnExplanationSaysWhatTakesSlots) {
  if (!all_share() || all_ranks() < 2) GTEST_SKIP() << "not every message may take a slot, or there is none";
  Options options;
  options.algorithm = Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, Neighborhood{{1}, {-1}}, options);
  const std::vector<int> counts{10, static_cast<int>(kLongestInSlot / sizeof(int)) + 1};
  const std::vector<int> places{0, 10};
  const std::vector<int> send(static_cast<std::size_t>(10 + counts[1]));
  std::vector<int> recv(send.size());
  const Request request = ring.alltoallv_init(send, {counts, places}, recv, {counts, places});
  expect_words(request.explain(), {"this rank: 2 of 4 messages go through shared memory, the others over MPI\n"});
  options.shm = SharedMemory::off;
  const Request apart = ring.alltoallv_init(send, {counts, places}, recv, {counts, places}, options);
  expect_words(apart.explain(), {"this rank: 0 of 4 messages go through shared memory, the others over MPI\n"});
}

/// Some messages are too long for slots.
TEST(SharedMemoryTest, LongAndShortMessagesSideBySide) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), moore(2, 1));
  Comm comm(MPI_COMM_WORLD);
  Operations operations = every_collective(grid, comm, 1, {});
  for (std::unique_ptr<Checked>& it : every_collective(grid, comm, 70000, {}, 50)) operations.push_back(std::move(it));
  run(operations, rounds_of(8));
}

TEST(SharedMemoryTest, EveryAlgorithmProvedAtInit) {
  for (const char* algorithm : {"direct", "coalesced", "combining", "ring"}) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    options.check = true;
    CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 3, -1), options);
    Comm comm(MPI_COMM_WORLD);
    Options of_dense;
    of_dense.check = true;
    Operations operations = every_collective(grid, comm, 5, of_dense);
    run(operations, rounds_of(20));
    if (HasFatalFailure()) return;
  }
}

/// Blocks that pass through a rank are packed out of the slots in which they arrive, into slots or for MPI.
TEST(SharedMemoryTest, BlocksThatPassThrough) {
  for (const MessageForm form : {MessageForm::automatic, MessageForm::datatype}) {
    for (const int m : {1, 16, 700}) {
      Options options;
      options.messages = form;
      Options of_grid = options;
      of_grid.algorithm = Algorithm::combining;
      CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 5, -2), of_grid);
      Comm comm(MPI_COMM_WORLD);
      Operations operations = every_collective(grid, comm, m, options);
      const int p = comm.size();
      options.algorithm = Algorithm::bruck;
      options.dense.radix = 2;
      Checked& bruck = *operations.emplace_back(std::make_unique<Checked>("bruck", 9, comm.rank(), p, p, m));
      bruck.origin = [rank = comm.rank()](int j) { return std::vector<std::pair<int, int>>{{j, rank}}; };
      bruck.request = comm.alltoall_init(bruck.send, bruck.recv, m, options);
      run(operations, rounds_of(30));
      if (HasFatalFailure()) return;
    }
  }
}

/// Many get the same block, some ranks several times, and a rank itself.
TEST(SharedMemoryTest, BlocksForManyArePackedOnce) {
  constexpr int kCount = 1000;
  constexpr int kSent = 2 * kCount;  // every second one of these
  MPI_Datatype comb = MPI_DATATYPE_NULL;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &comb);
  MPI_Type_commit(&comb);
  const auto element = [](int rank, int start, int i) { return rank * 100000 + start * 1000 + i; };
  for (const std::vector<int>& sizes : {balanced(2), std::vector{all_ranks(), 1}, std::vector{1, all_ranks()}}) {
    for (const char* algorithm : {"direct", "coalesced", "combining"}) {
      for (const MessageForm form : {MessageForm::automatic, MessageForm::datatype}) {
        Options options;
        options.algorithm = algorithm_from(algorithm);
        options.messages = form;
        CartComm grid(MPI_COMM_WORLD, sizes, box(2, 3, -1), options);
        const std::vector<int> sources = grid.sources();
        const int t = static_cast<int>(sources.size());
        std::vector<int> counts;
        std::vector<int> places;
        std::vector<RecvBlock> blocks;
        std::vector<int> send(kSent);
        std::vector<int> recv(sources.size() * kCount);
        const auto count_of = [&](int rank) { return kCount - 100 * rank; };
        for (int i = 0; i < t; ++i) {
          counts.push_back(count_of(sources[static_cast<std::size_t>(i)]));
          places.push_back(i * kCount);
          blocks.push_back({recv.data() + i * kCount, kCount, MPI_INT});
        }
        const auto own_count = static_cast<std::size_t>(count_of(own_rank()));
        std::array<Request, 3> requests{
            grid.allgather_init(std::span<const int>(send).first(kCount), recv),
            grid.allgatherv_init(std::span<const int>(send).first(own_count), recv, {counts, places}),
            grid.allgatherw_init(SendBlock{send.data(), 1, comb}, blocks)};
        for (int kind = 0; kind < 3; ++kind) {
          Request& request = requests[static_cast<std::size_t>(kind)];
          for (int start = 0; start < rounds_of(10); ++start) {
            for (int i = 0; i < kSent; ++i) send[static_cast<std::size_t>(i)] = element(own_rank(), start, i);
            std::ranges::fill(recv, -1);
            request.start();
            request.wait();
            for (int k = 0; k < t * kCount; ++k) {
              const int source = sources[static_cast<std::size_t>(k / kCount)];
              const int i = k % kCount;
              const bool is_sent = kind != 1 || i < count_of(source);
              ASSERT_EQ(recv[static_cast<std::size_t>(k)], is_sent ? element(source, start, kind == 2 ? 2 * i : i) : -1)
                  << algorithm << ", kind " << kind << ", start " << start << ", block " << k / kCount;
            }
          }
          if (all_share() && all_ranks() > 1 && std::string(algorithm) == "direct")
            expect_words(request.explain(), {"with data that are packed once for several partners"});
        }
      }
    }
  }
  MPI_Type_free(&comb);
}

/// In place: rows, columns and corners of an array, of which columns are scattered.
TEST(SharedMemoryTest, HalosInPlace) {
  const std::vector<int> sizes = balanced(2);
  for (const char* messages : {"staged", "datatype"}) {
    for (const char* algorithm : {"direct", "combining"}) {
      Options options;
      options.messages = message_form_from(messages);
      options.algorithm = algorithm_from(algorithm);
      CartComm grid(MPI_COMM_WORLD, sizes, Neighborhood(2), options);
      constexpr int kInside = 6;
      constexpr std::size_t kSide = kInside + 2;
      std::vector<double> cells(kSide * kSide);
      Request halo = halo_init(grid, HaloArray::of(cells, {static_cast<int>(kSide), static_cast<int>(kSide)}, 1));
      for (int start = 0; start < rounds_of(60); ++start) {
        const auto cell = [&](int rank, std::size_t i, std::size_t j) {
          return rank * 10000.0 + start * 100.0 + static_cast<double>(i * kSide + j);
        };
        std::ranges::fill(cells, -1.0);
        for (std::size_t i = 1; i + 1 < kSide; ++i) {
          for (std::size_t j = 1; j + 1 < kSide; ++j) cells[i * kSide + j] = cell(grid.rank(), i, j);
        }
        halo.start();
        halo.wait();
        const auto place = [](std::size_t i) {  // of the neighbor, and in its part
          if (i == 0) return std::pair(-1, std::size_t{kInside});
          return i + 1 == kSide ? std::pair(1, std::size_t{1}) : std::pair(0, i);
        };
        for (std::size_t i = 0; i < kSide; ++i) {
          for (std::size_t j = 0; j < kSide; ++j) {
            const auto [row, of_row] = place(i);
            const auto [column, of_column] = place(j);
            ASSERT_EQ(cells[i * kSide + j], cell(grid.relative_rank({row, column}), of_row, of_column))
                << messages << ", start " << start << ", cell " << i << " " << j;
          }
        }
      }
    }
  }
}

/// On a ring with one offset a rank never hears from the one that it sends to: only the counts hold it back.
TEST(SharedMemoryTest, AFastSenderWaitsForItsReceiver) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, Neighborhood{{1}});
  for (int slow = 0; slow < ring.size(); ++slow) {
    Checked it("alltoall", 3, ring.rank(), 1, 1, 20);
    it.origin = [from = ring.sources().front()](int) { return std::vector<std::pair<int, int>>{{from, 0}}; };
    it.request = ring.alltoall_init(it.send, it.recv, 20);
    for (int start = 0; start < rounds_of(200); ++start) {
      it.start();
      if (ring.rank() == slow && start % 20 == 0) usleep(2000);
      it.request.wait();
      it.check();
      if (HasFatalFailure()) return;
    }
  }
}

/// Regions are used again only when both ends are done: data would be wrong, or nothing would ever come.
TEST(SharedMemoryTest, RequestsAreFreedWhenEachRankLikes) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 1));
  std::deque<Checked> kept;
  for (int round = 0; round < rounds_of(100); ++round) {
    Checked& it = kept.emplace_back("alltoall", round, ring.rank(), 2, 2, 1 + round % 7 * 40);
    it.origin = [sources = ring.sources()](int i) {
      return std::vector<std::pair<int, int>>{{sources[static_cast<std::size_t>(i)], i}};
    };
    it.request = ring.alltoall_init(it.send, it.recv, 1 + round % 7 * 40);
    for (int start = 0; start < 3; ++start) {
      it.start();
      it.request.wait();
      it.check();
      if (HasFatalFailure()) return;
    }
    while (kept.size() > static_cast<std::size_t>(1 + 3 * ring.rank())) kept.pop_front();
  }
}

/// Every second element of a block, in one piece at the other end, and the other way round.
TEST(SharedMemoryTest, DatatypesOfEitherEnd) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, Neighborhood{{1}, {-1}});
  MPI_Datatype comb = MPI_DATATYPE_NULL;
  MPI_Type_vector(10, 1, 2, MPI_INT, &comb);
  MPI_Type_commit(&comb);
  std::vector<int> send(40);
  std::vector<int> recv(40);
  Request request =
      ring.alltoallw_init(std::vector<SendBlock>{{send.data(), 1, comb}, {send.data() + 20, 10, MPI_INT}},
                          std::vector<RecvBlock>{{recv.data(), 10, MPI_INT}, {recv.data() + 20, 1, comb}});
  const std::vector<int> sources = ring.sources();
  sent_over_mpi = 0;
  for (int start = 0; start < rounds_of(60); ++start) {
    const auto element = [&](int rank, int i) { return rank * 10000 + start * 100 + i; };
    for (int i = 0; i < 40; ++i) send[static_cast<std::size_t>(i)] = element(own_rank(), i);
    std::ranges::fill(recv, -1);
    request.start();
    request.wait();
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(recv[static_cast<std::size_t>(i)], element(sources[0], 2 * i)) << "start " << start;
      ASSERT_EQ(recv[static_cast<std::size_t>(20 + 2 * i)], element(sources[1], 20 + i)) << "start " << start;
      ASSERT_EQ(recv[static_cast<std::size_t>(21 + 2 * i)], -1) << "start " << start;
    }
  }
  EXPECT_TRUE(!all_share() || sent_over_mpi == 0);
  MPI_Type_free(&comb);
}

TEST(SharedMemoryTest, BlocksAndCallbacks) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 2));
  Options options;
  for (const ProgressMode mode : {ProgressMode::inlined, ProgressMode::async}) {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (mode == ProgressMode::async && level != MPI_THREAD_MULTIPLE) continue;
    options.progress = mode;
    Checked it("alltoall", 0, own_rank(), 4, 4, 10);
    it.origin = [sources = ring.sources()](int i) {
      return std::vector<std::pair<int, int>>{{sources[static_cast<std::size_t>(i)], i}};
    };
    it.request = ring.alltoall_init(it.send, it.recv, 10, options);
    EXPECT_EQ(it.request.progress(), mode);
    std::atomic<int> called = 0;
    int given = 0;
    for (int start = 0; start < rounds_of(60); ++start) {
      it.start();
      given += it.request.on_complete([&] { ++called; }) ? 1 : 0;
      int blocks = 0;
      if (start % 3 == 0) {
        while (it.request.wait_any_block()) ++blocks;
        EXPECT_EQ(blocks, 4);
      } else if (start % 3 == 1) {
        while (!it.request.arrived(3) || !it.request.sent(0)) {
        }
      } else if (mode == ProgressMode::async) {
        usleep(100);  // nobody here makes progress
      }
      it.request.wait();
      it.check();
      if (HasFatalFailure()) return;
    }
    it.request = Request();
    EXPECT_EQ(called, given);
  }
}

/// A child has no shared memory of its parent's, and its end changes nothing.
TEST(SharedMemoryTest, AChildProcessIsNoRank) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 1));
  Comm comm(MPI_COMM_WORLD);
  Operations operations = every_collective(ring, comm, 10, {});
  run(operations, 3);
  for (const std::unique_ptr<Checked>& it : operations) it->start();
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  for (const std::unique_ptr<Checked>& it : operations) {
    it->request.wait();
    it->check();
  }
  run(operations, 20);
}

/// With exit(), which destroys static requests, idle ones and others: their messages lie in slots, in common data, in
/// arrays and in lanes. One of them has an end that the child destroys by hand.
TEST(SharedMemoryTest, AChildProcessMayExit) {
  constexpr std::size_t kLong = 10000;
  static Array<int> array(4 * kLong);
  static Operations operations;
  static std::vector<Request> of_array;
  static Rondo_Request freed = RONDO_REQUEST_NULL;
  static std::vector<Request> in_lanes;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 1));
  Comm comm(MPI_COMM_WORLD);
  for (const int m : {10, 100}) {
    for (auto& it : every_collective(ring, comm, m, {}, m)) operations.push_back(std::move(it));
  }
  run(operations, 2);
  const std::span<int> all = array.span();
  for (int i = 0; i < 2; ++i)
    of_array.push_back(ring.alltoall_init(std::span<const int>(all).first(2 * kLong), all.subspan(2 * kLong)));
  std::vector<int> send(std::size_t{20} * static_cast<std::size_t>(all_ranks()));
  std::vector<int> recv(send.size());
  const MPI_Comm world = MPI_COMM_WORLD;
  ASSERT_EQ(Rondo_Alltoall_init(send.data(), 20, MPI_INT, recv.data(), 20, MPI_INT, world, MPI_INFO_NULL, &freed),
            MPI_SUCCESS);
  std::vector<int> from_lanes(send.size());
  for (const bool active : {false, true}) {
    if (active) {
      for (const std::unique_ptr<Checked>& it : operations) it->start();
      of_array[0].start();
      in_lanes.push_back(comm.ialltoall(send, from_lanes, 20));
    }
    std::fflush(nullptr);  // the child would write it again
    const pid_t child = fork();
    if (child == 0) {
      Rondo_Request_free(&freed);
      std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  for (const std::unique_ptr<Checked>& it : operations) {
    it->request.wait();
    it->check();
  }
  of_array[0].wait();
  in_lanes[0].wait();
  run(operations, 5);
  EXPECT_EQ(Rondo_Request_free(&freed), MPI_SUCCESS);
  in_lanes.clear();
  of_array.clear();
  operations.clear();
  array = {};
}

}  // namespace
}  // namespace rondo::internal::shared_memory_test
