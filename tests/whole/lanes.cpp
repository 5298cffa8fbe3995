// Blocking and nonblocking calls through lanes in shared memory, under mpirun: data, many at once in another order on
// each rank, lanes that are full, and errors.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rondo/rondo.hpp>

#include "runtime/lanes/lane_table.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/mpi_grid.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

int sent_over_mpi = 0;
int posts_to_refuse = 0;
bool reductions_fail = false;

}  // namespace

extern "C" {
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++sent_over_mpi;
  if (posts_to_refuse > 0 && posts_to_refuse-- > 0) return MPI_ERR_OTHER;
  return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}
int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  return reductions_fail ? MPI_ERR_OP : PMPI_Reduce_local(in, inout, count, type, op);
}
}

namespace rondo::internal::lanes_test {
namespace {

using test::all_ranks;
using test::all_share;
using test::own_rank;
using test::rounds_of;

[[maybe_unused]] const ::testing::Environment* const kErrors =
    ::testing::AddGlobalTestEnvironment(new test::ReturnedErrors);

constexpr int kIntsInLane = static_cast<int>(kLongestInLane) / static_cast<int>(sizeof(int));

/// On a ring.
Neighborhood offsets(const std::vector<int>& all) {
  Neighborhood neighborhood(1);
  for (const int offset : all) neighborhood.add(std::vector<int>{offset});
  return neighborhood;
}

enum class Kind { alltoall, alltoallv, allgather, reduce, scatter_reduce, dense };
constexpr int kKinds = 6;

/// One call of `kind`, blocking or not, with buffers of its own. Numbers are the same on all ranks.
class OneCall {
 public:
  OneCall(CartComm& grid, Comm& comm, Kind kind, int m, int number)
      : kind_(kind), m_(m), number_(number), sources_(grid.sources()), ranks_(comm.size()) {
    const int t = grid.neighbor_count();
    const bool sends_one = kind == Kind::allgather || kind == Kind::reduce;
    const bool receives_one = kind == Kind::reduce || kind == Kind::scatter_reduce;
    const int blocks = kind == Kind::dense ? ranks_ : t;
    send_.resize(static_cast<std::size_t>((sends_one ? 1 : blocks) * m));
    recv_.resize(static_cast<std::size_t>((receives_one ? 1 : blocks) * m), -1);
    for (std::size_t i = 0; i < send_.size(); ++i) send_[i] = sent(own_rank(), static_cast<int>(i));
  }
  void block(CartComm& grid, Comm& comm) {
    const Places of = places();
    switch (kind_) {
      case Kind::alltoall:
        return grid.alltoall(send_, recv_, m_);
      case Kind::alltoallv:
        return grid.alltoallv(send_, {of.counts, of.places}, recv_, {of.counts, of.places});
      case Kind::allgather:
        return grid.allgather(send_, recv_);
      case Kind::reduce:
        return grid.reduce(send_, recv_, MPI_SUM);
      case Kind::scatter_reduce:
        return grid.scatter_reduce(send_, recv_, MPI_SUM);
      case Kind::dense:
        return comm.alltoall(send_, recv_, m_);
    }
  }
  void start(CartComm& grid, Comm& comm) {
    const Places of = places();
    switch (kind_) {
      case Kind::alltoall:
        request = grid.ialltoall(send_, recv_, m_);
        break;
      case Kind::alltoallv:
        request = grid.ialltoallv(send_, {of.counts, of.places}, recv_, {of.counts, of.places});
        break;
      case Kind::allgather:
        request = grid.iallgather(send_, recv_);
        break;
      case Kind::reduce:
        request = grid.ireduce(send_, recv_, MPI_SUM);
        break;
      case Kind::scatter_reduce:
        request = grid.iscatter_reduce(send_, recv_, MPI_SUM);
        break;
      case Kind::dense:
        request = comm.ialltoall(send_, recv_, m_);
        break;
    }
  }
  void check() const {
    for (std::size_t i = 0; i < recv_.size(); ++i) {
      const int block = static_cast<int>(i) / m_;
      const int element = static_cast<int>(i) % m_;
      int expected = 0;
      if (kind_ == Kind::dense) {
        expected = sent(block, own_rank() * m_ + element);
      } else if (kind_ == Kind::reduce) {
        for (const int source : sources_) expected += sent(source, element);
      } else if (kind_ == Kind::scatter_reduce) {
        for (std::size_t k = 0; k < sources_.size(); ++k)
          expected += sent(sources_[k], static_cast<int>(k) * m_ + element);
      } else {
        const int source = sources_[static_cast<std::size_t>(block)];
        expected = sent(source, (kind_ == Kind::allgather ? 0 : block) * m_ + element);
      }
      ASSERT_EQ(recv_[i], expected) << "kind " << static_cast<int>(kind_) << ", call " << number_ << ", m " << m_
                                    << ", block " << block << ", element " << element;
    }
  }
  Request request;

