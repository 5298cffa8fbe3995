/// @file
/// Which of many fixed cases to take where time is short.
#ifndef RONDO_TESTS_SUPPORT_TAKEN_HPP
#define RONDO_TESTS_SUPPORT_TAKEN_HPP

#include "tests/support/test_scale.hpp"

#include <cstdint>

namespace rondo::internal {

/// Whether to take case `number` of many that are much alike: all at a RONDO_TEST_SCALE of 1 and more, else each
/// `step`th.
[[nodiscard]] inline bool taken(std::uint64_t number, std::uint64_t step) {
  return test_scale() >= 1 || number % step == 0;
}

}  // namespace rondo::internal

#endif
