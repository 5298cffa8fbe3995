// Persistent start allocates nothing: malloc and operator new are counted, but for what MPI does inside its own calls.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "examples/own_allreduce/recursive_doubling.hpp"
#include "examples/own_stencil/step_graph.hpp"
#include "tests/support/sanitizers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define RONDO_COUNTS_ALLOCATIONS 0  // the sanitizer has a malloc of its own
#else
#define RONDO_COUNTS_ALLOCATIONS 1
#endif

namespace {

// Of the thread that starts: what drives in the background is no part of a start.
thread_local bool counting = false;
thread_local std::size_t allocations = 0;

/// Counting rests while MPI is at work.
class InsideMpi {
 public:
  InsideMpi() : before_(counting) { counting = false; }
  ~InsideMpi() { counting = before_; }
  InsideMpi(const InsideMpi&) = delete;
  InsideMpi& operator=(const InsideMpi&) = delete;

 private:
  bool before_;
};

}  // namespace

#if RONDO_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t size) noexcept {
  allocations += counting ? 1 : 0;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  allocations += counting ? 1 : 0;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  allocations += counting ? 1 : 0;
  return __libc_realloc(old, size);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const InsideMpi inside;
  return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  const InsideMpi inside;
  return PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
}
int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  const InsideMpi inside;
  return PMPI_Reduce_local(in, inout, count, type, op);
}
int MPI_Start(MPI_Request* request) {
  const InsideMpi inside;
  return PMPI_Start(request);
}
int MPI_Testall(int count, MPI_Request* requests, int* complete, MPI_Status* statuses) {
  const InsideMpi inside;
  return PMPI_Testall(count, requests, complete, statuses);
}
int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const InsideMpi inside;
  return PMPI_Testsome(count, requests, done, indices, statuses);
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  const InsideMpi inside;
  return PMPI_Iprobe(source, tag, comm, found, status);
}
}
#endif

namespace rondo::internal::allocation_test {
namespace {

TEST(Allocation, TheCounterCounts) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  allocations = 0;
  counting = true;
  void* volatile block = std::malloc(10);
  std::free(block);
  auto* volatile object = new int(7);
  delete object;
  counting = false;
  EXPECT_EQ(allocations, 2U);
}

/// From the very first start: there is no warming up.
void expect_no_allocations(std::span<Request> requests, const std::string& what, int repetitions = 5) {
  allocations = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    counting = true;
    for (Request& request : requests) request.start();
    for (Request& request : requests) static_cast<void>(request.test());
    for (Request& request : requests) request.wait();
    counting = false;
  }
  EXPECT_EQ(allocations, 0U) << what;
}

TEST(Allocation, PersistentStartTestAndWaitAllocateNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(p, 2, sizes.data());
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}}) {
    for (const char* algorithm : {"direct", "coalesced", "combining", "ring"}) {
      for (const std::size_t m : {std::size_t{1}, std::size_t{5000}}) {
        Options options;
        options.algorithm = algorithm_from(algorithm);
        CartComm grid(MPI_COMM_WORLD, sizes, periods, box(2, 4, -1), options);
        const std::vector<int> send(16 * m);
        std::vector<int> recv(send.size());
        const std::span<const int> one(send.data(), m);
        std::vector<Request> requests;
        for (int k = 0; k < 3; ++k) requests.push_back(grid.alltoall_init(send, recv, static_cast<int>(m)));
        requests.push_back(grid.allgather_init(one, recv));
        requests.push_back(grid.reduce_init(one, std::span(recv).first(m), MPI_SUM));
        requests.push_back(grid.scatter_reduce_init(send, std::span(recv).first(m), MPI_SUM));
        expect_no_allocations(requests, std::string(algorithm) + ", m " + std::to_string(m));
      }
    }
  }
}

TEST(Allocation, AHaloExchangeAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(p, 2, sizes.data());
  for (const char* algorithm : {"direct", "coalesced", "combining", "joined"}) {
    for (const char* messages : {"staged", "datatype"}) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      options.messages = message_form_from(messages);
      CartComm torus(MPI_COMM_WORLD, sizes, Neighborhood(2), options);
      std::vector<double> array(100 * 100);
      Request halo = halo_init(torus, HaloArray::of<double>(array, {100, 100}, 5), Stencil::star);
      allocations = 0;
      for (int repetition = 0; repetition < 5; ++repetition) {
        counting = true;
        halo.start();
        static_cast<void>(halo.test());
        halo.wait();
        counting = false;
      }
      EXPECT_EQ(allocations, 0U) << algorithm << ", " << messages;
    }
  }
}

