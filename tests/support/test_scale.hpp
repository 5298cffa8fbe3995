/// @file
/// RONDO_TEST_SCALE: how much of a long test to do.
#ifndef RONDO_TESTS_SUPPORT_TEST_SCALE_HPP
#define RONDO_TESTS_SUPPORT_TEST_SCALE_HPP

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace rondo::internal {

/// Say 100 for a night or 0.1 under a sanitizer; 1 when it is not set.
[[nodiscard]] inline double test_scale() {
  const char* const scale = std::getenv("RONDO_TEST_SCALE");
  return scale == nullptr ? 1.0 : std::strtod(scale, nullptr);
}

/// How many of `count` random cases to take: all at a scale of 1 and more, and never less than a tenth.
[[nodiscard]] inline std::uint64_t scaled(std::uint64_t count) {
  return static_cast<std::uint64_t>(static_cast<double>(count) * std::clamp(test_scale(), 0.1, 1.0));
}

/// Whether to take case `number` of many fixed ones that are much alike: all at a scale of 1 and more, else each
/// `step`th.
[[nodiscard]] inline bool taken(std::uint64_t number, std::uint64_t step) {
  return test_scale() >= 1 || number % step == 0;
}

}  // namespace rondo::internal

#endif
