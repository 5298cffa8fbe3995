/* Dense collectives on any intracommunicator: alltoalls (zero-copy Bruck, ICS 2014; randomized alltoall for Slim Fly),
 * allgathers, broadcast, barrier, reductions. Part of rondo.h, which says how errors are reported and which threads may
 * call. */
#ifndef RONDO_COMM_H
#define RONDO_COMM_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares the state that Rondo keeps for the dense collectives of a communicator: a duplicate, the number of ranks per
 * core, and settings. Optional: without it, the first call does this. Collective over comm, blocking; may be called
 * again with other settings. Fails on all ranks or on none. info: MPI_INFO_NULL, or keys. Each key has an environment
 * variable in capitals (RONDO_ALGORITHM, ...) that counts if the key is absent:
 *   rondo_algorithm       auto, or the name of an algorithm (docs/algorithms.md)
 *   rondo_ports           exchanges in flight at once; 0: all, or the algorithm's best number
 *   rondo_queue           how randomized and segmented start exchanges: window (each exchange that ends starts the
 *                         next) or batches (rondo_ports exchanges, then a wait for all, as in the Slim Fly paper)
 *   rondo_radix           radix of Bruck's alltoall, of broadcast trees and of barriers, at least 2; 0: the best
 *   rondo_segment         bytes of a segment of the algorithms segmented, chain and circulant; more if a block has over
 *                         1024 segments
 *   rondo_seed            seed of random orders, agreed without a message: size (the number of ranks, as in the Slim
 *                         Fly paper), calls (another seed for each call), or a number
 *   rondo_regular_ratio   largest size of a block for Bruck's algorithm, as a multiple of the smallest block, at least
 *                         1; 4 by default. Blocks below 64 bytes count as 64.
 *   rondo_tuning          a file of costs measured on this machine (bench/run.sh tune), which rank 0 reads; by default,
 *                         the costs of the machine that Rondo was tuned on
 *   rondo_assert_uniform  true: the arguments are right on all ranks, so that _init calls check nothing together;
 *                         alltoallv and alltoallw then cannot use algorithms that need to know sizes, such as Bruck's
 *   rondo_schedule, rondo_messages, rondo_shm, rondo_learn, rondo_learn_again, rondo_progress, rondo_check: as in
 *                         Rondo_Cart_neighborhood_create
 * Errors: MPI_ERR_COMM, MPI_ERR_INFO_VALUE, MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE, MPI_ERR_ARG (an error on another
 * rank). */
int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info);

/* Sends block j to rank j of comm and receives block j from rank j: arguments as in MPI_Alltoall, MPI_Alltoallv and
 * MPI_Alltoallw (displacements in bytes, as int), including MPI_IN_PLACE as sendbuf: then received blocks replace the
 * sent ones. Blocking; collective over comm, any intracommunicator of any number of processes. Blocks must not share
 * bytes, except that in place each block is both sent and received. A block has the same length, in bytes, on its
 * sender and on its receiver.
 *
 * The first blocking or _init call on a communicator makes another communicator of the same processes, by
 * MPI_Comm_create, and costs one or two more small allreduces; Rondo_Comm_prepare does that beforehand. If the first
 * call is nonblocking, it uses MPI_Comm_idup, which calls the copy functions of comm's attributes. The duplicate is in
 * progress until the first operation completes at the latest, and Rondo's blocking functions on comm wait for it. Open
 * MPI 4.1 fails or hangs if the program meanwhile calls a nonblocking MPI collective on comm, or a function that makes
 * a communicator from comm, such as MPI_Comm_dup: call Rondo_Comm_prepare first (docs/errors.md).
 *
 * MPI_Comm_free releases Rondo's state of the communicator, at once or with the last operation in flight, and may wait
 * for a duplicate that an operation waits for. MPI_Comm_dup makes a communicator that starts without Rondo's state.
 *
 * Blocks of alltoallv and alltoallw may differ in size. They go straight to their ranks, unless rondo_algorithm names
 * an algorithm that needs to know how much the sizes differ. Then each call costs two allreduces and, if the sizes
 * differ little enough, a round of sizes for each of Bruck's rounds (ICS 2014, section 3.5). Such calls report an error
 * on one rank to all ranks.
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

/* Nonblocking alltoalls, which start the operation and return: complete the request with Rondo_Wait or Rondo_Test,
 * which free the request. The buffers belong to the operation until then; counts, displacements and datatypes may be
 * freed at once. Collective: all ranks start their operations on comm in the same order. A nonblocking call never waits
 * for another rank, not even as the first call on its communicator: the messages then go out once the duplicate is
 * made, by any call that makes progress. A call that agrees on sizes (see Rondo_Alltoall) does not wait either: it
 * agrees while in progress, and until then its algorithm is "to be chosen". A rank that then finds that a size does not
 * match the data that arrive fails alone, while the others wait. */
int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     Rondo_Request* request);
int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                     void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm, Rondo_Request* request);

