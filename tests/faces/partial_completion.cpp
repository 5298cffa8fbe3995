// Blocks of operations that are not complete yet, under mpirun: arrived(), sent(), wait_any_block() and the C
// interface.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

/// The next MPI_Isend returns an error.
bool isend_fails = false;

}  // namespace

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (!isend_fails) return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
  isend_fails = false;
  return MPI_ERR_OTHER;
}

namespace rondo::internal::partial_completion_test {
namespace {

std::vector<int> balanced_grid() {
  std::vector<int> sizes(2, 0);
  MPI_Dims_create(world_size(), 2, sizes.data());
  return sizes;
}

int value(int rank, int block, int repetition) { return (repetition * 100 + rank) * 100 + block; }

/// An operation with its buffers, as often as wanted.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual int received() const = 0;
  [[nodiscard]] virtual int sent() const = 0;
  virtual void fill(int repetition) = 0;
  [[nodiscard]] virtual bool is_right(int block, int repetition) const = 0;
  virtual void overwrite(int block) = 0;
  [[nodiscard]] Request& request() { return request_; }
  virtual void start() { request_.start(); }

 protected:
  Request request_;
};

/// Blocks of `m` numbers one after the other. What a subclass says: the sum that a block ends as.
class RowExchange : public Exchange {
 public:
  RowExchange(int received, int sent, int m)
      : m_(m),
        received_(received),
        sent_(sent),
        send_(static_cast<std::size_t>(sent * m)),
        recv_(static_cast<std::size_t>(received * m)) {}
  [[nodiscard]] int received() const override { return received_; }
  [[nodiscard]] int sent() const override { return sent_; }
  void fill(int repetition) override {
    for (int i = 0; i < sent_; ++i) put(i, value(world_rank(), i, repetition));
    if (!in_place_) std::ranges::fill(recv_, -1);
  }
  [[nodiscard]] bool is_right(int block, int repetition) const override {
    const auto first = recv_.begin() + std::ptrdiff_t{block} * m_;
    return std::count(first, first + m_, expected(block, repetition)) == m_;
  }
  void overwrite(int block) override { put(block, -7); }

 protected:
  [[nodiscard]] virtual int expected(int block, int repetition) const = 0;
  void put(int block, int number) {
    const auto first = (in_place_ ? recv_ : send_).begin() + std::ptrdiff_t{block} * m_;
    std::fill(first, first + m_, number);
  }

  int m_;
  int received_;
  int sent_;
  bool in_place_ = false;
  std::vector<int> send_;
  std::vector<int> recv_;
};

class CartAlltoall final : public RowExchange {
 public:
  CartAlltoall(CartComm& grid, int m)
      : RowExchange(grid.neighbor_count(), grid.neighbor_count(), m), sources_(grid.sources()) {
    request_ = grid.alltoall_init(send_, recv_, m);
  }

 private:
  [[nodiscard]] int expected(int block, int repetition) const override {
    const int source = sources_[static_cast<std::size_t>(block)];
    return source == MPI_PROC_NULL ? -1 : value(source, block, repetition);
  }
  std::vector<int> sources_;
};

/// Started anew each time: the operation comes back from a pool.
class NonblockingAlltoallw final : public RowExchange {
 public:
  NonblockingAlltoallw(CartComm& grid, int m)
      : RowExchange(grid.neighbor_count(), grid.neighbor_count(), m), grid_(grid), sources_(grid.sources()) {}
  void start() override {
    std::vector<SendBlock> from;
    std::vector<RecvBlock> to;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      from.push_back({send_.data() + i * static_cast<std::size_t>(m_), m_, MPI_INT});
      to.push_back({recv_.data() + i * static_cast<std::size_t>(m_), m_, MPI_INT});
    }
    request_ = grid_.ialltoallw(from, to);
  }

 private:
  [[nodiscard]] int expected(int block, int repetition) const override {
    const int source = sources_[static_cast<std::size_t>(block)];
    return source == MPI_PROC_NULL ? -1 : value(source, block, repetition);
  }
  CartComm& grid_;
  std::vector<int> sources_;
};

