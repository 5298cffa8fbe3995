#include "runtime/base/log.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>

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

TEST(Log, LinesNameTheRank) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::internal::CaptureStderr();
  log(LogLevel::error, "something is ", 1, " too much");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[rondo] [error] rank " + std::to_string(rank) + ": something is 1 too much\n");
}

}  // namespace
}  // namespace rondo::internal::log_test
