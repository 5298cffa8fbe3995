// The communicator that Rondo's messages travel on: the user's processes, and nothing else of the user's.
#include "runtime/base/private_comm.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/comm.h>

namespace rondo::internal::private_comm_test {
namespace {

int copies = 0;

int count_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  ++copies;
  *flag = 1;
  return MPI_SUCCESS;
}

/// A communicator with an attribute, as applications have them.
class PrivateCommTest : public testing::Test {
 protected:
  void SetUp() override {
    copies = 0;
    MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &keyval_, nullptr);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_attr(comm_, keyval_, &copies);
  }
  void TearDown() override {
    MPI_Comm_free(&comm_);
    MPI_Comm_free_keyval(&keyval_);
  }
  void expect_same_ranks_and_errors_returned(const PrivateComm& own) const {
    int result = MPI_UNEQUAL;
    MPI_Comm_compare(own.get(), comm_, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(own.get(), &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int keyval_ = MPI_KEYVAL_INVALID;
};

TEST_F(PrivateCommTest, HasTheSameRanksAndReturnsErrors) {
  const PrivateComm own(comm_);
  ASSERT_TRUE(own.made());
  expect_same_ranks_and_errors_returned(own);
}

TEST_F(PrivateCommTest, DoesNotCopyAttributes) {
  const PrivateComm own(comm_);
  EXPECT_EQ(copies, 0);
  void* value = nullptr;
  int flag = 1;
  MPI_Comm_get_attr(own.get(), keyval_, static_cast<void*>(&value), &flag);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(Rondo_Comm_prepare(comm_, MPI_INFO_NULL), MPI_SUCCESS);
  EXPECT_EQ(copies, 0);
}

TEST_F(PrivateCommTest, ComesWithoutWaiting) {
  PrivateComm own;
  EXPECT_FALSE(own.made());
  own.begin_duplicate(comm_);
  while (!own.advance_duplicate()) {
  }
  expect_same_ranks_and_errors_returned(own);
}

}  // namespace
}  // namespace rondo::internal::private_comm_test