 private:
  struct Places {
    std::vector<int> counts;
    std::vector<int> places;
  };
  [[nodiscard]] Places places() const {
    Places of;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      of.counts.push_back(m_);
      of.places.push_back(static_cast<int>(i) * m_);
    }
    return of;
  }
  [[nodiscard]] int sent(int rank, int element) const { return rank * 1000003 + element * 101 + number_ * 7; }

  Kind kind_;
  int m_;
  int number_;
  std::vector<int> sources_;
  int ranks_;
  std::vector<int> send_;
  std::vector<int> recv_;
};

TEST(LanesTest, BlockingCallsOneAfterTheOther) {
  for (const MessageForm form : {MessageForm::automatic, MessageForm::datatype}) {
    Options options;
    options.messages = form;
    CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 3, -1), options);
    Comm comm(MPI_COMM_WORLD, options);
    MPI_Barrier(MPI_COMM_WORLD);
    sent_over_mpi = 0;
    for (int number = 0; number < rounds_of(60); ++number) {
      for (int kind = 0; kind < kKinds; ++kind) {
        OneCall call(grid, comm, static_cast<Kind>(kind), number % 2 == 0 ? 1 : 20, number);
        call.block(grid, comm);
        call.check();
        if (HasFatalFailure()) return;
      }
    }
    // Nine blocks of 80 bytes fit one message, and so many messages a lane.
    EXPECT_TRUE(!all_share() || sent_over_mpi == 0) << sent_over_mpi << " messages over MPI";
    EXPECT_TRUE(all_share() || all_ranks() < 4 || sent_over_mpi > 0) << "some ranks share no memory";
  }
}

/// A short message and a long one each way.
TEST(LanesTest, AnExplanationSaysWhatMayTakeLanes) {
  if (!all_share() || all_ranks() < 2) GTEST_SKIP() << "not every message may take a lane, or there is none";
  Options options;
  options.algorithm = Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, offsets({1, -1}), options);
  const std::vector<int> counts{10, kIntsInLane + 1};
  const std::vector<int> places{0, 10};
  const std::vector<int> send(kIntsInLane + 11);
  std::vector<int> recv(send.size());
  Request request = ring.ialltoallv(send, {counts, places}, recv, {counts, places});
  const std::string lanes = "this rank: 2 of 4 messages go through lanes where there is room, the others over MPI\n";
  EXPECT_TRUE(request.explain().ends_with(lanes)) << request.explain();
  EXPECT_NE(request.to_dot().find("\\nlane\""), std::string::npos);
  request.wait();
  Options off = options;
  off.shm = SharedMemory::off;
  CartComm apart(MPI_COMM_WORLD, {all_ranks()}, offsets({1, -1}), off);
  request = apart.ialltoallv(send, {counts, places}, recv, {counts, places});
  expect_words(request.explain(), {"this rank: 0 of 4 messages go through lanes where there is room",
                                   "of the others, 4 have no lane from the one rank to the other"});
  EXPECT_EQ(request.to_dot().find("\\nlane\""), std::string::npos);
  request.wait();
}

/// An operation that finds its schedule after its start says it then.
TEST(LanesTest, AnExplanationOfAScheduleThatWasFoundLate) {
  if (!all_share() || all_ranks() < 2) GTEST_SKIP() << "not every message may take a lane, or there is none";
  Options options;
  options.algorithm = Algorithm::bruck;
  options.dense.radix = 2;
  Comm comm(MPI_COMM_WORLD, options);
  const std::vector<int> counts(static_cast<std::size_t>(all_ranks()), 1);
  std::vector<int> places(counts.size());
  std::iota(places.begin(), places.end(), 0);
  const std::vector<int> send(counts.size(), own_rank());
  std::vector<int> recv(send.size());
  const BlockPlaces all{counts, places};
  Request request = comm.ialltoallv(std::span<const int>(send), all, std::span(recv), all);
  std::string text = request.explain();
  while (text.starts_with("to be chosen")) {
    static_cast<void>(request.arrived(0));  // a pass of progress, which does not end the request
    text = request.explain();
  }
  const std::string messages = std::to_string(2 * std::bit_width(static_cast<unsigned>(all_ranks() - 1)));
  expect_words(text, {("this rank: " + messages + " of " + messages + " messages go through lanes").c_str()});
  request.wait();
}

