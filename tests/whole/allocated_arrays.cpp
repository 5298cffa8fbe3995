// Persistent operations on arrays that Rondo allocated, under mpirun: messages that either end copies, beside those
// that go through slots and over MPI. RONDO_TEST_NODES=n and RONDO_SHM as in shared_memory.cpp.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>
#include <rondo/rondo.hpp>

#include "tests/support/child_process.hpp"
#include "tests/support/mpi_grid.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::allocated_arrays_test {
namespace {

using test::Held;
using test::held;

constexpr const char* kClaimed = "lie in allocated arrays at both ends, and are copied once";

using test::all_share;
using test::rounds_of;

/// A field with a halo that is as deep as a cache line is long, so that its columns are claimed too.
class Field {
 public:
  static constexpr std::size_t kDepth = 8;
  static constexpr std::size_t kInside = 100;
  static constexpr std::size_t kSide = kInside + 2 * kDepth;

  explicit Field(bool allocated) {
    if (allocated)
      array_.emplace(kSide * kSide);
    else
      vector_.resize(kSide * kSide);
  }
  [[nodiscard]] std::span<double> cells() { return array_ ? array_->span() : std::span(vector_); }
  [[nodiscard]] HaloArray halo() {
    return HaloArray::of<double>(cells(), {static_cast<int>(kSide), static_cast<int>(kSide)}, kDepth);
  }
  void fill(int rank, int start) {
    const std::span<double> all = cells();
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t j = 0; j < kSide; ++j)
        all[i * kSide + j] = inside(i) && inside(j) ? cell(rank, i, j, start) : -1;
    }
  }
  /// The halo only; what is inside was not touched by the exchange if its border was not.
  void check(const CartComm& grid, int start, const std::string& what) {
    const std::span<const double> all = cells();
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t j = 0; j < kSide; ++j) {
        const auto [row, of_row] = place(i);
        const auto [column, of_column] = place(j);
        ASSERT_EQ(all[i * kSide + j], cell(grid.relative_rank({row, column}), of_row, of_column, start))
            << what << ", start " << start << ", cell " << i << " " << j;
      }
    }
  }

 private:
  static bool inside(std::size_t i) { return i >= kDepth && i < kDepth + kInside; }
  static double cell(int rank, std::size_t i, std::size_t j, int start) {
    return rank * 1e9 + start * 1e6 + static_cast<double>(i * kSide + j);
  }
  /// Whose a cell is, and where it lies there.
  static std::pair<int, std::size_t> place(std::size_t i) {
    if (i < kDepth) return {-1, i + kInside};
    return i >= kDepth + kInside ? std::pair(1, i - kInside) : std::pair(0, i);
  }
  std::optional<Array<double>> array_;
  std::vector<double> vector_;
};

CartComm torus(const Options& options = {}) { return {MPI_COMM_WORLD, balanced(2), Neighborhood(2), options}; }

