// Every predefined datatype with every operation, in the library's dense reductions and in those of a neighborhood in
// which all ranks are: the result or the class of the error is MPI's own.
#include "tests/support/every_reduction.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.h>

#include <numeric>
#include <string>
#include <vector>

namespace rondo::internal::every_reduction {
namespace {

void expect_mpis_own(const Functions<Rondo_Request>& functions, MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  run(comm, forms(functions, comm), [](const std::string& text) { ADD_FAILURE() << text; });
}

TEST(EveryReduction, OfAllRanksIsMpis) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  expect_mpis_own(
      {Rondo_Allreduce, Rondo_Reduce_scatter_block, Rondo_Reduce_scatter, Rondo_Iallreduce, Rondo_Ireduce_scatter_block,
       Rondo_Ireduce_scatter, Rondo_Allreduce_init, Rondo_Reduce_scatter_block_init, Rondo_Reduce_scatter_init,
       Rondo_Wait, Rondo_Start, Rondo_Request_free},
      comm);
  MPI_Comm_free(&comm);
}

TEST(EveryReduction, OfANeighborhoodIsMpis) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int periodic = 1;
  std::vector<int> offsets(static_cast<std::size_t>(size));
  std::iota(offsets.begin(), offsets.end(), 0);
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &size, &periodic, size, offsets.data(), MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &comm),
            MPI_SUCCESS);
  expect_mpis_own({Rondo_Cart_reduce, nullptr, nullptr, Rondo_Icart_reduce, nullptr, nullptr, Rondo_Cart_reduce_init,
                   nullptr, nullptr, Rondo_Wait, Rondo_Start, Rondo_Request_free},
                  comm);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::every_reduction
