// From which call on a communicator is made ready for Rondo.
#include "collectives/plugin/choice/frequent_comms.hpp"

#include <gtest/gtest.h>

namespace rondo::internal::plugin {
namespace {

int calls_before_frequent(MPI_Comm comm) {
  int calls = 0;
  while (!is_frequent(comm)) ++calls;
  return calls;
}

TEST(FrequentComms, HaveMadeSoManyCalls) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  EXPECT_EQ(calls_before_frequent(comm), kCallsThatPay);
  EXPECT_TRUE(is_frequent(comm));
  MPI_Comm_free(&comm);
}

TEST(FrequentComms, CountForThemselves) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  EXPECT_EQ(calls_before_frequent(comm), kCallsThatPay);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  EXPECT_EQ(calls_before_frequent(copy), kCallsThatPay);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);  // most often the same handle
  EXPECT_EQ(calls_before_frequent(comm), kCallsThatPay);
  MPI_Comm_free(&comm);
}

TEST(FrequentComms, RememberReductionsThatMustNotChange) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  EXPECT_FALSE(leaves_inexact(comm));
  leave_inexact(comm);
  EXPECT_TRUE(leaves_inexact(comm));
  EXPECT_EQ(calls_before_frequent(comm), kCallsThatPay) << "other calls count as before";
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  EXPECT_FALSE(leaves_inexact(copy));
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::plugin