class CartAllgather final : public RowExchange {
 public:
  CartAllgather(CartComm& grid, int m) : RowExchange(grid.neighbor_count(), 1, m), sources_(grid.sources()) {
    request_ = grid.allgather_init(send_, recv_);
  }

 private:
  [[nodiscard]] int expected(int block, int repetition) const override {
    const int source = sources_[static_cast<std::size_t>(block)];
    return source == MPI_PROC_NULL ? -1 : value(source, 0, repetition);
  }
  std::vector<int> sources_;
};

class Reduce final : public RowExchange {
 public:
  Reduce(CartComm& grid, int m, bool scatters)
      : RowExchange(1, scatters ? grid.neighbor_count() : 1, m), scatters_(scatters), sources_(grid.sources()) {
    request_ = scatters ? grid.scatter_reduce_init(send_, recv_, MPI_SUM) : grid.reduce_init(send_, recv_, MPI_SUM);
  }

 private:
  [[nodiscard]] int expected(int, int repetition) const override {
    int sum = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i] != MPI_PROC_NULL) sum += value(sources_[i], scatters_ ? static_cast<int>(i) : 0, repetition);
    }
    return sum;
  }
  bool scatters_;
  std::vector<int> sources_;
};

class DenseAlltoall final : public RowExchange {
 public:
  DenseAlltoall(Comm& comm, int m, bool with_one_buffer) : RowExchange(world_size(), world_size(), m) {
    in_place_ = with_one_buffer;
    request_ = with_one_buffer ? comm.alltoall_init(in_place, std::span(recv_), m)
                               : comm.alltoall_init(std::span<const int>(send_), std::span(recv_), m);
  }

 private:
  [[nodiscard]] int expected(int block, int repetition) const override {
    return value(block, world_rank(), repetition);
  }
};

/// Its algorithm is chosen after the start.
class LateAlltoallv final : public RowExchange {
 public:
  LateAlltoallv(Comm& comm, int m) : RowExchange(world_size(), world_size(), m), comm_(comm) {}
  void start() override {
    const std::vector<int> counts(static_cast<std::size_t>(world_size()), m_);
    std::vector<int> places(counts.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * m_;
    const BlockPlaces all{counts, places};
    request_ = comm_.ialltoallv(std::span<const int>(send_), all, std::span(recv_), all);
  }

 private:
  [[nodiscard]] int expected(int block, int repetition) const override {
    return value(block, world_rank(), repetition);
  }
  Comm& comm_;
};

/// A halo of depth 1 around 4 rows of `inside` numbers. Its blocks are those of moore(2, 1).
class HaloOfOne final : public Exchange {
 public:
  HaloOfOne(CartComm& grid, int inside)
      : columns_(inside), array_(6 * static_cast<std::size_t>(inside + 2)), directions_(moore(2, 1)) {
    for (int i = 0; i < directions_.size(); ++i) owners_.push_back(grid.relative_rank(directions_[i]));
    request_ = halo_init(grid, HaloArray::of<int>(array_, {6, columns_ + 2}, 1));
  }
  [[nodiscard]] int received() const override { return directions_.size(); }
  [[nodiscard]] int sent() const override { return directions_.size(); }
  void fill(int repetition) override {
    std::ranges::fill(array_, -1);
    for (int row = 1; row <= 4; ++row) {
      for (int column = 1; column <= columns_; ++column) at(row, column) = value(world_rank(), 0, repetition);
    }
  }
  [[nodiscard]] bool is_right(int block, int repetition) const override {
    const int owner = owners_[static_cast<std::size_t>(block)];
    const int expected = owner == MPI_PROC_NULL ? -1 : value(owner, 0, repetition);
    bool right = true;
    for_each_of(block, 0, [&](int row, int column) {
      right = right && const_cast<HaloOfOne*>(this)->at(row, column) == expected;
    });
    return right;
  }
  void overwrite(int block) override {
    for_each_of(block, 1, [&](int row, int column) { at(row, column) = -7; });
  }

