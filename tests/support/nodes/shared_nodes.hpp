/// @file
/// For tests of shared memory under mpirun: who shares a node with whom (RONDO_TEST_NODES, RONDO_SHM).
#ifndef RONDO_TESTS_SUPPORT_SHARED_NODES_HPP
#define RONDO_TESTS_SUPPORT_SHARED_NODES_HPP

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string_view>

namespace rondo::internal::test {

[[nodiscard]] inline int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
[[nodiscard]] inline int all_ranks() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}
[[nodiscard]] inline bool is_set(const char* variable, std::string_view to) {
  const char* value = std::getenv(variable);
  return value != nullptr && value == to;
}
/// Whether every pair of ranks shares memory here.
[[nodiscard]] inline bool all_share() {
  return std::getenv("RONDO_TEST_NODES") == nullptr && !is_set("RONDO_SHM", "odd") && !is_set("RONDO_SHM", "off");
}
/// Of so many rounds, fewer where waiting for each other takes long: more ranks than cores, and an MPI that does not
/// yield.
[[nodiscard]] inline int rounds_of(int count) {
#if defined(OPEN_MPI)
  return count;
#else
  return all_ranks() > 2 ? count / 10 : count;
#endif
}

class ReturnedErrors : public ::testing::Environment {
  void SetUp() override { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
};

}  // namespace rondo::internal::test

#endif