/// Long messages between allocated arrays, which are copied by whoever comes second.
TEST(Allocation, AHaloExchangeOfAllocatedArraysAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(p, 2, sizes.data());
  for (const char* algorithm : {"direct", "coalesced", "combining", "joined"}) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    options.messages = MessageForm::datatype;
    CartComm torus(MPI_COMM_WORLD, sizes, Neighborhood(2), options);
    Array<double> array(std::size_t{300} * 300);
    std::vector<Request> requests;
    requests.push_back(halo_init(torus, HaloArray::of<double>(array, {300, 300}, 5)));
    if (p == 4 && std::getenv("RONDO_SHM") == nullptr) {
      EXPECT_NE(requests.front().explain().find("copied once"), std::string::npos);
    }
    expect_no_allocations(requests, algorithm);
  }
}

/// Memory is taken by the first question.
TEST(Allocation, StartsWithBlocksThatAreWatchedAllocateNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (const char* algorithm : {"direct", "combining"}) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    CartComm ring(MPI_COMM_WORLD, {p}, moore(1, 2), options);
    const std::vector<int> send(4);
    std::vector<int> recv(4);
    Request request = ring.alltoall_init(send, recv);
    static_cast<void>(request.arrived(0));
    allocations = 0;
    for (int repetition = 0; repetition < 5; ++repetition) {
      counting = true;
      request.start();
      static_cast<void>(request.arrived(3));
      static_cast<void>(request.sent(0));
      while (request.wait_any_block()) {
      }
      request.wait();
      counting = false;
    }
    EXPECT_EQ(allocations, 0U) << algorithm;
  }
}

/// Every algorithm, with blocks of one size and of two, in place too.
TEST(Allocation, ABlockingCallMadeAgainAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Comm comm(MPI_COMM_WORLD);
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(comm.size(), 2, sizes.data());
  CartComm torus(MPI_COMM_WORLD, sizes, moore(2, 1));
  const auto blocks = static_cast<std::size_t>(std::max(8, comm.size()));
  const std::vector<int> send(blocks);
  std::vector<int> recv(blocks);
  const std::span<const int> eight(send.data(), 8);
  const std::span<int> to_eight(recv.data(), 8);
  const auto all = static_cast<std::size_t>(comm.size());
  std::vector<double> values(64);
  const HaloArray array = HaloArray::of<double>(values, {8, 8}, 2);
  const auto call_all = [&] {
    halo_exchange(torus, array);
    torus.alltoall(eight, to_eight);
    torus.allgather(eight.first(1), to_eight);
    torus.reduce(eight.first(1), to_eight.first(1), MPI_SUM);
    comm.alltoall(std::span(send).first(all), std::span(recv).first(all));
    comm.allreduce(eight, to_eight, MPI_SUM);
    comm.reduce_scatter_block(std::span(send).first(all), to_eight.first(1), MPI_SUM);
  };
  for (int warm_up = 0; warm_up < 3; ++warm_up) call_all();
  allocations = 0;
  counting = true;
  for (int k = 0; k < 3; ++k) call_all();
  counting = false;
  EXPECT_EQ(allocations, 0U);
}

/// Blocks of other sizes in each call, some of them empty.
TEST(Allocation, AnIrregularCallAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Comm comm(MPI_COMM_WORLD);
  const auto p = static_cast<std::size_t>(comm.size());
  const std::vector<int> send(100 * p);
  std::vector<int> recv(send.size());
  std::vector<int> sent(p);
  std::vector<int> received(p);
  std::vector<int> places(p);
  for (std::size_t i = 0; i < p; ++i) places[i] = static_cast<int>(100 * i);
  const auto call = [&](int number) {
    const auto count = [&](int from, int to) { return (number + from * 3 + to * 5) % 10 > 0 ? number % 90 : 0; };
    for (int i = 0; i < comm.size(); ++i) {
      sent[static_cast<std::size_t>(i)] = count(comm.rank(), i);
      received[static_cast<std::size_t>(i)] = count(i, comm.rank());
    }
    counting = number >= 20;
    comm.alltoallv(send, {sent, places}, recv, {received, places});
    counting = false;
  };
  allocations = 0;
  for (int number = 0; number < 300; ++number) call(number);
  EXPECT_EQ(allocations, 0U);
}

