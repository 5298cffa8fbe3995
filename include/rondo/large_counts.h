/* Large counts: the collectives with counts and displacements of 64 bits. Part of rondo.h, which says how errors are
 * reported and which threads may call.
 *
 * Each function is like the function without the suffix _c, in comm.h or cart.h: it does the same, is called by the
 * same ranks, waits for the same, and has the same requests, info keys and errors. The suffix and the types are MPI
 * 4's:
 *
 *   counts           MPI_Count in place of int
 *   displacements    MPI_Aint in place of int: in elements for the v forms, in bytes for the w forms, as without the
 *                    suffix
 *
 * Ranks may mix both kinds of one call: one rank may call Rondo_Alltoall_c and another Rondo_Alltoall, if blocks have
 * as many bytes. Blocks of any size are sent under any MPI, also one that counts in ints only. The functions without
 * the suffix suffice if counts and displacements fit ints, whatever the number of bytes: blocks of 2^31 bytes and more,
 * and places beyond, are right in all functions (docs/datatypes.md).
 *
 * The functions have no errors besides those of the functions without the suffix. In both kinds, MPI_ERR_COUNT says
 * that all blocks of a side together have 2^56 bytes or more, or that a block reaches 2^62 bytes or farther from its
 * buffer, and MPI_ERR_ARG that a displacement does. MPI_ERR_NO_MEM says that Rondo got no memory for blocks on their
 * way.
 */
#ifndef RONDO_LARGE_COUNTS_H
#define RONDO_LARGE_COUNTS_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Dense alltoalls: see comm.h ----------------------------------------------------------------------------------
 */

/* Blocking: see Rondo_Alltoall, Rondo_Alltoallv and Rondo_Alltoallw. */
int Rondo_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                      MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);

/* Nonblocking: see Rondo_Ialltoall. */
int Rondo_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
int Rondo_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                       MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
int Rondo_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, Rondo_Request* request);

/* Persistent: see Rondo_Alltoall_init. */
int Rondo_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          Rondo_Request* request);
int Rondo_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                           Rondo_Request* request);

/* ---- Cartesian alltoalls: see cart.h -----------------------------------------------------------------------------
 */

/* Blocking: see Rondo_Cart_alltoall. */
int Rondo_Cart_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm);
int Rondo_Cart_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm cartcomm);
int Rondo_Cart_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm);

/* Nonblocking: see Rondo_Icart_alltoall. */
int Rondo_Icart_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                            Rondo_Request* request);

/* Persistent: see Rondo_Cart_alltoall_init. */
int Rondo_Cart_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info,
                               Rondo_Request* request);
int Rondo_Cart_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info,
                                Rondo_Request* request);
int Rondo_Cart_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                                MPI_Info info, Rondo_Request* request);

/* ---- Dense reductions: see comm.h. A user-defined operation is given at most 2^30 elements at a time. -------------
 */

/* Blocking: see Rondo_Allreduce. */
int Rondo_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm);
int Rondo_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm);
int Rondo_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm);

/* Nonblocking: see Rondo_Ialltoall. */
int Rondo_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, Rondo_Request* request);
int Rondo_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm, Rondo_Request* request);
int Rondo_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, Rondo_Request* request);

/* Persistent: see Rondo_Allreduce_init. */
int Rondo_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm comm, MPI_Info info, Rondo_Request* request);
int Rondo_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

/* ---- Broadcasts and dense allgathers: see comm.h -----------------------------------------------------------------
 */

/* Broadcasts: see Rondo_Bcast, Rondo_Ibcast and Rondo_Bcast_init. */
int Rondo_Bcast_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
int Rondo_Ibcast_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, Rondo_Request* request);
int Rondo_Bcast_init_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                       Rondo_Request* request);

/* Allgathers: see Rondo_Allgather and the functions beside it in comm.h. */
int Rondo_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm);
int Rondo_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request);
int Rondo_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                        Rondo_Request* request);
int Rondo_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                           Rondo_Request* request);
int Rondo_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Info info, Rondo_Request* request);

/* ---- Cartesian allgathers: see cart.h ----------------------------------------------------------------------------
 */

/* Blocking: see Rondo_Cart_allgather. */
int Rondo_Cart_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm);
int Rondo_Cart_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                            MPI_Comm cartcomm);
int Rondo_Cart_allgatherw_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                            MPI_Comm cartcomm);

/* Nonblocking: see Rondo_Icart_alltoall. */
int Rondo_Icart_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                             MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_allgatherw_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                             MPI_Comm cartcomm, Rondo_Request* request);

/* Persistent: see Rondo_Cart_allgather_init. */
int Rondo_Cart_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info,
                                Rondo_Request* request);
int Rondo_Cart_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                 MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
int Rondo_Cart_allgatherw_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                 MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);

/* ---- Cartesian reductions: see cart.h. A user-defined operation is given at most 2^30 elements at a time. ---------
 */

/* Blocking: see Rondo_Cart_reduce. */
int Rondo_Cart_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm cartcomm);
int Rondo_Cart_scatter_reduce_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm cartcomm);

/* Nonblocking: see Rondo_Icart_alltoall. */
int Rondo_Icart_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm cartcomm, Rondo_Request* request);
int Rondo_Icart_scatter_reduce_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm cartcomm, Rondo_Request* request);

/* Persistent: see Rondo_Cart_alltoall_init. */
int Rondo_Cart_reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
int Rondo_Cart_scatter_reduce_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                     const MPI_Datatype sendtypes[], void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm cartcomm, MPI_Info info,
                                     Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
