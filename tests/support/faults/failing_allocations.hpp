/// @file
/// Allocations that fail when a test wants them to. Replaces operator new: to be included by one file of a program.
#ifndef RONDO_TESTS_SUPPORT_FAULTS_FAILING_ALLOCATIONS_HPP
#define RONDO_TESTS_SUPPORT_FAULTS_FAILING_ALLOCATIONS_HPP

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/execution/connection.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <vector>

namespace {

/// Allocations still to go well; none fails where it is the greatest number.
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
std::size_t good_ones = kNever;
bool for_good = false;
bool struck = false;
std::ptrdiff_t alive = 0;
std::size_t attempts = 0;  ///< allocations of a run
/// How many allocations came before each collective of MPI's in a run: next to these a failure on one rank alone leaves
/// the others waiting.
std::array<std::size_t, 256> before_collectives{};
std::size_t collectives = 0;

void note_collective() {
  if (collectives < before_collectives.size()) before_collectives[collectives++] = attempts;
}

/// Rondo allocates with operator new, MPI does not.
void* allocate(std::size_t size, std::size_t alignment) {
  ++attempts;
  if (good_ones == 0) {
    struck = true;
    if (!for_good) good_ones = kNever;
    throw std::bad_alloc();
  }
  if (good_ones != kNever) --good_ones;
  void* memory = alignment == 0 ? std::malloc(size)
                                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  ++alive;
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  --alive;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

// The collectives by which ranks tell each other what they must know.
int MPI_Iallreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  note_collective();
  return PMPI_Iallreduce(sent, received, count, type, op, comm, request);
}
int MPI_Iallgather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
                   MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request) {
  note_collective();
  return PMPI_Iallgather(sent, sent_count, sent_type, received, received_count, received_type, comm, request);
}
int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  note_collective();
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  note_collective();
  return PMPI_Bcast(buffer, count, type, root, comm);
}

namespace {

class OutOfMemory : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Dims_create(ranks_, 2, sizes_.data());
  }
  int create(MPI_Comm* cart, int reorder = 0) const {
    const int code = Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, sizes_.data(), periods_.data(), 4,
                                                    offsets_.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, cart);
    if (code == MPI_SUCCESS) MPI_Comm_set_errhandler(*cart, MPI_ERRORS_RETURN);
    return code;
  }
  /// Runs `body`, which returns an error code, with each of its allocations on the last rank failing in turn, until
  /// none is left to fail; `before` and `after` run without failures. Returns how many there were. With a
  /// RONDO_TEST_SCALE below 1 only every fifth fails, another fifth each time, and all that are next to a collective.
  template <typename Before, typename Body, typename After>
  std::size_t fail_each(Before before, Body body, After after) {
    // Twice without failures: a segment that is made for it lives as long as the process, and counts only once.
    for (int run = 0; run < 2; ++run) {
      before();
      attempts = collectives = 0;
      EXPECT_EQ(body(), MPI_SUCCESS);
      const std::size_t seen = collectives;
      after();
      take_back_shared_memory();
      collectives = seen;
    }
    PMPI_Bcast(&collectives, 1, MPI_UNSIGNED_LONG, ranks_ - 1, MPI_COMM_WORLD);
    PMPI_Bcast(before_collectives.data(), static_cast<int>(collectives), MPI_UNSIGNED_LONG, ranks_ - 1, MPI_COMM_WORLD);
    const auto places = std::span(before_collectives).first(collectives);
    const auto is_next_to_collective = [&](std::size_t number) {
      constexpr std::size_t kNear = 3;
      return std::ranges::any_of(places,
                                 [&](std::size_t place) { return number + kNear >= place && number < place + kNear; });
    };
    static std::size_t turns = 0;
    const std::size_t step = rondo::internal::test_scale() < 1 ? 5 : 1;
    const std::size_t turn = turns++ % step;
    for (std::size_t number = 0;; ++number) {
      if (number % step != turn && !is_next_to_collective(number)) continue;
      const std::ptrdiff_t alive_before = alive;
      before();
      struck = false;
      for_good = GetParam();
      good_ones = rank_ == ranks_ - 1 ? number : kNever;
      const int code = body();
      good_ones = kNever;
      int struck_anywhere = struck ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &struck_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      int failed_ranks = code == MPI_SUCCESS ? 0 : 1;
      MPI_Allreduce(MPI_IN_PLACE, &failed_ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      // What the library could do without, such as a line of the log, may fail unnoticed: then nobody fails.
      EXPECT_TRUE(failed_ranks == 0 || failed_ranks == ranks_) << "allocation " << number << ": code " << code;
      if (struck && code != MPI_SUCCESS) {
        EXPECT_EQ(code, MPI_ERR_NO_MEM);
      }
      after();
      take_back_shared_memory();
      EXPECT_EQ(alive, alive_before) << "leaked after allocation " << number << " failed";
      if (struck_anywhere == 0) {
        EXPECT_EQ(code, MPI_SUCCESS);
        return number;
      }
      if (HasFailure()) return number;
    }
  }

  /// What partners have closed now.
  static void take_back_shared_memory() {
    MPI_Barrier(MPI_COMM_WORLD);
    rondo::internal::Connection::reclaim();
  }

  int rank_ = 0;
  int ranks_ = 0;
  std::array<int, 2> sizes_{};
  std::array<int, 2> periods_{1, 1};
  std::array<int, 8> offsets_{0, 1, 1, 1, 1, 0, -1, 1};
};

/// Once without failures, so that what lives as long as the process is there.
class WarmedUp : public ::testing::Environment {
  void SetUp() override {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const std::array one{1};
    const std::array both{1, -1};  // partners' memory stays mapped
    MPI_Comm cart = MPI_COMM_NULL;
    Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &ranks, one.data(), 2, both.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &cart);
    const std::array send{1, 1};
    std::array<int, 2> recv{};
    Rondo_Cart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, cart);  // the layout of MPI_INT lives on
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_CHAR, &pair);
    MPI_Type_commit(&pair);
    Rondo_Request request = RONDO_REQUEST_NULL;
    Rondo_Cart_alltoall_init(send.data(), 1, pair, recv.data(), 1, pair, cart, MPI_INFO_NULL, &request);
    Rondo_Start(&request);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
    Rondo_Request_free(&request);
    MPI_Comm dense = MPI_COMM_NULL;
    MPI_Comm_dup(cart, &dense);
    std::vector<int> blocks(2 * static_cast<std::size_t>(ranks));
    // A first nonblocking one is looked after by the engine, which keeps the room for it.
    Rondo_Ialltoall(blocks.data(), 1, MPI_INT, blocks.data() + ranks, 1, MPI_INT, dense, &request);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&dense);
    MPI_Type_free(&pair);
    MPI_Comm_free(&cart);
    // The last error's text keeps the room that a long one took.
    MPI_Comm none = MPI_COMM_NULL;
    Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &none);
  }
};
const auto* const warmed_up = ::testing::AddGlobalTestEnvironment(new WarmedUp);

}  // namespace

#endif