 private:
  [[nodiscard]] int& at(int row, int column) { return array_[static_cast<std::size_t>(row * (columns_ + 2) + column)]; }
  /// The elements in a direction that are so far inside.
  template <typename Visit>
  void for_each_of(int block, int depth, Visit visit) const {
    const auto range = [&](int direction, int inside) {
      if (direction == 0) return std::pair(1, inside);
      const int place = direction < 0 ? depth : inside + 1 - depth;
      return std::pair(place, place);
    };
    const auto direction = directions_[block];
    const auto [first_row, last_row] = range(direction[0], 4);
    const auto [first_column, last_column] = range(direction[1], columns_);
    for (int row = first_row; row <= last_row; ++row) {
      for (int column = first_column; column <= last_column; ++column) visit(row, column);
    }
  }

  int columns_;
  std::vector<int> array_;
  Neighborhood directions_;
  std::vector<int> owners_;
};

bool arrived_in_c(Request& request, int block) {
  int flag = -1;
  EXPECT_EQ(Rondo_Arrived(request.native(), block, &flag), MPI_SUCCESS);
  return flag == 1;
}

bool sent_in_c(Request& request, int block) {
  int flag = -1;
  EXPECT_EQ(Rondo_Sent(request.native(), block, &flag), MPI_SUCCESS);
  return flag == 1;
}

std::optional<int> any_block_in_c(Request& request) {
  int block = -1;
  EXPECT_EQ(Rondo_Wait_any_block(request.native(), &block), MPI_SUCCESS);
  return block == MPI_UNDEFINED ? std::nullopt : std::optional(block);
}

/// For faults of MPI's.
Options over_mpi() {
  Options options;
  options.shm = SharedMemory::off;
  return options;
}

/// Starts an operation again and again, and uses each block as soon as it may be used.
class PartialCompletion : public ::testing::Test {
 protected:
  static void run(Exchange& exchange, const std::string& what) {
    SCOPED_TRACE(what);
    for (int repetition = 0; repetition < 6; ++repetition) {
      exchange.fill(repetition);
      exchange.start();
      if (repetition % 3 == 0)
        take_any(exchange, repetition, repetition % 2 == 0);
      else if (repetition % 3 == 1)
        take_backwards(exchange, repetition, repetition % 2 == 0);
      for (int i = 0; i < exchange.sent() && repetition != 5; ++i) {
        while (repetition % 2 == 0 ? !exchange.request().sent(i) : !sent_in_c(exchange.request(), i)) {
        }
        // In place it is the same memory: what arrived has been looked at.
        if (repetition % 3 != 2) exchange.overwrite(i);
      }
      exchange.request().wait();
      for (int i = 0; i < exchange.received() && repetition % 3 == 2; ++i)
        ASSERT_TRUE(exchange.is_right(i, repetition)) << "block " << i << " in the end";
    }
  }

