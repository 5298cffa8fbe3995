// Which contexts take a private communicator of an earlier one, told by how many communicators MPI is asked to make.
#include "collectives/comm_state/spare_comms.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/comm_state/creation.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstddef>
#include <vector>

namespace {
int made = 0;
bool fails = false;       // as MPI fails that has no further communicator
bool is_refused = false;  // what SpareComms is told
}  // namespace

extern "C" int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made_comm) {
  ++made;
  if (fails) {
    PMPI_Comm_create(comm, group, made_comm);
    PMPI_Comm_free(made_comm);
    return MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER) == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_ERR_INTERN;
  }
  return PMPI_Comm_create(comm, group, made_comm);
}

namespace rondo::internal::spare_comms_test {
namespace {

class SpareCommsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SpareComms::of_process().keep_from_now_on([]() noexcept { return is_refused ? "a reason" : nullptr; });
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    made = 0;
  }

  /// Of all processes; `turned`: in the opposite order.
  [[nodiscard]] MPI_Comm make(bool turned = false) const {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, turned ? p - rank : rank, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
  }
  /// An alltoall with right results.
  void use(MPI_Comm comm) const {
    int own = 0;
    MPI_Comm_rank(comm, &own);
    const std::vector<int> send(static_cast<std::size_t>(p), own);
    std::vector<int> recv(send.size(), -1);
    ASSERT_EQ(Rondo_Alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm), MPI_SUCCESS);
    for (int i = 0; i < p; ++i) EXPECT_EQ(recv[static_cast<std::size_t>(i)], i);
  }
  void make_use_and_free(bool turned = false) const {
    MPI_Comm comm = make(turned);
    use(comm);
    MPI_Comm_free(&comm);
  }

  int rank = 0;
  int p = 0;
};

TEST_F(SpareCommsTest, OneIsEnoughForOneCommunicatorAfterTheOther) {
  make_use_and_free();
  made = 0;
  for (int i = 0; i < 10; ++i) make_use_and_free();
  EXPECT_EQ(made, 0);
}

TEST_F(SpareCommsTest, CommunicatorsAtTheSameTimeHaveOneEach) {
  make_use_and_free();
  made = 0;
  MPI_Comm first = make();
  MPI_Comm second = make();
  MPI_Comm third = make();
  for (const MPI_Comm comm : {second, first, third, first}) use(comm);
  EXPECT_EQ(made, 2);
  for (MPI_Comm* comm : {&third, &first, &second}) MPI_Comm_free(comm);
  made = 0;
  first = make();
  second = make();
  use(first);
  use(second);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  EXPECT_EQ(made, 0);
}

TEST_F(SpareCommsTest, OtherProcessesOrAnotherOrderHaveAnother) {
  make_use_and_free();
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  int send = rank;
  int recv = -1;
  EXPECT_EQ(Rondo_Alltoall(&send, 1, MPI_INT, &recv, 1, MPI_INT, alone), MPI_SUCCESS);
  EXPECT_EQ(recv, rank);
  MPI_Comm_free(&alone);
  made = 0;
  make_use_and_free(true);
  EXPECT_EQ(made, 1);
  make_use_and_free(true);
  make_use_and_free(false);
  EXPECT_EQ(made, 1);
}

TEST_F(SpareCommsTest, OneThatARankStillUsesIsNotTaken) {
  make_use_and_free();
  MPI_Comm comm = make();
  use(comm);
  const std::vector<int> send(static_cast<std::size_t>(p), rank);
  std::vector<int> recv(send.size(), -1);
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm, &request), MPI_SUCCESS);
  if (rank != 0) {
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  MPI_Comm_free(&comm);
  MPI_Barrier(MPI_COMM_WORLD);
  made = 0;
  comm = make();
  use(comm);
  EXPECT_EQ(made, 1);
  if (rank == 0) {
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  for (int i = 0; i < p; ++i) EXPECT_EQ(recv[static_cast<std::size_t>(i)], i);
  MPI_Comm_free(&comm);
  made = 0;
  make_use_and_free();
  EXPECT_EQ(made, 0);
}

/// What rank 0 sent in a call that failed on another may still lie there.
TEST_F(SpareCommsTest, OneOnWhichACallFailedSomewhereIsNotTaken) {
  MPI_Comm comm = make();
  use(comm);
  // Rank 0 sends to the last rank, which receives from nobody, as its call fails.
  const int last = p - 1;
  std::vector<int> send(static_cast<std::size_t>(p), 4711);
  std::vector<int> recv(send.size(), -1);
  std::vector<int> to(send.size(), 0);
  std::vector<int> from(send.size(), 0);
  const std::vector<int> places(send.size(), 0);
  if (rank == 0) to.back() = 1;
  if (rank == last) from.front() = -1;
  EXPECT_EQ(Rondo_Alltoallv(send.data(), to.data(), places.data(), MPI_INT, recv.data(), from.data(), places.data(),
                            MPI_INT, comm),
            rank == last ? MPI_ERR_COUNT : MPI_SUCCESS);
  MPI_Comm_free(&comm);
  made = 0;
  make_use_and_free();
  EXPECT_EQ(made, 1);
  make_use_and_free();
  EXPECT_EQ(made, 1);
}

/// Whether a private communicator can be made. Throws what is neither that nor NoPrivateComm.
bool can_be_made(MPI_Comm comm) {
  Creation creation(1, SharedMemory::off, nullptr, comm);
  creation.reach();
  PrivateComm own;
  try {
    creation.make(own, comm);
    return true;
  } catch (const NoPrivateComm&) {
    return false;
  }
}

TEST_F(SpareCommsTest, AFailureOnOneRankIsTheSameOnAll) {
  MPI_Comm comm = make();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  fails = rank == 0;
  EXPECT_FALSE(can_be_made(comm));
  fails = false;
  is_refused = rank == 0;
  EXPECT_FALSE(can_be_made(comm));
  is_refused = false;
  EXPECT_TRUE(can_be_made(comm));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::spare_comms_test
