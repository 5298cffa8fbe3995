// Barrier, broadcast and dense allgathers under mpirun, in all their forms, against the definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "tests/support/bad_input.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::dense_moves_test {
namespace {

template <typename Problem>
std::vector<std::string> names_of(const Registry<Problem>& registry) {
  std::vector<std::string> names{"auto"};
  for (const Algorithm<Problem>& row : registry.algorithms) names.emplace_back(row.name);
  return names;
}

/// Calls use(communicator, name) for each algorithm, in a communicator that asks for it.
template <typename Problem, typename Use>
void for_each_algorithm(const Registry<Problem>& registry, Use use) {
  for (const std::string& name : names_of(registry)) {
    Options options;
    options.algorithm = algorithm_from(name);
    options.check = true;
    Comm comm(MPI_COMM_WORLD, options);
    use(comm, name);
  }
}

/// Seconds on the clock of the machine on which all ranks run.
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// That nobody leaves `barrier` before all have come.
void expect_barrier(const std::string& what, int late, const std::function<void()>& barrier) {
  if (world_rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  double came = now();
  barrier();
  double left = now();
  MPI_Allreduce(MPI_IN_PLACE, &came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  ASSERT_LE(came, left) << what << ", late rank " << late << " of " << world_size();
}

TEST(DenseMoves, BarrierInEveryFormAndAlgorithm) {
  for_each_algorithm(barrier::registry(), [](Comm& comm, const std::string& name) {
    Request persistent = comm.barrier_init();
    for (int late = 0; late < world_size(); ++late) {
      for (int repetition = 0; repetition < 2; ++repetition) {
        expect_barrier(name + ", blocking", late, [&] { comm.barrier(); });
        expect_barrier(name + ", nonblocking", late, [&] { comm.ibarrier().wait(); });
        expect_barrier(name + ", persistent", late, [&] {
          persistent.start();
          persistent.wait();
        });
      }
    }
  });
}

int content(int root, int k) { return root * 1000003 + k; }

/// What the root sends, and elsewhere something else.
void fill(std::vector<int>& buffer, int root) {
  for (std::size_t k = 0; k < buffer.size(); ++k)
    buffer[k] = world_rank() == root ? content(root, static_cast<int>(k)) : -1;
}

void expect_from(const std::vector<int>& buffer, int root, const std::string& what) {
  for (std::size_t k = 0; k < buffer.size(); ++k) {
    ASSERT_EQ(buffer[k], content(root, static_cast<int>(k)))
        << what << ", root " << root << ", element " << k << " on rank " << world_rank() << " of " << world_size();
  }
}

TEST(DenseMoves, BroadcastInEveryFormAndAlgorithm) {
  for_each_algorithm(broadcast::registry(), [](Comm& comm, const std::string& name) {
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}, std::size_t{20000}}) {
      std::vector<int> buffer(m);
      const std::string what = name + ", m " + std::to_string(m);
      for (const int root : {0, world_size() - 1, 0}) {  // the first again, as one that may be remembered
        for (int repetition = 0; repetition < 2; ++repetition) {
          fill(buffer, root);
          comm.bcast(buffer, root);
          expect_from(buffer, root, what + ", blocking");
          fill(buffer, root);
          Request request = comm.ibcast(buffer, root);
          request.wait();
          expect_from(buffer, root, what + ", nonblocking");
        }
        Request persistent = comm.bcast_init(buffer, root);
        for (int repetition = 0; repetition < 3; ++repetition) {
          fill(buffer, root);
          persistent.start();
          while (!persistent.test()) {
          }
          expect_from(buffer, root, what + ", persistent");
        }
      }
    }
  });
}

