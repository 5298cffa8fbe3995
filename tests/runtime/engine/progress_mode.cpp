#include "runtime/engine/progress_mode.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

namespace rondo::internal::progress_mode_test {
namespace {

using enum ProgressMode;

TEST(ProgressMode, AutoIsWhatLevelAndCoresAllow) {
  const auto of = [](int level, int cores, int ranks) {
    return grant(automatic, {.thread_level = level, .cores = cores, .ranks_on_node = ranks}).mode;
  };
  EXPECT_EQ(of(MPI_THREAD_SINGLE, 16, 1), inlined);
  EXPECT_EQ(of(MPI_THREAD_FUNNELED, 16, 1), workers);
  EXPECT_EQ(of(MPI_THREAD_SERIALIZED, 16, 15), workers);
  EXPECT_EQ(of(MPI_THREAD_MULTIPLE, 16, 15), async);
  EXPECT_EQ(of(MPI_THREAD_MULTIPLE, 16, 16), inlined) << "no core is spare";
  EXPECT_EQ(of(MPI_THREAD_MULTIPLE, 1, 1), inlined) << "default_concurrency() is 1";
}

TEST(ProgressMode, WhatTheLevelDoesNotAllowIsSaid) {
  const Surroundings single{.thread_level = MPI_THREAD_SINGLE, .cores = 16, .ranks_on_node = 1};
  const Granted granted = grant(async, single);
  EXPECT_EQ(granted.mode, inlined);
  EXPECT_NE(granted.why.find("MPI_THREAD_SINGLE"), std::string::npos) << granted.why;
  EXPECT_NE(granted.why.find("Rondo_Init_thread"), std::string::npos) << granted.why;
  EXPECT_EQ(grant(workers, single).mode, inlined);
  const Surroundings funneled{.thread_level = MPI_THREAD_FUNNELED, .cores = 1, .ranks_on_node = 4};
  EXPECT_EQ(grant(workers, funneled).mode, workers) << "asked for is asked for, though cores are shared";
  EXPECT_EQ(grant(async, funneled).mode, inlined);
}

TEST(ProgressMode, NamesAreReadAsTheyAreWritten) {
  for (const ProgressMode mode : {automatic, inlined, workers, async}) EXPECT_EQ(progress_mode_from(name(mode)), mode);
  EXPECT_EQ(progress_mode_from("Async"), std::nullopt);
  EXPECT_EQ(progress_mode_from(""), std::nullopt);
}

TEST(ProgressMode, EachNeedsItsLevel) {
  for (const ProgressMode mode : {inlined, workers, async}) {
    const Surroundings enough{.thread_level = level_for(mode), .cores = 2, .ranks_on_node = 1};
    EXPECT_EQ(grant(mode, enough).mode, mode) << name(mode);
  }
}

}  // namespace
}  // namespace rondo::internal::progress_mode_test