/* Persistent alltoalls, prepared once and started with Rondo_Start any number of times; starting allocates nothing.
 * Collective over comm, in the same order on all ranks. Waits for the other ranks: two small allreduces find out how
 * large the largest and the smallest block of all are (ICS 2014, section 3.5), and whether all ranks succeeded. An
 * alltoallv or alltoallw whose sizes differ little enough for Bruck's algorithm takes one more, and rounds of sizes.
 * With rondo_assert_uniform, by which the caller asserts that the arguments are right on all ranks, there are no
 * allreduces. Operations in flight go on meanwhile. Starts may be in any order, different on each rank. info:
 * MPI_INFO_NULL, or the keys of Rondo_Comm_prepare. Free the request with Rondo_Request_free. Errors, reported to all
 * ranks: those of Rondo_Alltoall, and MPI_ERR_COUNT if the sizes of a regular call differ between ranks; with
 * rondo_check also MPI_ERR_BUFFER, MPI_ERR_TRUNCATE and MPI_ERR_TYPE for blocks that do not fit those of other ranks,
 * and MPI_ERR_INTERN. */
int Rondo_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, Rondo_Request* request);

/* Combines the vectors of all ranks, element by element: arguments as in MPI_Allreduce, MPI_Reduce_scatter_block and
 * MPI_Reduce_scatter, including MPI_IN_PLACE as sendbuf: then the result replaces the vector in recvbuf. An allreduce
 * gives all of the result to every rank; a reduce-scatter gives rank j the j-th part, of recvcount or recvcounts[j]
 * elements. All ranks give the same counts, types of the same size, and the same operation. Blocking; collective over
 * comm, any intracommunicator of any number of processes. For the first call on a communicator see
 * Rondo_Alltoall.
 *
 *   op   predefined, with the datatypes that this MPI takes for it, or made by MPI_Op_create, with any datatype;
 *        associative. An operation that is not commutative is applied in the order of the ranks, and only by algorithms
 *        that keep this order (docs/algorithms.md). A user-defined operation must not be freed before the last request
 *        that uses it.
 *
 * The result is the same to the last bit on all ranks and in every run with the same algorithm; another algorithm may
 * round differently.
 *
 * Errors: as in Rondo_Alltoall, and MPI_ERR_OP. */
int Rondo_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int Rondo_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm);
int Rondo_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm);

/* Nonblocking: see Rondo_Ialltoall. */
int Rondo_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                     Rondo_Request* request);
int Rondo_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm, Rondo_Request* request);
int Rondo_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, Rondo_Request* request);

/* Persistent: see Rondo_Alltoall_init. Two small allreduces find out whether all ranks gave the same counts and
 * operations that are alike; with rondo_assert_uniform there are no allreduces. */
int Rondo_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                         MPI_Info info, Rondo_Request* request);
int Rondo_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                    MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

/* Waits until all ranks have entered the barrier, by this call, by starting the request, or by the nonblocking call: no
 * rank leaves before. Collective over comm, any intracommunicator of any number of processes. For the first call on a
 * communicator see Rondo_Alltoall. Algorithms: docs/algorithms.md. Errors: as in Rondo_Alltoall. */
int Rondo_Barrier(MPI_Comm comm);
/* Nonblocking: see Rondo_Ialltoall. */
int Rondo_Ibarrier(MPI_Comm comm, Rondo_Request* request);
/* Persistent: see Rondo_Alltoall_init. */
int Rondo_Barrier_init(MPI_Comm comm, MPI_Info info, Rondo_Request* request);

/* Sends the root's buf to all other ranks, into their buf: arguments as in MPI_Bcast. All ranks give the same root, and
 * counts and types of the same size in bytes; blocking and nonblocking calls do not find out whether they do.
 * Collective over comm, as Rondo_Barrier. Errors: as in Rondo_Alltoall, and MPI_ERR_ROOT. */
int Rondo_Bcast(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
/* Nonblocking: see Rondo_Ialltoall. */
int Rondo_Ibcast(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm, Rondo_Request* request);
/* Persistent: see Rondo_Alltoall_init. A small allreduce finds out whether all ranks gave the same root and size; with
 * rondo_assert_uniform there is none. */
int Rondo_Bcast_init(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     Rondo_Request* request);

/* Sends one block to all ranks and receives the block of rank j as block j of recvbuf: arguments as in MPI_Allgather
 * and MPI_Allgatherv (displacements in elements), including MPI_IN_PLACE as sendbuf on all ranks: then a rank's own
 * block lies in recvbuf already. All ranks give the same sizes in bytes; blocking and nonblocking calls do not find out
 * whether they do. Collective over comm, as Rondo_Barrier. Errors: as in Rondo_Alltoall. */
int Rondo_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                     const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
/* Nonblocking: see Rondo_Ialltoall. */
int Rondo_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
int Rondo_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                      const int displs[], MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
/* Persistent: see Rondo_Alltoall_init. A small allreduce finds out whether all ranks gave the same sizes; with
 * rondo_assert_uniform there is none. */
int Rondo_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Info info, Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