/// Every second element on odd ranks, all of them on the others.
TEST(DenseMoves, BroadcastOfDatatypesThatDiffer) {
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(2000, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  for_each_algorithm(broadcast::registry(), [&](Comm& comm, const std::string& name) {
    const int root = world_size() / 2;
    const std::size_t step = world_rank() % 2 == 1 ? 2 : 1;
    std::vector<int> buffer(4000, -1);
    const auto spread = [&] {
      std::ranges::fill(buffer, -1);
      for (std::size_t k = 0; k < 2000 && world_rank() == root; ++k)
        buffer[k * step] = content(root, static_cast<int>(k));
    };
    const auto expect_spread = [&](const std::string& form) {
      for (std::size_t k = 0; k < 2000; ++k)
        ASSERT_EQ(buffer[k * step], content(root, static_cast<int>(k))) << name << form;
      if (step == 2) {
        ASSERT_EQ(buffer[1], -1) << name << form;
      }
    };
    const int count = step == 2 ? 1 : 2000;
    MPI_Datatype type = step == 2 ? strided : MPI_INT;
    spread();
    comm.bcast(buffer.data(), count, type, root);
    expect_spread(", blocking");
    Request persistent = comm.bcast_init(buffer.data(), count, type, root);
    spread();
    persistent.start();
    persistent.wait();
    expect_spread(", persistent");
  });
  MPI_Type_free(&strided);
}

/// Blocks of count(rank) elements, with gaps between them where they are received.
struct Gathered {
  using Count = std::function<int(int)>;
  explicit Gathered(const Count& count) {
    int end = 1;
    for (int j = 0; j < world_size(); ++j) {
      counts.push_back(count(j));
      places.push_back(end);
      end += counts.back() + j % 2;
    }
    recv.assign(static_cast<std::size_t>(end) + 1, -1);
    expected = recv;
    for (int j = 0; j < world_size(); ++j) put(expected, j);
    send.resize(static_cast<std::size_t>(count(world_rank())));
    for (std::size_t k = 0; k < send.size(); ++k) send[k] = content(world_rank(), static_cast<int>(k));
  }
  void put(std::vector<int>& buffer, int j) const {
    for (int k = 0; k < counts[static_cast<std::size_t>(j)]; ++k)
      buffer[static_cast<std::size_t>(places[static_cast<std::size_t>(j)] + k)] = content(j, k);
  }
  void expect_received(const std::string& what) {
    ASSERT_EQ(recv, expected) << what << " on rank " << world_rank() << " of " << world_size();
    std::ranges::fill(recv, -1);
  }
  [[nodiscard]] BlockPlaces received() const { return {counts, places}; }

  std::vector<int> counts, places, send, recv, expected;
};

TEST(DenseMoves, AllgatherInEveryFormAndAlgorithm) {
  for_each_algorithm(dense_allgather::registry(), [](Comm& comm, const std::string& name) {
    for (const int m : {1, 5000}) {
      const std::string what = name + ", m " + std::to_string(m);
      const auto size = static_cast<std::size_t>(m);
      std::vector<int> send(size);
      std::vector<int> expected(size * static_cast<std::size_t>(world_size()));
      for (int k = 0; k < m; ++k) send[static_cast<std::size_t>(k)] = content(world_rank(), k);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = content(static_cast<int>(i / size), static_cast<int>(i % size));
      std::vector<int> recv(expected.size(), -1);
      const auto expect_all = [&](const char* form) {
        ASSERT_EQ(recv, expected) << what << form << " on rank " << world_rank() << " of " << world_size();
        std::ranges::fill(recv, -1);
      };
      const auto put_own = [&] { std::ranges::copy(send, recv.begin() + std::ptrdiff_t{m} * world_rank()); };
      for (int repetition = 0; repetition < 2; ++repetition) {
        comm.allgather(send, recv);
        expect_all(", blocking");
        Request request = comm.iallgather(send, recv);
        request.wait();
        expect_all(", nonblocking");
        put_own();
        comm.allgather(in_place, recv, m);
        expect_all(", in place");
      }
      Request persistent = comm.allgather_init(send, recv);
      Request persistent_in_place = comm.allgather_init(in_place, recv, m);
      for (int repetition = 0; repetition < 3; ++repetition) {
        persistent.start();
        while (!persistent.test()) {
        }
        expect_all(", persistent");
        put_own();
        persistent_in_place.start();
        persistent_in_place.wait();
        expect_all(", persistent in place");
      }
    }
  });
}

TEST(DenseMoves, AllgathervInEveryFormAndAlgorithm) {
  for_each_algorithm(dense_allgather::registry(), [](Comm& comm, const std::string& name) {
    const std::vector<Gathered::Count> counts{[](int rank) { return rank % 3 * 40; },
                                              [](int rank) { return rank == world_size() - 1 ? 30000 : 1; },
                                              [](int) { return 0; }};
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const std::string what = name + ", counts " + std::to_string(c);
      Gathered all(counts[c]);
      for (int repetition = 0; repetition < 2; ++repetition) {
        comm.allgatherv(all.send, all.recv, all.received());
        all.expect_received(what + ", blocking");
        Request request = comm.iallgatherv(all.send, all.recv, all.received());
        request.wait();
        all.expect_received(what + ", nonblocking");
        all.put(all.recv, world_rank());
        comm.allgatherv(in_place, all.recv, all.received());
        all.expect_received(what + ", in place");
      }
      Request persistent = comm.allgatherv_init(all.send, all.recv, all.received());
      Request persistent_in_place = comm.allgatherv_init(in_place, all.recv, all.received());
      for (int repetition = 0; repetition < 2; ++repetition) {
        persistent.start();
        persistent.wait();
        all.expect_received(what + ", persistent");
        all.put(all.recv, world_rank());
        persistent_in_place.start();
        persistent_in_place.wait();
        all.expect_received(what + ", persistent in place");
      }
    }
  });
}