/// On several communicators, whose calls each rank mixes in another order; some messages are too long for lanes, and
/// lanes are full now and then.
TEST(LanesTest, ManyAtOnceInAnotherOrderOnEachRank) {
  constexpr int kComms = 3;
  std::vector<CartComm> grids;
  std::vector<Comm> comms;
  for (int i = 0; i < kComms; ++i) {
    grids.emplace_back(MPI_COMM_WORLD, balanced(2), i == 0 ? moore(2, 1) : box(2, 3, -1));
    comms.emplace_back(MPI_COMM_WORLD);
  }
  std::mt19937 same(7);
  std::mt19937 own(static_cast<unsigned>(own_rank()));
  int number = 0;
  for (int round = 0; round < rounds_of(40); ++round) {
    std::vector<std::vector<std::unique_ptr<OneCall>>> calls(kComms);
    for (int i = 0; i < kComms; ++i) {
      for (auto left = same() % 12; left > 0; --left) {
        const int m = std::vector{1, 10, 1000, kIntsInLane, kIntsInLane + 1}[same() % 8 % 5];
        const auto at = static_cast<std::size_t>(i);
        calls[at].push_back(
            std::make_unique<OneCall>(grids[at], comms[at], static_cast<Kind>(same() % kKinds), m, ++number));
      }
    }
    std::vector<OneCall*> started;
    std::vector<std::size_t> next(kComms);
    for (std::size_t vain = 0; vain < 50;) {
      const std::size_t i = own() % kComms;
      if (next[i] == calls[i].size()) {
        ++vain;
        continue;
      }
      OneCall& call = *calls[i][next[i]++];
      call.start(grids[i], comms[i]);
      started.push_back(&call);
      if (own() % 4 == 0) static_cast<void>(started[own() % started.size()]->request.test());
    }
    for (std::size_t i = 0; i < kComms; ++i) {
      for (; next[i] < calls[i].size(); ++next[i]) {
        calls[i][next[i]]->start(grids[i], comms[i]);
        started.push_back(calls[i][next[i]].get());
      }
    }
    std::ranges::shuffle(started, own);
    for (OneCall* call : started) {
      call->request.wait();
      call->check();
      if (HasFatalFailure()) return;
    }
  }
}

/// What finds no room takes MPI, so that nobody waits for a receiver who is elsewhere.
TEST(LanesTest, ASenderIsFarAhead) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, offsets({1}));
  Comm comm(MPI_COMM_WORLD);
  constexpr int kCalls = 400;
  for (int slow = 0; slow < std::min(2, ring.size()); ++slow) {
    std::vector<std::unique_ptr<OneCall>> calls;
    for (int i = 0; i < kCalls; ++i)
      calls.push_back(std::make_unique<OneCall>(ring, comm, Kind::alltoall, 1000 + i % 200, 1000 * slow + i));
    MPI_Barrier(MPI_COMM_WORLD);
    sent_over_mpi = 0;
    if (own_rank() != slow) {
      for (auto& call : calls) call->start(ring, comm);
      EXPECT_TRUE(all_ranks() < 2 || sent_over_mpi > kCalls / 2);
    }
    // All that the others have sent is there, and nobody has looked.
    MPI_Barrier(MPI_COMM_WORLD);
    if (own_rank() == slow) {
      for (auto& call : calls) call->start(ring, comm);
    }
    for (auto& call : calls) {
      call->request.wait();
      call->check();
      if (HasFatalFailure()) return;
    }
  }
}

/// The lanes of two processes stay when a communicator goes, and serve the next one.
TEST(LanesTest, CommunicatorsComeAndGo) {
  for (int round = 0; round < rounds_of(30); ++round) {
    Comm comm(MPI_COMM_WORLD);
    CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 1));
    for (int number = 0; number < 3; ++number) {
      OneCall dense(ring, comm, Kind::dense, 20, number);
      OneCall near(ring, comm, Kind::alltoall, 20, number + 10);
      dense.start(ring, comm);
      near.block(ring, comm);
      dense.request.wait();
      dense.check();
      near.check();
      if (HasFatalFailure()) return;
    }
  }
}

