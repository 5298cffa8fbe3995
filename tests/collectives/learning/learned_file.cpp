#include "collectives/learning/learned_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rondo/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace rondo::internal::learning::learned_file_test {
namespace {

Chosen compared(double nanoseconds, std::int64_t bytes, bool in_order) {
  Prediction direct;
  direct.nanoseconds = nanoseconds;
  direct.bytes = bytes;
  Prediction ring = direct;
  ring.rounds = 3;
  Chosen chosen;
  chosen.candidates = {{"direct", direct, "direct"}, {"ring", ring, "ring"}};
  if (!in_order) std::swap(chosen.candidates[0], chosen.candidates[1]);
  return chosen;
}

std::string named(const Chosen& chosen, int ranks = 4, const char* through = "slots") {
  return problem_name(chosen, "Comm::allreduce_init", ranks, through, "Open MPI v4.1.4");
}

TEST(LearnedFile, LeadsThereAndBack) {
  const LearnedPlans plans{{"a \"problem\"", "direct: direct"}, {"another", "bruck: radix 4"}};
  EXPECT_EQ(parse_plans(print_plans(plans)), plans);
  EXPECT_EQ(parse_plans(print_plans({})), LearnedPlans{});
}

TEST(LearnedFile, AProblemIsWhatDoesNotDependOnCosts) {
  const std::string name = named(compared(100, 8, true));
  EXPECT_EQ(name.find("Comm::allreduce_init, Open MPI v4.1.4, slots, 4 ranks, "), 0U) << name;
  EXPECT_EQ(named(compared(200, 8, false)), name);
  EXPECT_NE(named(compared(100, 16, true)), name);
  EXPECT_NE(named(compared(100, 8, true), 5), name);
  EXPECT_NE(named(compared(100, 8, true), 4, "mpi"), name);
}

TEST(LearnedFile, RefusesWhatNoRunHasWritten) {
  constexpr std::size_t kDeep = 300000;  // as deep as the stack would have to be
  const std::string deep = "{\"plans\": {\"a\": " + std::string(kDeep, '[') + std::string(kDeep, ']') + "}}";
  for (const char* text : {"", "{", "[]", "{}", "{\"plans\": 3}", "{\"plans\": {\"a\": 3}}", deep.c_str()}) {
    try {
      static_cast<void>(parse_plans(text));
      ADD_FAILURE() << std::string_view(text).substr(0, 100);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_FILE);
      EXPECT_NE(std::string(error.what()).find("RONDO_LEARNED: "), std::string::npos) << error.what();
      EXPECT_LT(std::string_view(error.what()).size(), 1000U);
    }
  }
}

/// Two processes that end one after the other both find their place in it.
TEST(LearnedFile, KeepsWhatOthersHaveWritten) {
  const std::string path = std::filesystem::temp_directory_path() / ("rondo_learned_" + std::to_string(getpid()));
  setenv("RONDO_LEARNED", path.c_str(), 1);
  EXPECT_TRUE(has_learned_file());
  EXPECT_EQ(learned_plan("own"), std::nullopt);
  keep_learned_plan("own", "ring: ring");
  EXPECT_EQ(learned_plan("own"), "ring: ring");
  std::ofstream(path) << print_plans({{"others'", "direct: direct"}, {"own", "direct: direct"}});
  write_learned_file();
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(parse_plans(text.str()), (LearnedPlans{{"others'", "direct: direct"}, {"own", "ring: ring"}}));
  std::filesystem::remove(path);
  unsetenv("RONDO_LEARNED");
  EXPECT_FALSE(has_learned_file());
}

/// A folder of its own with the file that RONDO_LEARNED names.
class LearnedFolder : public ::testing::Test {
 protected:
  LearnedFolder() {
    std::filesystem::create_directories(folder_);
    setenv("RONDO_LEARNED", named_.c_str(), 1);
  }
  ~LearnedFolder() override {
    unsetenv("RONDO_LEARNED");
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] static std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// The log's lines while what was learned is written.
  [[nodiscard]] static std::string write(const char* problem) {
    keep_learned_plan(problem, "ring: ring");
    ::testing::internal::CaptureStderr();
    write_learned_file();
    return ::testing::internal::GetCapturedStderr();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("rondo_learned_folder_" + std::to_string(getpid()));
  const std::filesystem::path named_ = folder_ / "learned.json";
};

TEST_F(LearnedFolder, LeavesNothingBesideTheFile) {
  EXPECT_EQ(write("alone"), "");
  EXPECT_EQ(parse_plans(text_of(named_)).at("alone"), "ring: ring");
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) EXPECT_EQ(entry.path(), named_);
}

TEST_F(LearnedFolder, ASymbolicLinkStaysOne) {
  const std::filesystem::path target = folder_ / "target.json";
  std::ofstream(target) << print_plans({{"before", "direct: direct"}});
  std::filesystem::create_symlink(target, named_);
  EXPECT_EQ(write("linked"), "");
  EXPECT_TRUE(std::filesystem::is_symlink(named_));
  const LearnedPlans plans = parse_plans(text_of(target));
  EXPECT_EQ(plans.at("before"), "direct: direct");
  EXPECT_EQ(plans.at("linked"), "ring: ring");
}

/// What somebody has put where the new file is written is not written through.
TEST_F(LearnedFolder, ALinkInPlaceOfTheNewFileIsNotFollowed) {
  const std::filesystem::path others = folder_ / "others";
  std::ofstream(others) << "theirs";
  std::filesystem::create_symlink(others, named_.string() + ".new");
  EXPECT_EQ(write("beside a link"), "");
  EXPECT_EQ(text_of(others), "theirs");
  EXPECT_EQ(parse_plans(text_of(named_)).at("beside a link"), "ring: ring");
}

TEST_F(LearnedFolder, WhatIsNoFileIsRefused) {
  std::filesystem::create_directory(named_);
  EXPECT_NE(write("a folder").find("RONDO_LEARNED"), std::string::npos);
  std::filesystem::remove(named_);
  ASSERT_EQ(mkfifo(named_.c_str(), 0600), 0);
  EXPECT_NE(write("a pipe").find("must be a file"), std::string::npos) << "and nobody waits for its writer";
}

/// As by a process that was stopped while it held the file: what was learned is kept for a later attempt.
TEST_F(LearnedFolder, AFileThatAnotherHoldsIsNotWaitedForForEver) {
  std::ofstream(named_) << print_plans({{"theirs", "direct: direct"}});
  const int held = ::open(named_.c_str(), O_RDWR);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  EXPECT_NE(write("held").find("another process has held it"), std::string::npos);
  EXPECT_EQ(parse_plans(text_of(named_)), (LearnedPlans{{"theirs", "direct: direct"}}));
  ::close(held);
  EXPECT_EQ(write("free"), "");
  EXPECT_EQ(parse_plans(text_of(named_)).at("held"), "ring: ring");
}

}  // namespace
}  // namespace rondo::internal::learning::learned_file_test