/// The C interface, with counts of either width.
TEST(DenseMoves, InC) {
  const int p = world_size();
  const int root = p - 1;
  const auto finish = [](Rondo_Request request, bool persistent) {
    if (persistent) {
      ASSERT_EQ(Rondo_Start(&request), MPI_SUCCESS);
    }
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (persistent) {
      ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
    }
  };
  Rondo_Request request = RONDO_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_WORLD;
  ASSERT_EQ(Rondo_Barrier(comm), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Ibarrier(comm, &request), MPI_SUCCESS);
  finish(request, false);
  ASSERT_EQ(Rondo_Barrier_init(comm, MPI_INFO_NULL, &request), MPI_SUCCESS);
  finish(request, true);

  std::vector<int> buffer(77);
  void* const data = buffer.data();
  const auto expect_spread = [&](int code) {
    ASSERT_EQ(code, MPI_SUCCESS);
    expect_from(buffer, root, "in C");
    fill(buffer, root);
  };
  fill(buffer, root);
  expect_spread(Rondo_Bcast(data, 77, MPI_INT, root, comm));
  expect_spread(Rondo_Bcast_c(data, 77, MPI_INT, root, comm));
  ASSERT_EQ(Rondo_Ibcast(data, 77, MPI_INT, root, comm, &request), MPI_SUCCESS);
  finish(request, false);
  expect_spread(MPI_SUCCESS);
  ASSERT_EQ(Rondo_Ibcast_c(data, 77, MPI_INT, root, comm, &request), MPI_SUCCESS);
  finish(request, false);
  expect_spread(MPI_SUCCESS);
  ASSERT_EQ(Rondo_Bcast_init(data, 77, MPI_INT, root, comm, MPI_INFO_NULL, &request), MPI_SUCCESS);
  finish(request, true);
  expect_spread(MPI_SUCCESS);
  ASSERT_EQ(Rondo_Bcast_init_c(data, 77, MPI_INT, root, comm, MPI_INFO_NULL, &request), MPI_SUCCESS);
  finish(request, true);
  expect_spread(MPI_SUCCESS);

  Gathered all([](int rank) { return rank + 1; });
  std::vector<MPI_Count> counts(all.counts.begin(), all.counts.end());
  std::vector<MPI_Aint> places(all.places.begin(), all.places.end());
  const int own = world_rank() + 1;
  const int* const send = all.send.data();
  int* const recv = all.recv.data();
  ASSERT_EQ(Rondo_Allgatherv(send, own, MPI_INT, recv, all.counts.data(), all.places.data(), MPI_INT, comm), 0);
  all.expect_received("Rondo_Allgatherv");
  ASSERT_EQ(Rondo_Allgatherv_c(send, own, MPI_INT, recv, counts.data(), places.data(), MPI_INT, comm), 0);
  all.expect_received("Rondo_Allgatherv_c");
  ASSERT_EQ(Rondo_Iallgatherv(send, own, MPI_INT, recv, all.counts.data(), all.places.data(), MPI_INT, comm, &request),
            0);
  finish(request, false);
  all.expect_received("Rondo_Iallgatherv");
  ASSERT_EQ(Rondo_Iallgatherv_c(send, own, MPI_INT, recv, counts.data(), places.data(), MPI_INT, comm, &request), 0);
  finish(request, false);
  all.expect_received("Rondo_Iallgatherv_c");
  ASSERT_EQ(Rondo_Allgatherv_init(send, own, MPI_INT, recv, all.counts.data(), all.places.data(), MPI_INT, comm,
                                  MPI_INFO_NULL, &request),
            0);
  finish(request, true);
  all.expect_received("Rondo_Allgatherv_init");
  ASSERT_EQ(Rondo_Allgatherv_init_c(send, own, MPI_INT, recv, counts.data(), places.data(), MPI_INT, comm,
                                    MPI_INFO_NULL, &request),
            0);
  finish(request, true);
  all.expect_received("Rondo_Allgatherv_init_c");

  std::vector<int> ranks(static_cast<std::size_t>(p), -1);
  const int rank = world_rank();
  const auto expect_ranks = [&](int code) {
    ASSERT_EQ(code, MPI_SUCCESS);
    for (int j = 0; j < p; ++j) ASSERT_EQ(ranks[static_cast<std::size_t>(j)], j);
    std::ranges::fill(ranks, -1);
  };
  expect_ranks(Rondo_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm));
  expect_ranks(Rondo_Allgather_c(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm));
  ranks[static_cast<std::size_t>(rank)] = rank;
  expect_ranks(Rondo_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ranks.data(), 1, MPI_INT, comm));
  ASSERT_EQ(Rondo_Iallgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm, &request), MPI_SUCCESS);
  finish(request, false);
  expect_ranks(MPI_SUCCESS);
  ASSERT_EQ(Rondo_Iallgather_c(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm, &request), MPI_SUCCESS);
  finish(request, false);
  expect_ranks(MPI_SUCCESS);
  ASSERT_EQ(Rondo_Allgather_init(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &request), 0);
  finish(request, true);
  expect_ranks(MPI_SUCCESS);
  ASSERT_EQ(Rondo_Allgather_init_c(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &request), 0);
  finish(request, true);
  expect_ranks(MPI_SUCCESS);
}

