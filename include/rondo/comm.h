/* Dense alltoalls, of any intracommunicator (zero-copy Bruck, ICS 2014; randomized alltoall for Slim Fly). Part of
 * rondo.h, which says how errors are told and which threads may call.
 */
#ifndef RONDO_COMM_H
#define RONDO_COMM_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes ready what Rondo keeps for the dense alltoalls of a communicator: a duplicate, how many ranks share a core, and
 * settings. Not needed, but then the first call does it. Collective over comm, blocking; may be called again with other
 * settings. Fails on all ranks alike. info: MPI_INFO_NULL, or keys, each with an environment variable in capitals
 * (RONDO_ALGORITHM, ...) that counts where the key is absent:
 *   rondo_algorithm       auto, or the name of an algorithm (docs/algorithms.md)
 *   rondo_ports           exchanges in flight at once; 0: all, or as many as the algorithm takes best
 *   rondo_queue           how exchanges are let in by randomized and segmented: window (each that ends lets the
 *                         next one in) or batches (so many, then a wait for all: the Slim Fly paper's)
 *   rondo_radix           of Bruck's algorithm, from 2 up; 0: the best
 *   rondo_segment         bytes of a segment of the algorithm segmented, more where a block has over 1024 of them
 *   rondo_seed            of random orders, agreed without a message: size (the number of ranks, as in the Slim Fly
 *                         paper), calls (another for each call), or a number
 *   rondo_regular_ratio   how many times the smallest block the largest may be for Bruck's algorithm, at least 1; 4
 *                         where it is not given. Blocks below 64 bytes count as 64.
 *   rondo_tuning          a file of costs measured on this machine (bench/run.sh tune), which rank 0 reads; where it is
 *                         not given, those of the machine that Rondo was tuned on
 *   rondo_assert_uniform  true: the arguments are right on all ranks, which therefore agree on nothing in _init calls;
 *                         alltoallv and w then have no algorithm that needs to know sizes, such as Bruck's
 *   rondo_schedule, rondo_messages, rondo_progress, rondo_check: see Rondo_Cart_neighborhood_create
 * Errors: MPI_ERR_COMM, MPI_ERR_INFO_VALUE, MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE, MPI_ERR_ARG (what is wrong on another
 * rank). */
int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info);

/* Block j goes to rank j of comm, and block j comes from rank j: arguments as in MPI_Alltoall, MPI_Alltoallv and
 * MPI_Alltoallw (displacements in bytes, as int), MPI_IN_PLACE as sendbuf included, where what is received takes the
 * place of what was sent. Blocking; collective over comm, any intracommunicator of any number of processes. Blocks must
 * not share bytes, except that in place they are the same. A block is as long, in bytes, where it is received as where
 * it is sent.
 *
 * The first blocking or _init call on a communicator makes one of the same processes and costs two small
 * allreduces more; Rondo_Comm_prepare does that beforehand. A first call that is nonblocking takes MPI_Comm_idup,
 * which calls the copy functions of comm's attributes, and is under way until the first operation completes at the
 * latest. Rondo's blocking functions on comm wait for it. Open MPI 4.1 fails or hangs when it is given a nonblocking
 * collective on comm meanwhile, or a function that makes a communicator from it, such as MPI_Comm_dup: call
 * Rondo_Comm_prepare first (docs/errors.md).
 *
 * MPI_Comm_free releases everything, at once or with the last operation in flight, and may wait for a duplicate that
 * one waits for; MPI_Comm_dup makes a communicator that begins anew.
 *
 * Blocks of alltoallv and w may differ in size. They go straight to their ranks, unless rondo_algorithm names an
 * algorithm that needs to know how much they differ: then each call costs an allreduce, one more, and, where they
 * differ little enough, a round of sizes for each of Bruck's (ICS 2014, section 3.5); what is wrong on one rank is told
 * to all by these.
 *
 * Errors: MPI_ERR_COMM, MPI_ERR_COUNT (also: a message came short), MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_ARG,
 * MPI_ERR_TRUNCATE (a message came too long), MPI_ERR_INFO_VALUE (a value in the environment, or ranks whose settings
 * differ), MPI_ERR_OTHER (a partner failed). */
int Rondo_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                    MPI_Comm comm);

/* The same, started and not waited for: complete it with Rondo_Wait or Rondo_Test, which free the request. The buffers
 * belong to the operation until then; counts, displacements and datatypes may be freed at once. Collective: all ranks
 * start their operations on comm in the same order. Never waits for another rank, not even as the first call on its
 * communicator: the messages go out when the duplicate is made then, by any call that makes progress. Nor does one that
 * agrees on sizes (see above): it does so while it is under way, its algorithm is "to be chosen" until then, and a rank
 * that finds out then that a size is not what comes fails alone, while the others wait. */
int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     Rondo_Request* request);
int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                     void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm, Rondo_Request* request);

/* The same, prepared once and started with Rondo_Start as often as wanted; starting allocates nothing. Collective over
 * comm, in the same order on all ranks. Waits for the other ranks: two small allreduces (for
 * alltoallv and w whose sizes differ little enough for Bruck's algorithm one more, and rounds of sizes) find out how
 * large the largest and the smallest block of all are (ICS 2014, section 3.5), and whether all went well everywhere;
 * none with rondo_assert_uniform, by which the caller vouches for arguments that are right on all ranks. Operations in
 * flight go on meanwhile. Starts may be in any order, different on each rank. info: MPI_INFO_NULL, or the keys of
 * Rondo_Comm_prepare. Free the request with Rondo_Request_free. Errors, told to all ranks: those above, and
 * MPI_ERR_COUNT where the sizes of a regular call differ between ranks; with rondo_check also MPI_ERR_BUFFER,
 * MPI_ERR_TRUNCATE and MPI_ERR_TYPE for blocks that do not fit those of other ranks, and MPI_ERR_INTERN. */
int Rondo_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