/// Parts of nearly the same size, another in each call; in time all sizes have come that they may have.
TEST(Allocation, AnIrregularReduceScatterAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Options options;
  options.algorithm = rondo::Algorithm::direct;  // the others build schedules
  Comm comm(MPI_COMM_WORLD, options);
  const auto p = static_cast<std::size_t>(comm.size());
  const std::vector<int> send(100 * p);
  std::vector<int> recv(100);
  std::vector<int> counts(p);
  allocations = 0;
  for (int number = 0; number < 300; ++number) {
    for (std::size_t i = 0; i < p; ++i) counts[i] = 30 + number % 50 + (number + static_cast<int>(i)) % 3;
    counting = number >= 150;
    comm.reduce_scatter(send, recv, counts, MPI_SUM);
    counting = false;
  }
  EXPECT_EQ(allocations, 0U);
}

/// After many that differ, a call that is repeated gets a schedule of its own, and is recognized from then on.
TEST(Allocation, ARepeatedIrregularCallAllocatesOnce) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Comm comm(MPI_COMM_WORLD);
  const auto p = static_cast<std::size_t>(comm.size());
  const std::vector<int> send(100 * p);
  std::vector<int> recv(send.size());
  std::vector<int> places(p);
  for (std::size_t i = 0; i < p; ++i) places[i] = static_cast<int>(100 * i);
  const auto allocations_of_call = [&](int count) {
    const std::vector<int> counts(p, count);
    allocations = 0;
    counting = true;
    comm.alltoallv(send, {counts, places}, recv, {counts, places});
    counting = false;
    return allocations;
  };
  for (int count = 1; count < 20; ++count) static_cast<void>(allocations_of_call(count));
  std::vector<std::size_t> of_calls;
  for (int repetition = 0; repetition < 20; ++repetition) of_calls.push_back(allocations_of_call(50));
  const auto none = [](std::size_t number) { return number == 0; };
  EXPECT_TRUE(std::all_of(of_calls.begin(), of_calls.begin() + 9, none));
  EXPECT_GT(of_calls[9], 0U);
  EXPECT_TRUE(std::all_of(of_calls.begin() + 12, of_calls.end(), none));
}

/// Several in flight at once, through lanes.
TEST(Allocation, NonblockingCallsMadeAgainAllocateNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Options options;
  options.algorithm = rondo::Algorithm::direct;  // nothing comes before something else that it is sent after
  Comm comm(MPI_COMM_WORLD, options);
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(comm.size(), 2, sizes.data());
  CartComm torus(MPI_COMM_WORLD, sizes, moore(2, 1), options);
  const auto all = static_cast<std::size_t>(comm.size());
  const std::vector<int> send(std::max(std::size_t{8}, all));
  std::vector<std::vector<int>> recv(4, send);
  const std::span<const int> eight(send.data(), 8);
  const std::span<int> to_eight(recv[0].data(), 8);
  std::vector<double> values(64);
  const HaloArray array = HaloArray::of<double>(values, {8, 8}, 2);
  std::array<Request, 4> requests;
  const auto start_all = [&] {
    requests[0] = torus.ialltoall(eight, to_eight);
    requests[1] = torus.iallgather(eight.first(1), std::span(recv[1]).first(8));
    requests[2] = comm.ialltoall(std::span(send).first(all), std::span(recv[2]).first(all));
    requests[3] = ihalo_exchange(torus, array);
  };
  const auto end_all = [&] {
    static_cast<void>(requests[1].test());
    for (Request& request : requests) request.wait();
  };
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    start_all();
    if (all > 1 && std::getenv("RONDO_SHM") == nullptr) {
      for (const Request& request : requests) {
        EXPECT_NE(request.explain().find(" messages go through lanes"), std::string::npos) << request.explain();
        EXPECT_EQ(request.explain().find("this rank: 0 of"), std::string::npos) << request.explain();
      }
    }
    end_all();
  }
  allocations = 0;
  counting = true;
  for (int k = 0; k < 3; ++k) {
    start_all();
    end_all();
  }
  counting = false;
  EXPECT_EQ(allocations, 0U);
}