/// As the first calls on a communicator, which make what Rondo keeps for it, and several in flight.
TEST(DenseMoves, NonblockingFromTheBeginning) {
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  std::vector<int> buffer(5);
  fill(buffer, 0);
  const int rank = world_rank();
  std::vector<int> ranks(static_cast<std::size_t>(world_size()), -1);
  std::vector<Rondo_Request> requests(3, RONDO_REQUEST_NULL);
  ASSERT_EQ(Rondo_Ibcast(buffer.data(), 5, MPI_INT, 0, fresh, requests.data()), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Iallgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, fresh, &requests[1]), MPI_SUCCESS);
  ASSERT_EQ(Rondo_Ibarrier(fresh, &requests[2]), MPI_SUCCESS);
  for (std::size_t i = requests.size(); i-- > 0;) ASSERT_EQ(Rondo_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
  expect_from(buffer, 0, "first call");
  for (int j = 0; j < world_size(); ++j) ASSERT_EQ(ranks[static_cast<std::size_t>(j)], j);
  MPI_Comm_free(&fresh);
}

/// Bad input: refused with MPI's error class and a text that names the argument, its value and what is allowed. The
/// communicator is as good as before.
class BadDenseMoves : public ::testing::Test {
 protected:
  void SetUp() override { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
  void TearDown() override {
    expect_from(buffer_, -1, "untouched");
    const int rank = world_rank();
    std::vector<int> ranks(static_cast<std::size_t>(world_size()), -1);
    ASSERT_EQ(Rondo_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int j = 0; j < world_size(); ++j) EXPECT_EQ(ranks[static_cast<std::size_t>(j)], j);
  }
  /// In every form: `error_class` on this rank. On others a persistent call fails as well, where they make it.
  void expect_bad(void* buf, int count, MPI_Datatype type, int root, int error_class,
                  std::initializer_list<const char*> words, int line) {
    MPI_Comm comm = MPI_COMM_WORLD;
    Rondo_Request request = RONDO_REQUEST_NULL;
    expect_error(Rondo_Bcast(buf, count, type, root, comm), error_class, words, line);
    expect_error(Rondo_Ibcast(buf, count, type, root, comm, &request), error_class, words, line);
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
    expect_error(Rondo_Bcast_init(buf, count, type, root, comm, MPI_INFO_NULL, &request), error_class, words, line);
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
  }
  [[nodiscard]] int init(void* buf, int count, MPI_Datatype type, int root) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    const int code = Rondo_Bcast_init(buf, count, type, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    EXPECT_EQ(request, RONDO_REQUEST_NULL);
    return code;
  }

  std::vector<int> buffer_ = std::vector<int>{content(-1, 0), content(-1, 1)};
  void* data_ = buffer_.data();
};

TEST_F(BadDenseMoves, ArgumentsOfABroadcast) {
  const std::string below =
      "root: is " + std::to_string(world_size()) + ", must be a rank, from 0 to " + std::to_string(world_size() - 1);
  expect_bad(data_, 1, MPI_INT, world_size(), MPI_ERR_ROOT, {below.c_str()}, __LINE__);
  expect_bad(data_, 1, MPI_INT, -1, MPI_ERR_ROOT, {"root: is -1, must be a rank"}, __LINE__);
  expect_bad(data_, -1, MPI_INT, 0, MPI_ERR_COUNT, {"count: is -1, must be at least 0"}, __LINE__);
  expect_bad(data_, 1, MPI_DATATYPE_NULL, 0, MPI_ERR_TYPE, {"type: is MPI_DATATYPE_NULL"}, __LINE__);
  expect_bad(nullptr, 1, MPI_INT, 0, MPI_ERR_BUFFER, {"buf: is null, must point to 4 bytes"}, __LINE__);
  expect_bad(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_ERR_BUFFER, {"buf: is MPI_IN_PLACE"}, __LINE__);
}

TEST_F(BadDenseMoves, RanksThatDiffer) {
  if (world_size() == 1) GTEST_SKIP() << "there is but one";
  const int rank = world_rank();
  const std::string here = "here it is " + std::to_string(rank == 0 ? 1 : 0) + ")";
  expect_error(init(data_, 1, MPI_INT, rank == 0 ? 1 : 0), MPI_ERR_ROOT,
               {"root: all ranks must give the same, but they do not", here.c_str()}, __LINE__);
  expect_error(init(data_, rank == 0 ? 2 : 1, MPI_INT, 0), MPI_ERR_COUNT,
               {"count: all ranks must give the same counts", "from 4 to 8"}, __LINE__);
  expect_error(init(data_, rank == 0 ? -1 : 1, MPI_INT, 0), rank == 0 ? MPI_ERR_COUNT : MPI_ERR_ARG, {}, __LINE__);
}

TEST_F(BadDenseMoves, ArgumentsOfAllgathers) {
  Comm comm(MPI_COMM_WORLD);
  const auto p = static_cast<std::size_t>(world_size());
  std::vector<int> send(2);
  std::vector<int> recv(p);
  EXPECT_EQ(class_of([&] { comm.allgather(send, recv); }), MPI_ERR_BUFFER);
  EXPECT_EQ(class_of([&] { return comm.allgather_init(send, recv); }), MPI_ERR_BUFFER);
  const std::vector<int> counts(p, 1);
  const std::vector<int> places(p, 0);
  EXPECT_EQ(class_of([&] { comm.allgatherv(send, recv, {counts, places}); }), MPI_ERR_TRUNCATE);
  EXPECT_EQ(class_of([&] { comm.allgatherv(send, recv, {counts, {}}); }), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_Allgather(send.data(), 2, MPI_INT, recv.data(), 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS, false);
  if (p > 1) {
    const bool here = world_rank() == 0;
    EXPECT_EQ(class_of([&] {
                return here ? comm.allgather_init(in_place, recv) : comm.allgather_init(std::span(send).first(1), recv);
              }),
              MPI_ERR_BUFFER);
  }
}

/// RONDO_CHECK finds types that differ where sizes do not.
TEST_F(BadDenseMoves, TypesThatDiffer) {
  if (world_size() == 1) GTEST_SKIP() << "nothing is sent";
  Options options;
  options.check = true;
  Comm comm(MPI_COMM_WORLD, options);
  MPI_Datatype type = world_rank() == 0 ? MPI_INT : MPI_FLOAT;
  EXPECT_EQ(class_of([&] { return comm.bcast_init(data_, 1, type, 0); }), MPI_ERR_TYPE);
}

}  // namespace
}  // namespace rondo::internal::dense_moves_test
