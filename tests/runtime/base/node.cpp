#include "runtime/base/node.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>

namespace rondo::internal::node_test {
namespace {

TEST(Node, CoresOfAQuota) {
  EXPECT_EQ(cores_of_quota("200000 100000"), 2);
  EXPECT_EQ(cores_of_quota("150000 100000"), 2) << "the larger part of a core is one";
  EXPECT_EQ(cores_of_quota("110000 100000"), 1);
  EXPECT_EQ(cores_of_quota("10000 100000"), 1);
  for (const char* none : {"max 100000", "", "0 0", "100000"})
    EXPECT_EQ(cores_of_quota(none), std::numeric_limits<int>::max()) << none;
}

/// Reads what launchers say of a node's ranks, and nothing else of them.
TEST(Node, RanksOnNodeByLauncher) {
  const std::array all{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PALS_LOCAL_SIZE", "JSM_NAMESPACE_LOCAL_SIZE",
                       "SLURM_STEP_TASKS_PER_NODE",  "SLURM_NODEID",    "FLUX_JOB_SIZE",   "FLUX_JOB_NNODES"};
  std::map<std::string, std::string> before;
  for (const char* variable : all) {
    if (const char* value = std::getenv(variable)) before[variable] = value;
    unsetenv(variable);
  }
  using Variables = std::map<std::string, std::string>;
  const auto ranks_with = [](const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    const int ranks = ranks_on_node();
    for (const auto& [name, value] : variables) unsetenv(name.c_str());
    return ranks;
  };
  EXPECT_EQ(ranks_with({}), 1);
  for (const char* variable : {all[0], all[1], all[2], all[3]})
    EXPECT_EQ(ranks_with({{variable, "12"}}), 12) << variable;
  const auto by_slurm = [&](const char* tasks, const char* node) {
    return ranks_with({{"SLURM_STEP_TASKS_PER_NODE", tasks}, {"SLURM_NODEID", node}});
  };
  EXPECT_EQ(by_slurm("8", "0"), 8);
  EXPECT_EQ(by_slurm("4(x2),3", "0"), 4);
  EXPECT_EQ(by_slurm("4(x2),3", "1"), 4);
  EXPECT_EQ(by_slurm("4(x2),3", "2"), 3);
  EXPECT_EQ(by_slurm("1,16(x3),2", "3"), 16);
  EXPECT_EQ(by_slurm("1,16(x3),2", "4"), 2);
  EXPECT_EQ(by_slurm("nonsense", "0"), 1);
  EXPECT_EQ(ranks_with({{"FLUX_JOB_SIZE", "10"}, {"FLUX_JOB_NNODES", "3"}}), 4);
  EXPECT_EQ(ranks_with({{"FLUX_JOB_SIZE", "10"}}), 1);
  EXPECT_EQ(ranks_with({{"MPI_LOCALNRANKS", "6"}, {"SLURM_STEP_TASKS_PER_NODE", "1"}}), 6) << "mpiexec in a Slurm job";
  know_ranks_on_node(5);
  EXPECT_EQ(ranks_with({{"MPI_LOCALNRANKS", "6"}}), 5) << "counted";
  know_ranks_on_node(0);
  EXPECT_EQ(told_ranks_on_node(), std::nullopt);
  for (const auto& [name, value] : before) setenv(name.c_str(), value.c_str(), 1);
}

/// Eight cores, of which four share one last-level cache, and four another; their other caches are their own.
TEST(Node, LastLevelCacheOfCores) {
  const std::filesystem::path system = std::filesystem::temp_directory_path() / ("node_" + std::to_string(getpid()));
  const auto describe = [&](int core, int index, const std::string& sharers) {
    const std::filesystem::path cache =
        system / ("cpu" + std::to_string(core)) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(cache);
    std::ofstream(cache / "shared_cpu_list") << sharers << '\n';
  };
  for (int core = 0; core < 8; ++core) {
    describe(core, 0, std::to_string(core));
    describe(core, 1, std::to_string(core));
    describe(core, 2, core % 4 < 2 ? "0-1,4-5" : "2,3,6-7");
  }
  const auto cache_of = [&](std::initializer_list<int> cores) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : cores) CPU_SET(core, &set);
    return last_level_cache(set, system.string());
  };
  EXPECT_EQ(cache_of({0}), 1);
  EXPECT_EQ(cache_of({5}), 1);
  EXPECT_EQ(cache_of({0, 1, 4, 5}), 1);
  EXPECT_EQ(cache_of({7}), 3);
  EXPECT_EQ(cache_of({2, 6}), 3);
  EXPECT_EQ(cache_of({1, 2}), kSeveralCaches);
  EXPECT_EQ(cache_of({0, 1, 2, 3, 4, 5, 6, 7}), kSeveralCaches);
  EXPECT_EQ(cache_of({9}), 0) << "the system does not say";
  EXPECT_EQ(cache_of({}), 0);
  std::filesystem::remove_all(system);
}

TEST(Node, CountsCoresItIsNotBoundTo) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_GE(cores_of_node(), std::min(CPU_COUNT(&before), cores_of_quota(cpu_quota())));
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &one));
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace rondo::internal::node_test
