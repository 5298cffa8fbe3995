#include "runtime/base/scratch_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace rondo::internal::scratch_memory_test {
namespace {

TEST(ScratchMemory, NothingIsTakenForNoBytes) { EXPECT_EQ(ScratchMemory(0).data(), nullptr); }

TEST(ScratchMemory, IsAlignedAndAllOfItIsThere) {
  for (const std::int64_t bytes : {1, 64, 4097, (2 << 20) - 1, 2 << 20, (4 << 20) + 1}) {
    const ScratchMemory memory(bytes);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U) << bytes;
    std::memset(memory.data(), 0x5A, static_cast<std::size_t>(bytes));
    EXPECT_EQ(memory.data()[bytes - 1], std::byte{0x5A});
  }
}

}  // namespace
}  // namespace rondo::internal::scratch_memory_test
