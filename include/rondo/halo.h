/* The halo exchange: borders of a distributed array, given as a region and not as blocks (ICPP 2019, section 2.1, and
 * section 3.4, last paragraph). Part of rondo.h, which says how errors are told and which threads may call.
 */
#ifndef RONDO_HALO_H
#define RONDO_HALO_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which elements of a halo are wanted. An element's excess along a dimension is its distance, in elements, from the
 * process's own elements: 1 or more outside, 0 inside.
 *
 *   RONDO_STENCIL_BOX   all of them: 9-point, 27-point
 *   RONDO_STENCIL_STAR  those whose excesses, each divided by the depth there, add up to at most 1: 5-point, 7-point.
 *                       No corners with depth 1, triangles of k(k-1)/2 elements with depth k, as k steps of such a
 *                       stencil need them (isomorphic collectives, section 2) */
enum { RONDO_STENCIL_BOX = 0, RONDO_STENCIL_STAR = 1 };

/* Fills the halo of a distributed array: its elements are received from the processes that have them inside. The array
 * is sent from and received into in place; what is inside is only read. Every element is sent once, though corners
 * belong to several faces.
 *
 *   array       this process's part, halo included. Until the operation is complete nobody else may write it, nor read
 *               the halo
 *   ndims       its dimensions: at least those of cartcomm, to which they correspond in order. Along further ones the
 *               array is not distributed
 *   sizes       ndims sizes with the halo, in elements: depth_low[k] of the halo, the process's own, depth_high[k] of
 *               the halo. Processes with the same coordinate along dimension k must have the same number of own
 *               elements along k; those with different coordinates need not
 *   strides     NULL where there are no gaps, or ndims distances from one element to the next along each dimension, in
 *               elements: where rows are padded, or the array is part of a larger one. Strides along which there are
 *               two elements must be positive, and in their order each must lead beyond all elements that the smaller
 *               ones lead to. Each rank may have its own
 *   depth_low   ndims depths of the halo before the own elements: at least 0, the same on all ranks, 0 along dimensions
 *               that are not distributed, and, where a neighbor receives own elements of the process, at most their
 *               number
 *   depth_high  the same behind them
 *   order       MPI_ORDER_C (the last dimension varies fastest) or MPI_ORDER_FORTRAN, as in MPI_Type_create_subarray;
 *               the same on all ranks. With strides, those that fit it travel fastest
 *   element     any committed datatype, of the same signature on all ranks. Elements lie one extent apart and share no
 *               bytes
 *   stencil     one of the above, the same on all ranks
 *   cartcomm    with a neighborhood: which one does not matter, it may be empty. Along a periodic dimension the array
 *               is periodic; along another the halo beyond the ends stays unchanged
 *
 * Blocking; collective over cartcomm. The algorithm is the communicator's, as for Rondo_Halo_init; where that is auto,
 * it is chosen for arrays of about 2^18 elements, as the ranks do not tell each other how large theirs are. A call that
 * was lately made with the same arguments on this communicator does not look at them again. Errors, on this rank only:
 * MPI_ERR_DIMS, MPI_ERR_ARG (an argument, which the text names), MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_COMM,
 * MPI_ERR_TOPOLOGY, MPI_ERR_NO_MEM. Where ranks give arguments that are right on each and do not fit each other, a
 * message comes short or too long (MPI_ERR_COUNT, MPI_ERR_TRUNCATE) or never: Rondo_Halo_init finds that out. */
int Rondo_Halo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                        const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm);

/* The same, started and not waited for: complete it with Rondo_Wait or Rondo_Test, which free the request. Sizes,
 * depths and the datatype may be freed at once. Collective: all ranks start their operations on cartcomm in the same
 * order. Never waits for another rank. */
int Rondo_Ihalo_exchange(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                         const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                         Rondo_Request* request);

/* The same, prepared once and started with Rondo_Start as often as wanted; starting allocates nothing.
 *
 *   info        MPI_INFO_NULL, or keys as for Rondo_Cart_alltoall_init. rondo_algorithm: auto, direct, coalesced,
 *               combining (dimension by dimension, faces carry the corners), joined (faces at once, corners passed on),
 *               node-aware (few messages from each node to each other one; of all halo calls, these only have it)
 *
 * Collective over cartcomm. Waits for the other ranks: two small allreduces, or three where arrays differ in size.
 * Operations in flight go on meanwhile. The algorithm is chosen for the sizes that the arrays have. Errors, the same on
 * all ranks: those above, and for what does not fit MPI_ERR_ARG (depths, stencils or orders that differ), MPI_ERR_TYPE
 * (elements), MPI_ERR_TRUNCATE (sizes), MPI_ERR_INFO_VALUE, MPI_ERR_OTHER. */
int Rondo_Halo_init(void* array, int ndims, const int sizes[], const MPI_Aint strides[], const int depth_low[],
                    const int depth_high[], int order, MPI_Datatype element, int stencil, MPI_Comm cartcomm,
                    MPI_Info info, Rondo_Request* request);

/* One of several arrays that are exchanged together: as the arguments of Rondo_Halo_exchange of the same names. */
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

/* The same for several arrays at once: what goes to one process goes as one message, as it would of one array, so that
 * many fields cost no more messages than one. The arrays may differ in everything but the grid: element, sizes, depths,
 * order, strides. They share no byte, but may lie between each other.
 *
 *   narrays     at least 1, the same on all ranks
 *   arrays      narrays of them; those of one number belong together. Texts of errors name them: arrays[2].sizes[0]
 *
 * Everything else is as above. Errors: also MPI_ERR_BUFFER (arrays that share bytes), and of Rondo_Halos_init
 * MPI_ERR_ARG (different numbers of arrays). */
int Rondo_Halos_exchange(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm);
int Rondo_Ihalos_exchange(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm,
                          Rondo_Request* request);
int Rondo_Halos_init(int narrays, const Rondo_Halo_array arrays[], int stencil, MPI_Comm cartcomm, MPI_Info info,
                     Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