/// Of some ranks only, numbered otherwise than in the world.
TEST(LanesTest, PartsOfTheWorld) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, own_rank() / 3, -own_rank(), &part);
  {
    Comm comm(part);
    for (int number = 0; number < rounds_of(30); ++number) {
      std::vector<int> send(static_cast<std::size_t>(comm.size()));
      std::vector<int> recv(send.size(), -1);
      for (std::size_t j = 0; j < send.size(); ++j) send[j] = 100 * comm.rank() + static_cast<int>(j) + number;
      comm.alltoall(send, recv);
      for (std::size_t j = 0; j < send.size(); ++j)
        ASSERT_EQ(recv[j], 100 * static_cast<int>(j) + comm.rank() + number);
    }
  }
  MPI_Comm_free(&part);
}

/// Errors about sizes are those of MPI, whichever way the two ends take, and only in the call that has them.
TEST(LanesTest, SizesThatDoNotFit) {
  if (all_ranks() < 2) GTEST_SKIP() << "a rank agrees with itself";
  Options options;
  options.algorithm = Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, offsets({1}), options);
  for (const auto& [sent, expected] :
       std::vector<std::pair<int, int>>{{2, 3}, {3, 2}, {2, 1000}, {1000, 2}, {900, 1000}}) {
    std::vector<int> send(1000, own_rank());
    std::vector<int> recv(1000, -1);
    const std::vector<int> places{0};
    for (int round = 0; round < 4; ++round) {
      const bool fits = round % 2 == 1;
      const std::vector<int> counts{sent};
      const std::vector<int> wanted{own_rank() == 1 && !fits ? expected : sent};
      std::string text;
      try {
        ring.alltoallv(send, {counts, places}, recv, {wanted, places});
        EXPECT_EQ(recv.front(), ring.sources().front());
      } catch (const Error& error) {
        text = error.what();
      }
      if (fits || own_rank() != 1)
        EXPECT_EQ(text, "");
      else
        expect_words(text, {sent > expected ? "longer than the " : "shorter than the ",
                            (std::to_string(4 * expected) + " bytes expected here").c_str()});
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// A failure goes on to those who needed what did not come, by name; the next call is a good one.
TEST(LanesTest, APartnerThatFailsIsNamed) {
  if (all_ranks() < 4) GTEST_SKIP() << "nothing is passed on";
  Options options;
  options.algorithm = Algorithm::combining;
  CartComm grid(MPI_COMM_WORLD, balanced(2), box(2, 3, -1), options);
  Comm comm(MPI_COMM_WORLD);
  for (int round = 0; round < 6; ++round) {
    reductions_fail = round % 2 == 1 && own_rank() == 0;
    OneCall call(grid, comm, Kind::reduce, 4, round);
    std::string text;
    try {
      call.block(grid, comm);
      call.check();
    } catch (const Error& error) {
      text = error.what();
      if (own_rank() != 0) expect_words(text, {"failed earlier in this operation"});
    }
    EXPECT_TRUE(own_rank() != 0 || text.empty() == (round % 2 == 0)) << text;
    int heard = text.find("rank 0 failed earlier in this operation") == std::string::npos ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &heard, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(heard > 0, round % 2 == 1) << "its partners know whom it was";
  }
  reductions_fail = false;
}

/// A long message that MPI refuses: the short one, which takes a lane, tells its partner as well.
TEST(LanesTest, APostThatMpiRefusesFailsTheCallOnBothWays) {
  if (all_ranks() < 3) GTEST_SKIP() << "both messages go to one rank";
  Options options;
  options.algorithm = Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, offsets({1, -1}), options);
  constexpr int kLong = 100000;
  const std::vector<int> counts{kLong, 20};
  const std::vector<int> places{0, kLong};
  std::vector<int> send(kLong + 20);
  std::vector<int> recv(send.size());
  const std::vector<int> sources = ring.sources();
  for (int round = 0; round < 6; ++round) {
    const bool fails = round % 2 == 1;
    posts_to_refuse = fails && own_rank() == 0 ? 1 : 0;
    std::ranges::fill(send, 100 * own_rank() + round);
    std::ranges::fill(recv, -1);
    std::string text;
    try {
      ring.alltoallv(send, {counts, places}, recv, {counts, places});
      EXPECT_EQ(recv.front(), 100 * sources[0] + round);
      EXPECT_EQ(recv.back(), 100 * sources[1] + round);
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(std::exchange(posts_to_refuse, 0), 0) << "nothing took MPI";
    if (!fails)
      EXPECT_EQ(text, "");
    else if (own_rank() == 0)
      EXPECT_NE(text, "");
    else if (std::ranges::find(sources, 0) != sources.end())
      expect_words(text, {"rank 0 failed earlier in this operation"});
    else
      EXPECT_EQ(text, "") << "nothing comes from rank 0";
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Every second element of a block, in one piece at the other end, and the other way round; in other buffers each time.
TEST(LanesTest, DatatypesOfEitherEnd) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, offsets({1, -1}));
  MPI_Datatype comb = MPI_DATATYPE_NULL;
  MPI_Type_vector(10, 1, 2, MPI_INT, &comb);
  MPI_Type_commit(&comb);
  std::vector<std::vector<int>> sends(3, std::vector<int>(40));
  std::vector<std::vector<int>> recvs(3, std::vector<int>(40));
  const std::vector<int> sources = ring.sources();
  for (int round = 0; round < rounds_of(60); ++round) {
    std::vector<int>& send = sends[static_cast<std::size_t>(round) % 3];
    std::vector<int>& recv = recvs[static_cast<std::size_t>(round / 2) % 3];
    const auto element = [&](int rank, int i) { return rank * 10000 + round * 100 + i; };
    for (int i = 0; i < 40; ++i) send[static_cast<std::size_t>(i)] = element(own_rank(), i);
    std::ranges::fill(recv, -1);
    ring.alltoallw(std::vector<SendBlock>{{send.data(), 1, comb}, {send.data() + 20, 10, MPI_INT}},
                   std::vector<RecvBlock>{{recv.data(), 10, MPI_INT}, {recv.data() + 20, 1, comb}});
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(recv[static_cast<std::size_t>(i)], element(sources[0], 2 * i)) << "round " << round;
      ASSERT_EQ(recv[static_cast<std::size_t>(20 + 2 * i)], element(sources[1], 20 + i)) << "round " << round;
      ASSERT_EQ(recv[static_cast<std::size_t>(21 + 2 * i)], -1) << "round " << round;
    }
  }
  MPI_Type_free(&comb);
}

TEST(LanesTest, BlocksAndCallbacks) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  for (const ProgressMode mode : {ProgressMode::inlined, ProgressMode::async}) {
    if (mode == ProgressMode::async && level != MPI_THREAD_MULTIPLE) continue;
    Options options;
    options.progress = mode;
    CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 2), options);
    Comm comm(MPI_COMM_WORLD);
    std::atomic<int> called = 0;
    int given = 0;
    for (int round = 0; round < rounds_of(60); ++round) {
      OneCall call(ring, comm, Kind::alltoall, 10, round);
      call.start(ring, comm);
      given += call.request.on_complete([&] { ++called; }) ? 1 : 0;
      if (round % 3 == 0) {
        int blocks = 0;
        while (call.request.wait_any_block()) ++blocks;
        EXPECT_EQ(blocks, 4);
      } else if (round % 3 == 1) {
        while (!call.request.arrived(3) || !call.request.sent(0)) {
        }
      } else if (mode == ProgressMode::async) {
        usleep(100);  // nobody here makes progress
      }
      call.request.wait();
      call.check();
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(called, given);
  }
}

