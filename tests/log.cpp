#include "runtime/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rondo {
namespace {

/// A level that does not exist must not silence errors.
TEST(Log, AnUnknownLevelLeavesTheDefault) {
  setenv("RONDO_LOG", "loud", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(log().level(), spdlog::level::warn);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("RONDO_LOG: is loud, must be trace"), std::string::npos);
}

}  // namespace
}  // namespace rondo