void expect_exchanges(Request& request, Field& field, const CartComm& grid, int starts, const std::string& what) {
  for (int start = 0; start < starts; ++start) {
    field.fill(grid.rank(), start);
    request.start();
    request.wait();
    field.check(grid, start, what);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(AllocatedArrays, HalosOfEveryAlgorithm) {
  for (const char* algorithm : {"auto", "direct", "coalesced", "combining", "joined"}) {
    for (const char* messages : {"auto", "datatype", "staged"}) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      options.messages = message_form_from(messages);
      options.check = true;
      const CartComm grid = torus(options);
      Field field(true);
      Request halo = halo_init(grid, field.halo());
      expect_exchanges(halo, field, grid, 4, std::string(algorithm) + ", " + messages);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(AllocatedArrays, ManyStarts) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  Field field(true);
  Request halo = halo_init(grid, field.halo());
  if (all_share() && grid.size() > 1) {
    EXPECT_NE(halo.explain().find(kClaimed), std::string::npos) << halo.explain();
    EXPECT_NE(halo.to_dot().find("shared memory"), std::string::npos);
  }
  expect_exchanges(halo, field, grid, rounds_of(100), "direct");
}

/// Some ranks have arrays, others private memory: of one message both ends find the same way.
TEST(AllocatedArrays, BesideOthersPrivateMemory) {
  for (const int divisor : {2, 3}) {
    const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
    Field field(grid.rank() % divisor == 0);
    Request halo = halo_init(grid, field.halo());
    if (grid.size() == 2) {
      EXPECT_EQ(halo.explain().find(kClaimed), std::string::npos);
    }
    expect_exchanges(halo, field, grid, 5, "mixed");
  }
}

/// In one piece, and longer than any slot.
TEST(AllocatedArrays, LongBlocks) {
  Comm comm(MPI_COMM_WORLD);
  const auto p = static_cast<std::size_t>(comm.size());
  for (const std::size_t m : {std::size_t{500}, std::size_t{5000}, std::size_t{200000}}) {
    Array<int> send(p * m);
    std::vector<int, Allocator<int>> recv(p * m);
    Request request = comm.alltoall_init(send, recv, static_cast<int>(m), {.algorithm = Algorithm::direct});
    const bool claimed = request.explain().find(kClaimed) != std::string::npos;
    if (all_share()) {
      EXPECT_EQ(claimed, p > 1 && m > 1000) << request.explain();
    } else {
      EXPECT_FALSE(claimed && m < 1000) << request.explain();
    }
    for (int start = 0; start < 5; ++start) {
      for (std::size_t i = 0; i < send.size(); ++i)
        send[i] = comm.rank() * 100'000'000 + start * 10'000'000 + static_cast<int>(i);
      std::ranges::fill(recv, -1);
      request.start();
      request.wait();
      for (std::size_t i = 0; i < recv.size(); ++i) {
        const std::size_t of = static_cast<std::size_t>(comm.rank()) * m + i % m;
        ASSERT_EQ(recv[i], static_cast<int>(i / m) * 100'000'000 + start * 10'000'000 + static_cast<int>(of));
      }
    }
  }
}

/// Blocks are told as they come, and may be used then.
TEST(AllocatedArrays, BlocksOneByOne) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  Field field(true);
  Request halo = halo_init(grid, field.halo());
  for (int start = 0; start < 10; ++start) {
    field.fill(grid.rank(), start);
    halo.start();
    int blocks = 0;
    while (halo.wait_any_block()) ++blocks;
    EXPECT_EQ(blocks, 8);
    halo.wait();
    field.check(grid, start, "by blocks");
    if (HasFatalFailure()) return;
  }
}

/// One that has started and sits in MPI since holds nobody up: the others copy for it.
TEST(AllocatedArrays, ARankInAReceiveHoldsNobodyUp) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  Field field(true);
  Request halo = halo_init(grid, field.halo());
  for (int start = 0; start < rounds_of(30); ++start) {
    const int sits = start % grid.size();
    field.fill(grid.rank(), start);
    halo.start();
    int word = 0;
    if (grid.rank() == sits) {
      for (int others = 1; others < grid.size(); ++others)
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      halo.wait();
    } else {
      halo.wait();
      MPI_Send(&word, 1, MPI_INT, sits, 5, MPI_COMM_WORLD);
    }
    field.check(grid, start, "rank " + std::to_string(sits) + " sits in a receive");
    if (HasFatalFailure()) return;
  }
}

/// Rank 1 sits in an MPI call, before it starts, that rank 0 has a part in: rank 0 moves MPI while it waits for arrays.
TEST(AllocatedArrays, ARankInASendBeforeItsStart) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  if (grid.size() < 2) GTEST_SKIP() << "no partner";
  Field field(true);
  Request halo = halo_init(grid, field.halo());
  std::vector<char> message(std::size_t{1} << 20U);  // does not travel before it is received
  const auto bytes = static_cast<int>(message.size());
  for (int start = 0; start < 5; ++start) {
    std::ranges::fill(message, grid.rank() == 1 ? 'x' : 'y');
    MPI_Request request = MPI_REQUEST_NULL;
    if (grid.rank() == 0) MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
    if (grid.rank() == 1) MPI_Send(message.data(), bytes, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    expect_exchanges(halo, field, grid, 1, "rank 1 sits in a send");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_TRUE(grid.rank() != 0 || message.back() == 'x');
    if (HasFatalFailure()) return;
  }
}

TEST(AllocatedArrays, RanksInABarrier) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  Field field(true);
  Request halo = halo_init(grid, field.halo());
  for (int start = 0; start < 5; ++start) {
    // Rank 0 has a part in it, and waits for those who sit in it before their start.
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    if (grid.rank() != 0) MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    expect_exchanges(halo, field, grid, 1, "the others sit in a barrier before their start");
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    // And after it: whoever came second has copied.
    field.fill(grid.rank(), start);
    halo.start();
    MPI_Barrier(MPI_COMM_WORLD);
    halo.wait();
    field.check(grid, start, "all sat in a barrier after their start");
    if (HasFatalFailure()) return;
  }
}

