/// @file
/// What tests of calls that learn ask of all ranks together. Collective over MPI_COMM_WORLD.
#ifndef RONDO_TESTS_SUPPORT_OPERATIONS_ALIKE_ON_ALL_RANKS_HPP
#define RONDO_TESTS_SUPPORT_OPERATIONS_ALIKE_ON_ALL_RANKS_HPP

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <string>

namespace rondo::internal {

/// The same on all ranks. `text`: of any length.
inline void expect_alike(const std::string& text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::string first = text;
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, first);
}

/// Whether all ranks know that it is over, which they hear of at different calls.
[[nodiscard]] inline bool is_over_everywhere(bool over_here) {
  int over = over_here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return over == 1;
}

}  // namespace rondo::internal

#endif