/// Persistent from the first start on, and the other forms when they are called again.
TEST(Allocation, ACollectiveOfOnesOwnAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  for (const int count : {1, 5000}) {
    for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
      Options options;
      options.messages = form;
      OwnCollective sum(MPI_COMM_WORLD, "sum", recursive_doubling(count, MPI_DOUBLE, MPI_SUM), options);
      const std::vector<double> send(static_cast<std::size_t>(count), 1.0);
      std::vector<std::vector<double>> recv(3, send);
      std::vector<Request> requests;
      for (std::vector<double>& buffer : recv) requests.push_back(sum.init(send, buffer));
      expect_no_allocations(requests, "of one's own, " + std::to_string(count));
      const auto call_all = [&] {
        sum.run(send, recv[0]);
        Request request = sum.start(send, recv[1]);
        request.wait();
      };
      for (int warm_up = 0; warm_up < 3; ++warm_up) call_all();
      allocations = 0;
      counting = true;
      for (int k = 0; k < 3; ++k) call_all();
      counting = false;
      EXPECT_EQ(allocations, 0U) << count;
    }
  }
}

/// Functions, too.
TEST(Allocation, AStencilAsAGraphAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  for (const int cols : {4, 5000}) {
    const Slab slab{.rows = 6, .cols = cols, .tiles = 2};
    OwnCollective steps(MPI_COMM_WORLD, "two steps", two_steps(slab));
    std::vector<std::vector<double>> grids(2, std::vector<double>(static_cast<std::size_t>(2 * slab.elements())));
    std::vector<Request> requests;
    for (std::vector<double>& both : grids) requests.push_back(steps.init(in_place, both));
    expect_no_allocations(requests, "two steps, " + std::to_string(cols));
  }
}

TEST(Allocation, ADenseAlltoallAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  int p = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto blocks = static_cast<std::size_t>(p);
  for (const dense::Algorithm& row : dense::registry().algorithms) {
    for (const char* queue : {"window", "batches"}) {
      for (const int m : {1, 5000}) {
        Options options;
        options.algorithm = algorithm_from(row.name);
        options.dense.queue = queue_from(queue);
        const std::vector<int> send(blocks * static_cast<std::size_t>(m));
        std::vector<std::vector<int>> recv(5, send);
        const std::span<const int> from(send);
        const std::vector<int> counts(blocks, m);
        std::vector<int> places(blocks);
        for (int j = 0; j < p; ++j) places[static_cast<std::size_t>(j)] = (p - 1 - j) * m;
        const BlockPlaces backwards{counts, places};
        std::vector<int> fewer(blocks, m);  // the same in both directions
        for (int j = 0; j < p; ++j) fewer[static_cast<std::size_t>(j)] -= (j + rank) % 2 * (m / 3);
        const BlockPlaces uneven{fewer, places};
        Comm comm(MPI_COMM_WORLD, options);
        std::vector<Request> requests;
        requests.push_back(comm.alltoall_init(from, std::span(recv[0]), m));
        requests.push_back(comm.alltoall_init(in_place, std::span(recv[1]), m));
        requests.push_back(comm.alltoallv_init(from, backwards, std::span(recv[2]), backwards));
        requests.push_back(comm.alltoallv_init(from, uneven, std::span(recv[3]), uneven));
        requests.push_back(comm.alltoallv_init(in_place, std::span(recv[4]), backwards));
        expect_no_allocations(requests, std::string(row.name) + ", " + queue + ", m " + std::to_string(m));
      }
    }
  }
}

TEST(Allocation, ADenseReductionAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  for (const dense_reduction::Algorithm& row : dense_reduction::registry().algorithms) {
    Options options;
    options.algorithm = algorithm_from(row.name);
    Comm comm(MPI_COMM_WORLD, options);
    for (const int m : {1, 5000}) {
      const std::vector<int> send(static_cast<std::size_t>(m * comm.size()));
      std::vector<std::vector<int>> recv(4, send);
      const std::vector<int> counts(static_cast<std::size_t>(comm.size()), m);
      std::vector<Request> requests;
      requests.push_back(comm.allreduce_init(send, recv[0], MPI_SUM));
      requests.push_back(comm.allreduce_init(in_place, recv[1], MPI_SUM));
      requests.push_back(comm.reduce_scatter_init(send, recv[2], counts, MPI_SUM));
      requests.push_back(comm.reduce_scatter_init(in_place, recv[3], counts, MPI_SUM));
      expect_no_allocations(requests, std::string(row.name) + ", m " + std::to_string(m));
    }
  }
}

/// Keeps the poller awake while it lives: oneTBB may take memory to wake its thread. On each rank something is in
/// flight in the background until this ends.
class AwakePoller {
 public:
  AwakePoller() { late(comm_.rank() == 0).start(); }
  AwakePoller(const AwakePoller&) = delete;
  AwakePoller& operator=(const AwakePoller&) = delete;
  ~AwakePoller() {
    late(comm_.rank() != 0).start();
    from_first_.wait();
    from_last_.wait();
  }