/// Those who wait are told, or copy in the background, as over MPI.
TEST(AllocatedArrays, CallbacksAndProgressInTheBackground) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  for (const ProgressMode mode : {ProgressMode::inlined, ProgressMode::async}) {
    if (mode == ProgressMode::async && level != MPI_THREAD_MULTIPLE) continue;
    const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype, .progress = mode});
    Field field(true);
    Request halo = halo_init(grid, field.halo());
    EXPECT_EQ(halo.progress(), mode);
    std::atomic<int> called = 0;
    int given = 0;
    for (int start = 0; start < rounds_of(30); ++start) {
      field.fill(grid.rank(), start);
      halo.start();
      given += halo.on_complete([&] { ++called; }) ? 1 : 0;
      if (start % 3 == 0) {
        while (halo.wait_any_block()) {
        }
      } else if (mode == ProgressMode::async) {
        usleep(100);  // nobody here makes progress
      }
      halo.wait();
      field.check(grid, start, "with a callback");
      if (HasFatalFailure()) return;
    }
    halo = Request();
    EXPECT_EQ(called, given);
  }
}

/// Freed before their requests or after them, on each rank as it likes; in the end nothing is left.
TEST(AllocatedArrays, MadeAndFreedInALoop) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  Held before{};
  for (int round = 0; round < 6 + rounds_of(34); ++round) {
    auto field = std::make_unique<Field>(true);
    Request halo = halo_init(grid, field->halo());
    expect_exchanges(halo, *field, grid, 2, "round " + std::to_string(round));
    if (HasFatalFailure()) return;
    if ((round + grid.rank()) % 2 == 0) field.reset();
    halo = Request();
    field.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    // Segments of slots are kept.
    if (round == 4) before = held();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Held after = held();
  EXPECT_LE(after.descriptors, before.descriptors + 2);
  EXPECT_LE(after.mappings, before.mappings + 4);
}

TEST(AllocatedArrays, SeveralAtOnceInAnyOrder) {
  const CartComm grid = torus({.algorithm = Algorithm::direct, .messages = MessageForm::datatype});
  std::vector<std::unique_ptr<Field>> fields;
  std::vector<Request> halos;
  for (int k = 0; k < 4; ++k) {
    fields.push_back(std::make_unique<Field>(k != 2));
    halos.push_back(halo_init(grid, fields.back()->halo()));
  }
  for (int start = 0; start < rounds_of(20); ++start) {
    for (std::size_t k = 0; k < 4; ++k) fields[k]->fill(grid.rank(), start);
    const auto first = static_cast<std::size_t>(start + grid.rank());
    for (std::size_t k = 0; k < 4; ++k) halos[(first + k) % 4].start();
    for (std::size_t k = 0; k < 4; ++k) halos[(first + 3 - k) % 4].wait();
    for (std::size_t k = 0; k < 4; ++k) {
      fields[k]->check(grid, start, "field " + std::to_string(k));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::allocated_arrays_test