/// A child has no shared memory of its parent's, and its end changes nothing.
TEST(LanesTest, AChildProcessIsNoRank) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 1));
  Comm comm(MPI_COMM_WORLD);
  OneCall before(ring, comm, Kind::alltoall, 10, 0);
  before.start(ring, comm);
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  before.request.wait();
  before.check();
  OneCall after(ring, comm, Kind::dense, 10, 1);
  after.block(ring, comm);
  after.check();
}

/// Persistent operations, whose messages take slots, and others beside them.
TEST(LanesTest, SlotsAndLanesSideBySide) {
  CartComm ring(MPI_COMM_WORLD, {all_ranks()}, moore(1, 2));
  Comm comm(MPI_COMM_WORLD);
  std::vector<int> send(4);
  std::vector<int> recv(4);
  Request persistent = ring.alltoall_init(send, recv);
  const std::vector<int> sources = ring.sources();
  for (int round = 0; round < rounds_of(100); ++round) {
    std::ranges::fill(send, own_rank() + 100 * round);
    OneCall call(ring, comm, static_cast<Kind>(round % kKinds), 30, round);
    if (own_rank() % 2 == 0) persistent.start();
    call.start(ring, comm);
    if (own_rank() % 2 != 0) persistent.start();
    if (round % 2 == 0) persistent.wait();
    call.request.wait();
    persistent.wait();
    call.check();
    for (std::size_t i = 0; i < recv.size(); ++i) ASSERT_EQ(recv[i], sources[i] + 100 * round);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace rondo::internal::lanes_test
