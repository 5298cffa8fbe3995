/* The halo exchange: borders of a distributed array, given as a region and not as blocks (ICPP 2019, section 2.1, and
 * section 3.4, last paragraph). Part of rondo.h, which says how errors are reported and which threads may call.
 */
#ifndef RONDO_HALO_H
#define RONDO_HALO_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stencils: which elements of a halo are exchanged. An element's excess along a dimension is its distance, in elements,
 * from the process's own elements: 1 or more outside, 0 inside.
 *
 *   RONDO_STENCIL_BOX   all elements: 9-point, 27-point
 *   RONDO_STENCIL_STAR  elements whose excesses, each divided by the depth along its dimension, add up to at most 1:
 *                       5-point, 7-point. There are no corners with depth 1, and triangles of k(k-1)/2 elements with
 *                       depth k, as k steps of such a stencil need (isomorphic collectives, section 2) */
enum { RONDO_STENCIL_BOX = 0, RONDO_STENCIL_STAR = 1 };

/* Fills the halo of a distributed array: receives the halo's elements from the processes that own them. Elements are
 * sent from the array and received into it in place; the process's own elements are only read. Every element is sent
 * once, though corners belong to several faces.
 *
 *   array       this process's part, halo included. Until the operation is complete nothing else may write the array,
 *               nor read the halo
 *   ndims       number of dimensions of the array: at least as many as cartcomm has; the first ones correspond to those
 *               of cartcomm in order. Along further dimensions the array is not distributed
 *   sizes       ndims sizes with the halo, in elements: depth_low[k] of the halo, the process's own, depth_high[k] of
 *               the halo. Processes with the same coordinate along dimension k must have the same number of own
 *               elements along k; processes with different coordinates need not
 *   strides     NULL if there are no gaps, or ndims distances from one element to the next along each dimension, in
 *               elements, for padded rows or an array that is part of a larger one. Strides along which there are two
 *               elements must be positive, and in ascending order each must lead beyond all elements that the smaller
 *               ones lead to. Strides may differ between ranks
 *   depth_low   ndims depths of the halo before the own elements: at least 0, the same on all ranks, 0 along dimensions
 *               that are not distributed, and, if a neighbor receives own elements of the process, at most the number
 *               of those
 *   depth_high  ndims depths of the halo behind the own elements, with the same limits
 *   order       MPI_ORDER_C (the last dimension varies fastest) or MPI_ORDER_FORTRAN, as in MPI_Type_create_subarray;
 *               the same on all ranks. Strides that agree with the order travel fastest
 *   element     any committed datatype, with the same signature on all ranks. Elements lie one extent apart and share
 *               no bytes
 *   stencil     RONDO_STENCIL_BOX or RONDO_STENCIL_STAR, the same on all ranks
 *   cartcomm    a communicator with any neighborhood, even an empty one. Along a periodic dimension the array is
 *               periodic; along another the halo beyond the ends stays unchanged
 *
 * Blocking; collective over cartcomm. The algorithm is the communicator's, as for Rondo_Halo_init; if that is auto, the
 * algorithm is chosen for arrays of about 2^18 elements, because ranks do not exchange the sizes of their arrays. A
 * call that was recently made with the same arguments on this communicator does not check them again. Errors, on this
 * rank only: MPI_ERR_DIMS, MPI_ERR_ARG (an argument, which the text names), MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_COMM,
 * MPI_ERR_TOPOLOGY, MPI_ERR_NO_MEM. If each rank's arguments are right but do not fit those of another rank, a message
 * comes short or too long (MPI_ERR_COUNT, MPI_ERR_TRUNCATE) or never; Rondo_Halo_init detects this. */
int Rondo_Halo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                        const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm);

/* Nonblocking halo exchange, which starts the operation and returns: complete the request with Rondo_Wait or
 * Rondo_Test, which free the request. Arguments and errors as in Rondo_Halo_exchange. Sizes, depths and the datatype
 * may be freed at once. Collective: all ranks start their operations on cartcomm in the same order. Never waits for
 * another rank. */
int Rondo_Ihalo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                         const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                         Rondo_Request* request);

/* Persistent halo exchange, prepared once and started with Rondo_Start any number of times; starting allocates nothing.
 * Arguments as in Rondo_Halo_exchange, and:
 *
 *   info        MPI_INFO_NULL, or keys as for Rondo_Cart_alltoall_init. rondo_algorithm: auto, direct, coalesced,
 *               combining (dimension by dimension, faces carry the corners), joined (faces at once, corners passed on),
 *               node-aware (few messages from each node to each other node; among halo calls only the persistent ones
 *               have this algorithm)
 *
 * Collective over cartcomm. Waits for the other ranks: two small allreduces, or three if arrays differ in size.
 * Operations in flight go on meanwhile. The algorithm is chosen for the sizes that the arrays have. Errors, the same on
 * all ranks: those of Rondo_Halo_exchange, and for arguments that do not fit those of other ranks MPI_ERR_ARG (depths,
 * stencils or orders that differ), MPI_ERR_TYPE (elements), MPI_ERR_TRUNCATE (sizes), MPI_ERR_INFO_VALUE,
 * MPI_ERR_OTHER. */
int Rondo_Halo_init(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                    const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                    MPI_Info info, Rondo_Request* request);

/* One of several arrays that are exchanged together. The members are the arguments of Rondo_Halo_exchange with the same
 * names. */
typedef struct Rondo_Halo_array {
  void* array;
  int ndims;
  const int* sizes;
  const MPI_Aint* strides;
  const int* depth_low;
  const int* depth_high;
  int order;
  MPI_Datatype element;
} Rondo_Halo_array;

/* Fill the halos of several arrays at once: all data for one process go in one message, so that many fields cost no
 * more messages than one. The arrays may differ in everything but the grid: element, sizes, depths, order, strides.
 * They share no byte, but may be interleaved in memory.
 *
 *   narrays     at least 1, the same on all ranks
 *   arrays      narrays arrays; arrays with the same index on different ranks belong together. Texts of errors name
 *               them: arrays[2].sizes[0]
 *
 * Everything else is as in Rondo_Halo_exchange, Rondo_Ihalo_exchange and Rondo_Halo_init. Additional errors:
 * MPI_ERR_BUFFER (arrays that share bytes), and from Rondo_Halos_init MPI_ERR_ARG (different numbers of arrays). */
int Rondo_Halos_exchange(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm);
int Rondo_Ihalos_exchange(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm,
                          Rondo_Request* request);
int Rondo_Halos_init(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm, MPI_Info info,
                     Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
