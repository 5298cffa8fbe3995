#include "datatypes/copying/copy_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal::copy_bytes_test {
namespace {

/// Copies of all kinds of lengths between all kinds of places in a page.
TEST(CopyBytes, CopiesNeitherMoreNorLess) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  std::vector<std::byte> source(kMegabyte + kPage);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
  std::vector<std::byte> memory(kMegabyte + 4 * kPage);
  const auto place_in_page = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at) % kPage; };
  // `begin` has the place in its page that the source has.
  std::byte* const begin =
      memory.data() + (kPage + place_in_page(source.data()) - place_in_page(memory.data())) % kPage;
  for (const std::size_t bytes : {0U, 1U, 64U, 65U, 2048U, 2049U, 4096U, 6143U, 6144U, 6145U, 1U << 20U}) {
    for (const std::size_t behind : {0U, 1U, 8U, 15U, 16U, 4095U}) {
      std::ranges::fill(memory, std::byte{0xee});
      auto expected = memory;
      const std::ptrdiff_t first = begin + behind - memory.data();
      std::copy_n(source.begin(), bytes, expected.begin() + first);
      copy_bytes(begin + behind, source.data(), bytes);
      ASSERT_EQ(memory, expected) << bytes << " bytes, " << behind << " behind";
    }
  }
}

}  // namespace
}  // namespace rondo::internal::copy_bytes_test
