#include "collectives/learning/learned_file.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>
#include <rondo/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

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
  for (const char* text : {"", "{", "[]", "{}", "{\"plans\": 3}", "{\"plans\": {\"a\": 3}}"}) {
    try {
      static_cast<void>(parse_plans(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_FILE);
      EXPECT_NE(std::string(error.what()).find("RONDO_LEARNED: "), std::string::npos) << error.what();
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
  std::filesystem::remove(path + ".lock");
  unsetenv("RONDO_LEARNED");
  EXPECT_FALSE(has_learned_file());
}

}  // namespace
}  // namespace rondo::internal::learning::learned_file_test
