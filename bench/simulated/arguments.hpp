/// @file
/// The command line of the benchmark `simulated`.
#ifndef RONDO_BENCH_SIMULATED_ARGUMENTS_HPP
#define RONDO_BENCH_SIMULATED_ARGUMENTS_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal::simulated {

struct Arguments {
  std::string csv;
  bool quick = false;
  // One point, and not the tables, where a number of ranks is given.
  int ranks = 0;
  int nodes = 0;  ///< 0: as many as ranks
  std::string collective = "dense";
  std::string operation = "alltoall";
  std::vector<std::int64_t> bytes = {64};
  std::string platform = "fat-tree";
  std::string network = "omni-path";
  std::string mapping = "blocks";
  int rails = 1;
  std::string binding = "in-turn";
  std::vector<std::string> algorithms;  ///< empty: all
};

inline constexpr const char* kUsage =
    "usage: simulated CSV [--quick]\n"
    "       simulated CSV --ranks P [--nodes N] [--collective dense|9-point|27-point|box-5] [--bytes B,B,...]\n"
    "                 [--operation alltoall|allgather|reduce]\n"
    "                 [--platform one-switch|fat-tree|torus|slim-fly] [--network omni-path|fdr-infiniband]\n"
    "                 [--mapping blocks|round-robin|reordered] [--algorithms NAME,NAME,...]\n"
    "                 [--rails K] [--binding in-turn|in-blocks]\n";

/// Throws std::invalid_argument with what is wrong.
[[nodiscard]] Arguments parse(int argc, char** argv);

}  // namespace rondo::internal::simulated

#endif
