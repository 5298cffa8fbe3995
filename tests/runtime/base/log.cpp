#include "runtime/base/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rondo::internal::log_test {
namespace {

/// A level that does not exist must not silence errors.
TEST(Log, AnUnknownLevelLeavesTheDefault) {
  setenv("RONDO_LOG", "loud", 1);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(logs(LogLevel::warning));
  EXPECT_FALSE(logs(LogLevel::info));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("RONDO_LOG: is loud, must be trace"), std::string::npos);
}

}  // namespace
}  // namespace rondo::internal::log_test