 private:
  [[nodiscard]] Request& late(bool from_last) { return from_last ? from_last_ : from_first_; }

  Comm comm_{MPI_COMM_WORLD, Options{.progress = ProgressMode::async}};
  std::array<int, 2> data_{};
  Request from_first_ = comm_.bcast_init(data_.data(), 1, MPI_INT, 0);
  Request from_last_ = comm_.bcast_init(data_.data() + 1, 1, MPI_INT, comm_.size() - 1);
};

/// While candidates take turns, and when one has won; the decision itself writes down what was found out.
TEST(Allocation, AStartThatLearnsAllocatesNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Comm comm(MPI_COMM_WORLD, Options{.learn = "4"});
  const std::vector<int> send(static_cast<std::size_t>(5000 * comm.size()));
  std::vector<int> recv(send);
  std::array<Request, 1> request{comm.allreduce_init(send, recv, MPI_SUM)};
  const bool learns = request[0].explain().find("take turns") != std::string::npos;
  EXPECT_EQ(learns, comm.size() > 1);
  // Each candidate's first turn, and no decision. With MPI_THREAD_MULTIPLE one of them is in another mode.
  std::set<ProgressMode> modes;
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  std::optional<AwakePoller> poller;
  if (level == MPI_THREAD_MULTIPLE) poller.emplace();
  for (int start = 0; start < 24; ++start) {
    expect_no_allocations(request, "taking turns", 1);
    modes.insert(request[0].progress());
  }
  poller.reset();
  EXPECT_EQ(modes.size(), learns && level == MPI_THREAD_MULTIPLE ? 2U : 1U);
  for (int start = 0; start < 900; ++start) {
    request[0].start();
    request[0].wait();
  }
  EXPECT_EQ(request[0].explain().find("learned:") != std::string::npos, learns);
  expect_no_allocations(request, "afterwards");
}

/// From one later look to the next, when ranks have agreed on a winner.
TEST(Allocation, LaterLooksAllocateNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Comm comm(MPI_COMM_WORLD, Options{.learn = "4", .learn_again = "100"});
  const std::vector<int> send(static_cast<std::size_t>(5000 * comm.size()));
  std::vector<int> recv(send);
  std::array<Request, 1> request{comm.allreduce_init(send, recv, MPI_SUM)};
  const auto changes = [&] {
    const std::string told = request[0].explain();
    const std::size_t end = told.find(" changes");
    const std::size_t begin = end == std::string::npos ? 0 : told.rfind(' ', end - 1);
    return told.substr(begin, end - begin);
  };
  for (int start = 0; start < 900; ++start) {
    request[0].start();
    request[0].wait();
  }
  // A disturbed look may take the second for ten times slower, and pause as much longer.
  const auto looked = [&] { return request[0].explain().find("looks again: 0") == std::string::npos; };
  for (int part = 0; part < 40 || (part < 150 && !looked()); ++part) {
    const std::string before = changes();
    allocations = 0;
    counting = true;
    for (int start = 0; start < 10; ++start) {
      request[0].start();
      request[0].wait();
    }
    counting = false;
    if (changes() == before) {
      EXPECT_EQ(allocations, 0U);
    }
  }
  EXPECT_TRUE(looked()) << request[0].explain();
}

TEST(Allocation, MovesOfAllRanksAllocateNothing) {
  if (RONDO_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  Comm comm(MPI_COMM_WORLD);
  for (const int m : {1, 50000}) {
    const std::vector<int> send(static_cast<std::size_t>(m));
    std::vector<int> spread(send);
    std::vector<int> recv(send.size() * static_cast<std::size_t>(comm.size()));
    const auto try_all = [&](const auto& registry, auto init) {
      for (const auto& row : registry.algorithms) {
        Request request = init(Options{.algorithm = algorithm_from(row.name)});
        expect_no_allocations({&request, 1}, std::string(registry.collective) + ", " + std::string(row.name) + ", m " +
                                                 std::to_string(m));
      }
    };
    try_all(barrier::registry(), [&](const Options& options) { return comm.barrier_init(options); });
    try_all(broadcast::registry(), [&](const Options& options) { return comm.bcast_init(spread, 0, options); });
    try_all(dense_allgather::registry(),
            [&](const Options& options) { return comm.allgather_init(send, recv, options); });
  }
}

}  // namespace
}  // namespace rondo::internal::allocation_test
