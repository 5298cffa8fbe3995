// Communicators that leave calls to MPI: remembered until they are freed.
#include "collectives/plugin/choice/comms_of_mpi.hpp"

#include <gtest/gtest.h>

#include "collectives/plugin/choice/settled_calls.hpp"

#include <vector>

namespace rondo::internal::plugin {
namespace {

using enum ReplacedCall;

MPI_Comm duplicate() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &made);
  return made;
}

bool is_known(MPI_Comm comm) {
  for (const auto& of_calls : all_comms_of_mpi)
    for (const CommsOfMpi& comms : of_calls)
      if (comms.contains(comm)) return true;
  return false;
}

TEST(CommsOfMpi, AreOfOneKindOfCalls) {
  MPI_Comm comm = duplicate();
  EXPECT_FALSE(is_known(comm));
  remember_left(ineighbor_alltoall, comm);
  remember_left(alltoall, comm, BlockSize::large);
  EXPECT_TRUE(comms_of_mpi(ineighbor_alltoall).contains(comm));
  EXPECT_FALSE(comms_of_mpi(ineighbor_alltoallv).contains(comm));
  EXPECT_FALSE(comms_of_mpi(alltoall).contains(comm));
  EXPECT_TRUE(comms_of_mpi(alltoall, BlockSize::large).contains(comm));
  EXPECT_FALSE(comms_of_mpi(alltoall, BlockSize::medium).contains(comm));
  EXPECT_FALSE(comms_of_mpi(ineighbor_alltoall).contains(MPI_COMM_SELF));
  MPI_Comm_free(&comm);
}

TEST(CommsOfMpi, AreForgottenWhenFreed) {
  MPI_Comm freed = duplicate();
  MPI_Comm disconnected = duplicate();
  MPI_Comm kept = duplicate();
  for (MPI_Comm comm : {freed, disconnected, kept}) {
    remember_left(alltoallv, comm);
    remember_left(alltoall, comm, BlockSize::small);
    remember_left(neighbor_allgather, comm);
  }
  const MPI_Comm was_freed = freed;
  const MPI_Comm was_disconnected = disconnected;
  const bool was_kept = is_known(kept);
  MPI_Comm_free(&freed);
  MPI_Comm_disconnect(&disconnected);
  EXPECT_FALSE(is_known(was_freed));
  EXPECT_FALSE(is_known(was_disconnected));
  EXPECT_EQ(is_known(kept), was_kept);
  MPI_Comm_free(&kept);
}

/// Calls that are known to be MPI's own are forgotten with their communicator; those with a type that may go before it
/// are not known at all.
TEST(CommsOfMpi, SettledCallsAreForgottenWithThem) {
  MPI_Comm comm = duplicate();
  const CallValues values{.sent = 4, .sent_type = MPI_INT};
  remember_settled(bcast, comm, values);
  EXPECT_TRUE(is_settled(bcast, comm, values));
  EXPECT_FALSE(is_settled(alltoall, comm, values));
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const CallValues of_pairs{.sent = 2, .sent_type = pair};
  remember_settled(bcast, comm, of_pairs);
  EXPECT_FALSE(is_settled(bcast, comm, of_pairs));
  MPI_Type_free(&pair);
  const MPI_Comm was = comm;
  MPI_Comm_free(&comm);
  EXPECT_FALSE(is_settled(bcast, was, values));
}

TEST(CommsOfMpi, ADuplicateIsNotKnown) {
  MPI_Comm comm = duplicate();
  remember_left(alltoall, comm);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  EXPECT_FALSE(is_known(copy));
  MPI_Comm_free(&copy);
  EXPECT_TRUE(is_known(comm));
  MPI_Comm_free(&comm);
}

/// More than there is room for: each is known at first, and none when it is freed.
TEST(CommsOfMpi, PushOthersOut) {
  std::vector<MPI_Comm> comms(200);
  int known = 0;
  for (MPI_Comm& comm : comms) {
    comm = duplicate();
    remember_left(ialltoall, comm);
    EXPECT_TRUE(comms_of_mpi(ialltoall).contains(comm));
  }
  for (MPI_Comm comm : comms) known += is_known(comm) ? 1 : 0;
  EXPECT_GT(known, 20);  // spread, wherever the handles lie
  EXPECT_LE(known, 64);
  for (MPI_Comm comm : comms) {
    const MPI_Comm was = comm;
    MPI_Comm_free(&comm);
    EXPECT_FALSE(is_known(was));
  }
}

}  // namespace
}  // namespace rondo::internal::plugin