 private:
  static void take_any(Exchange& exchange, int repetition, bool in_c) {
    Request& request = exchange.request();
    std::vector<int> seen(static_cast<std::size_t>(exchange.received()));
    while (const auto block = in_c ? any_block_in_c(request) : request.wait_any_block()) {
      ASSERT_TRUE(exchange.is_right(*block, repetition)) << "block " << *block;
      ASSERT_TRUE(request.arrived(*block));
      ++seen[static_cast<std::size_t>(*block)];
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << "each once";
    EXPECT_EQ(request.wait_any_block(), std::nullopt) << "and nothing more";
  }
  static void take_backwards(Exchange& exchange, int repetition, bool in_c) {
    Request& request = exchange.request();
    for (int block = exchange.received(); block-- > 0;) {
      while (in_c ? !arrived_in_c(request, block) : !request.arrived(block)) {
      }
      ASSERT_TRUE(exchange.is_right(block, repetition)) << "block " << block;
    }
  }
};

TEST_F(PartialCompletion, CartesianCollectives) {
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}}) {
    for (const char* algorithm : {"direct", "coalesced", "combining", "auto"}) {
      for (const int m : {1, 20000}) {
        Options options;
        options.algorithm = algorithm_from(algorithm);
        CartComm grid(MPI_COMM_WORLD, balanced_grid(), periods, moore(2, 1), options);
        const std::string what = std::string(algorithm) + ", m " + std::to_string(m);
        CartAlltoall alltoall(grid, m);
        run(alltoall, "alltoall, " + what);
        NonblockingAlltoallw nonblocking(grid, m);
        run(nonblocking, "alltoallw, " + what);
        CartAllgather allgather(grid, m);
        run(allgather, "allgather, " + what);
        Reduce reduce(grid, m, false);
        Reduce scatter_reduce(grid, m, true);
        // Without a source the result is left as it is.
        if (periods[0] == 1) run(reduce, "reduce, " + what);
        if (periods[0] == 1) run(scatter_reduce, "scatter-reduce, " + what);
      }
    }
  }
}

TEST_F(PartialCompletion, DenseAlltoalls) {
  for (const char* algorithm : {"direct", "bruck", "compact-bruck", "randomized"}) {
    for (const int m : {1, 20000}) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      Comm comm(MPI_COMM_WORLD, options);
      const std::string what = std::string(algorithm) + ", m " + std::to_string(m);
      DenseAlltoall alltoall(comm, m, false);
      run(alltoall, what);
      DenseAlltoall with_one_buffer(comm, m, true);
      run(with_one_buffer, "in place, " + what);
      LateAlltoallv late(comm, m);
      run(late, "alltoallv, " + what);
    }
  }
}

TEST_F(PartialCompletion, Halos) {
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}}) {
    for (const char* algorithm : {"direct", "coalesced", "combining", "joined"}) {
      for (const int inside : {3, 20000}) {
        Options options;
        options.algorithm = algorithm_from(algorithm);
        CartComm grid(MPI_COMM_WORLD, balanced_grid(), periods, Neighborhood(2), options);
        HaloOfOne halo(grid, inside);
        run(halo, std::string(algorithm) + ", inside " + std::to_string(inside));
      }
    }
  }
}

