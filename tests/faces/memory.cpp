// Allocated memory: the C functions, the allocator and the array.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/shared_memory/allocated_memory.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <list>
#include <new>
#include <numeric>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo::internal::memory_test {
namespace {

static_assert(!std::is_copy_constructible_v<Array<double>> && !std::is_copy_assignable_v<Array<double>>);
static_assert(std::is_nothrow_move_constructible_v<Array<double>> && std::is_nothrow_move_assignable_v<Array<double>>);
static_assert(std::ranges::contiguous_range<Array<double>> && std::ranges::contiguous_range<const Array<double>>);
static_assert(std::allocator_traits<Allocator<double>>::is_always_equal::value);

class Memory : public ::testing::Test {
 protected:
  void SetUp() override { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
  static std::string text_of(int code) {
    std::array<char, RONDO_MAX_ERROR_STRING> text{};
    int length = 0;
    EXPECT_EQ(Rondo_Error_string(code, text.data(), &length), MPI_SUCCESS);
    return text.data();
  }
  /// Whether others on the node could read it.
  template <typename Elements>
  static bool is_shared(const Elements& elements) {
    return static_cast<bool>(AllocatedMemory::process().find(elements.data(), elements.size() * sizeof(double)));
  }
  std::size_t before = AllocatedMemory::process().arrays();
};

TEST_F(Memory, IsAllocatedAndFreedInC) {
  for (const MPI_Aint bytes : {MPI_Aint{0}, MPI_Aint{8}, MPI_Aint{3} << 20U}) {
    double* memory = nullptr;
    ASSERT_EQ(Rondo_Alloc(bytes, static_cast<void*>(&memory)), MPI_SUCCESS);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    std::fill_n(memory, bytes / MPI_Aint{sizeof(double)}, 1.0);
    EXPECT_EQ(AllocatedMemory::process().arrays(), before + 1);
    EXPECT_EQ(Rondo_Free(memory), MPI_SUCCESS);
    EXPECT_EQ(AllocatedMemory::process().arrays(), before);
  }
  EXPECT_EQ(Rondo_Free(nullptr), MPI_SUCCESS);
}

TEST_F(Memory, ErrorsNameTheArgument) {
  void* memory = this;
  EXPECT_EQ(Rondo_Alloc(-1, static_cast<void*>(&memory)), MPI_ERR_ARG);
  expect_words(text_of(MPI_ERR_ARG).c_str(), {"Rondo_Alloc", "bytes: is -1, must be at least 0"});
  EXPECT_EQ(memory, this);
  EXPECT_EQ(Rondo_Alloc(8, nullptr), MPI_ERR_ARG);
  expect_words(text_of(MPI_ERR_ARG).c_str(), {"Rondo_Alloc", "baseptr: is null"});
  EXPECT_EQ(Rondo_Alloc(std::numeric_limits<MPI_Aint>::max(), static_cast<void*>(&memory)), MPI_ERR_NO_MEM);
  EXPECT_EQ(Rondo_Free(this), MPI_ERR_BASE);
  expect_words(text_of(MPI_ERR_BASE).c_str(), {"Rondo_Free", "base: is not the beginning of memory"});
  ASSERT_EQ(Rondo_Alloc(8, static_cast<void*>(&memory)), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Free(static_cast<char*>(memory) + 1), MPI_ERR_BASE);
  EXPECT_EQ(Rondo_Free(memory), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Free(memory), MPI_ERR_BASE);
}

TEST_F(Memory, ContainersTakeTheAllocator) {
  {
    std::vector<double, Allocator<double>> values(100000, 2.0);
    values.resize(200000, 3.0);
    EXPECT_EQ(values.front() + values.back(), 5.0);
    EXPECT_EQ(is_shared(values), !test::is_set("RONDO_SHM", "off"));
    std::list<int, Allocator<int>> nodes{1, 2, 3};
    nodes.push_back(4);
    EXPECT_EQ(std::accumulate(nodes.begin(), nodes.end(), 0), 10);
    EXPECT_TRUE(Allocator<int>() == Allocator<double>());
    EXPECT_THROW(static_cast<void>(Allocator<double>().allocate(std::numeric_limits<std::size_t>::max() / 4)),
                 std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(Allocator<char>().allocate(std::numeric_limits<std::size_t>::max())),
                 std::bad_alloc);
  }
  EXPECT_EQ(AllocatedMemory::process().arrays(), before);
}

TEST_F(Memory, AnArrayOwnsItsElements) {
  {
    Array<double> field(1000);
    EXPECT_EQ(field.size(), 1000U);
    EXPECT_FALSE(field.empty());
    EXPECT_TRUE(std::ranges::all_of(field, [](double one) { return one == 0; }));
    EXPECT_EQ(is_shared(field), !test::is_set("RONDO_SHM", "off"));
    field[7] = 7;
    const Array<double> copy = field.clone();
    EXPECT_TRUE(std::ranges::equal(field, copy));
    EXPECT_NE(copy.data(), field.data());
    const double* const memory = field.data();
    Array<double> moved = std::move(field);
    EXPECT_EQ(moved.data(), memory);
    EXPECT_EQ(std::as_const(moved)[7], 7);
    EXPECT_EQ(moved.span().size() + copy.span().size(), 2000U);
    Array<double> other(3, 1.5);
    EXPECT_EQ(other[2], 1.5);
    other = std::move(moved);
    EXPECT_EQ(other.data(), memory);
    EXPECT_TRUE(Array<double>().empty());
    EXPECT_EQ(Array<int>(0).data(), nullptr);
    EXPECT_TRUE(Array<int>().clone().empty());
  }
  EXPECT_EQ(AllocatedMemory::process().arrays(), before);
}

TEST_F(Memory, ArraysAreBuffers) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  Comm comm(MPI_COMM_WORLD);
  Array<int> send(static_cast<std::size_t>(p), comm.rank());
  std::vector<int, Allocator<int>> recv(static_cast<std::size_t>(p));
  comm.alltoall(send, recv, 1);
  for (int rank = 0; rank < p; ++rank) EXPECT_EQ(recv[static_cast<std::size_t>(rank)], rank);
}

}  // namespace
}  // namespace rondo::internal::memory_test