/// Rank 0 starts only after its neighbors have seen that other blocks have arrived, and that its own has not.
TEST_F(PartialCompletion, BlocksArriveOneByOne) {
  const int p = world_size();
  const int rank = world_rank();
  Options options;
  options.algorithm = rondo::Algorithm::direct;
  CartComm ring(MPI_COMM_WORLD, {p}, box(1, 2, 0), options);  // from itself and from the rank before
  CartAlltoall exchange(ring, 1);
  exchange.fill(0);
  Request& request = exchange.request();
  const bool waits_for_zero = rank == 1;
  int ready = 0;
  if (p > 1 && rank == 0) MPI_Recv(&ready, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  request.start();
  EXPECT_EQ(request.wait_any_block(), 0) << "its own";
  if (waits_for_zero) {
    EXPECT_FALSE(request.arrived(1));
    EXPECT_FALSE(request.test());
    EXPECT_TRUE(request.arrived(0));
    EXPECT_TRUE(exchange.is_right(0, 0));
    MPI_Send(&ready, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  EXPECT_EQ(request.wait_any_block(), 1);
  EXPECT_TRUE(exchange.is_right(1, 0));
  request.wait();
}

TEST_F(PartialCompletion, AnInactiveRequestHasAllItsBlocks) {
  CartComm grid(MPI_COMM_WORLD, balanced_grid(), moore(2, 1));
  CartAlltoall exchange(grid, 1);
  Request& request = exchange.request();
  const auto expect_all = [&] {
    for (int i = 0; i < 8; ++i) {
      EXPECT_TRUE(request.arrived(i));
      EXPECT_TRUE(request.sent(i));
    }
    EXPECT_EQ(request.wait_any_block(), std::nullopt);
  };
  expect_all();
  exchange.fill(0);
  request.start();
  request.wait();
  expect_all();
  // Complete, and not waited for: blocks are still told.
  request.start();
  while (!request.arrived(7)) {
  }
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(request.wait_any_block().has_value());
  EXPECT_EQ(request.wait_any_block(), std::nullopt);
  request.wait();
  expect_all();
}

TEST_F(PartialCompletion, AnEmptyNeighborhoodHasNoBlocks) {
  CartComm grid(MPI_COMM_WORLD, balanced_grid(), Neighborhood(2));
  CartAlltoall exchange(grid, 1);
  exchange.start();
  EXPECT_EQ(exchange.request().wait_any_block(), std::nullopt);
  EXPECT_EQ(class_of([&] { return exchange.request().arrived(0); }), MPI_ERR_ARG);
  exchange.request().wait();
}

/// What is one block by definition is that one with no neighbors, too: a result left as it is, a block sent to nobody.
TEST_F(PartialCompletion, AnEmptyNeighborhoodHasAResult) {
  CartComm grid(MPI_COMM_WORLD, balanced_grid(), Neighborhood(2));
  for (const bool scatters : {false, true}) {
    Reduce reduce(grid, 1, scatters);
    EXPECT_TRUE(reduce.request().arrived(0));
    reduce.start();
    EXPECT_TRUE(reduce.request().arrived(0));
    EXPECT_EQ(class_of([&] { return reduce.request().arrived(1); }), MPI_ERR_ARG);
    if (!scatters) {
      EXPECT_TRUE(reduce.request().sent(0));
    }
    EXPECT_EQ(reduce.request().wait_any_block(), 0);
    EXPECT_EQ(reduce.request().wait_any_block(), std::nullopt);
    reduce.request().wait();
  }
  CartAllgather allgather(grid, 1);
  EXPECT_TRUE(allgather.request().sent(0));
}

/// What has arrived is right; who asks for what has not, and will not, is told why; the wait tells it, too.
TEST_F(PartialCompletion, AFailureIsToldInPlaceOfABlock) {
  CartComm grid(MPI_COMM_WORLD, balanced_grid(), moore(2, 1), over_mpi());
  for (const bool any : {false, true}) {
    CartAlltoall exchange(grid, 1);
    Request& request = exchange.request();
    for (int repetition = 0; repetition < 4; ++repetition) {
      const bool fails = repetition % 2 == 1;
      MPI_Barrier(MPI_COMM_WORLD);
      exchange.fill(repetition);
      isend_fails = fails && world_rank() == 0;
      request.start();
      bool told = false;
      const auto look_at = [&](int block) {
        EXPECT_TRUE(exchange.is_right(block, repetition)) << "wrong data and no error";
      };
      for (int block = 0; block < 8 && !told && !any; ++block) {
        try {
          while (!request.arrived(block)) {
          }
          look_at(block);
        } catch (const Error&) {
          told = true;
        }
      }
      while (any && !told) {
        try {
          const auto block = request.wait_any_block();
          if (!block) break;
          look_at(*block);
        } catch (const Error&) {
          told = true;
        }
      }
      const int waited = class_of([&] { return request.wait(), 0; });
      EXPECT_FALSE(told && waited == MPI_SUCCESS) << "the wait must fail, too";
      EXPECT_TRUE(fails || !told);
      const bool lost_a_send = fails && world_rank() == 0 && world_size() > 1;
      EXPECT_TRUE(!lost_a_send || waited != MPI_SUCCESS);
      isend_fails = false;
      EXPECT_TRUE(request.arrived(0)) << "inactive";
    }
  }
}

/// Also where nobody has looked before it was over, and so nobody has counted.
TEST_F(PartialCompletion, AFailureIsToldToWhoAsksOnlyAfterwards) {
  if (world_size() < 2) GTEST_SKIP() << "needs messages";
  CartComm grid(MPI_COMM_WORLD, balanced_grid(), moore(2, 1), over_mpi());
  for (const bool any : {false, true}) {
    CartAlltoall exchange(grid, 1);
    Request& request = exchange.request();
    exchange.fill(0);
    MPI_Barrier(MPI_COMM_WORLD);
    isend_fails = world_rank() == 0;
    request.start();
    bool over = false;
    if (!request.on_complete([&] { over = true; })) over = true;
    while (!over) static_cast<void>(progress());
    isend_fails = false;
    const int told = class_of([&] { return any ? request.wait_any_block().has_value() : request.arrived(0); });
    const int waited = class_of([&] { return request.wait(), 0; });
    EXPECT_EQ(told, waited);
    EXPECT_TRUE(world_rank() != 0 || waited != MPI_SUCCESS);
  }
}

using BadBlocks = BadInput;

TEST_F(BadBlocks, AreRefused) {
  std::array<int, 2> send{1, 2};
  std::array<int, 2> recv{};
  int flag = -1;
  int block = -1;
  Rondo_Request request = RONDO_REQUEST_NULL;
  expect_error(Rondo_Arrived(request, 0, &flag), MPI_ERR_REQUEST, {"Rondo_Arrived", "request: is RONDO_REQUEST_NULL"},
               __LINE__);
  expect_error(Rondo_Sent(request, 0, &flag), MPI_ERR_REQUEST, {"Rondo_Sent", "request: is RONDO_REQUEST_NULL"},
               __LINE__);
  expect_error(Rondo_Wait_any_block(request, &block), MPI_ERR_REQUEST,
               {"Rondo_Wait_any_block", "request: is RONDO_REQUEST_NULL"}, __LINE__);
  ASSERT_EQ(Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good, MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  for (const bool active : {false, true}) {
    ASSERT_EQ(active ? Rondo_Start(&request) : MPI_SUCCESS, MPI_SUCCESS);
    expect_error(Rondo_Arrived(request, 2, &flag), MPI_ERR_ARG,
                 {"Rondo_Arrived", "block: is 2, must be in [0, 2), the blocks that the operation receives"}, __LINE__);
    expect_error(Rondo_Arrived(request, -1, &flag), MPI_ERR_ARG, {"block: is -1, must be in [0, 2)"}, __LINE__);
    expect_error(Rondo_Sent(request, 2, &flag), MPI_ERR_ARG, {"Rondo_Sent", "block: is 2", "that the operation sends"},
                 __LINE__);
    expect_error(Rondo_Arrived(request, 0, nullptr), MPI_ERR_ARG, {"flag: is null"}, __LINE__);
    expect_error(Rondo_Sent(request, 0, nullptr), MPI_ERR_ARG, {"flag: is null"}, __LINE__);
    expect_error(Rondo_Wait_any_block(request, nullptr), MPI_ERR_ARG, {"block: is null"}, __LINE__);
  }
  EXPECT_EQ(flag, -1);
  ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  const Rondo_Request freed = request;
  ASSERT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  expect_error(Rondo_Arrived(freed, 0, &flag), MPI_ERR_REQUEST, {"request: was freed"}, __LINE__);
}

TEST_F(BadBlocks, AnOperationWithoutBlocksSaysSo) {
  CartComm grid(MPI_COMM_WORLD, balanced_grid(), Neighborhood(2));
  Request request = grid.allgather_init(std::span<const int>(), std::span<int>());
  int flag = -1;
  expect_error(Rondo_Arrived(request.native(), 0, &flag), MPI_ERR_ARG, {"block: is 0, but the operation receives none"},
               __LINE__);
  Request scatter = grid.scatter_reduce_init(std::span<const int>(), std::span<int>(), MPI_SUM);
  expect_error(Rondo_Sent(scatter.native(), 0, &flag), MPI_ERR_ARG, {"block: is 0, but the operation sends none"},
               __LINE__);
}

}  // namespace
}  // namespace rondo::internal::partial_completion_test
