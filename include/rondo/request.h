/* Requests: starting, completing, freeing and asking about collective operations. Part of rondo.h, which says how
 * errors are reported and which threads may call.
 */
#ifndef RONDO_REQUEST_H
#define RONDO_REQUEST_H

#include <mpi.h>

/* Longest name, with its terminating zero, that Rondo_Request_get_algorithm writes (bytes). */
#define RONDO_MAX_ALGORITHM_NAME 64

#ifdef __cplusplus
extern "C" {
#endif

/* A collective operation, started once (nonblocking) or many times (persistent). An opaque handle: copying it copies
 * the handle, not the operation. A handle that was freed is recognized and refused. */
typedef struct Rondo_Request_handle* Rondo_Request;
#define RONDO_REQUEST_NULL ((Rondo_Request)0)

/* Starting, waiting and testing: the functions behave as their MPI namesakes. All are local. A null or inactive request
 * counts as complete. Statuses may be MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE; they carry only the error. A
 * nonblocking request becomes RONDO_REQUEST_NULL when it completes, a persistent one inactive. Errors: MPI_ERR_REQUEST
 * (freed, or of the wrong state), MPI_ERR_ARG, MPI_ERR_IN_STATUS (several requests: Rondo_Error_string gives the text
 * of the first failure), and errors of the communication itself. */

/* Starts a persistent request that is not active. Does not wait and does not allocate. */
int Rondo_Start(Rondo_Request* request);
int Rondo_Startall(int count, Rondo_Request requests[]);
int Rondo_Wait(Rondo_Request* request, MPI_Status* status);
int Rondo_Waitall(int count, Rondo_Request requests[], MPI_Status* statuses);
/* Waits until one request completes. index: the request that completed, or MPI_UNDEFINED if none is active. */
int Rondo_Waitany(int count, Rondo_Request requests[], int* index, MPI_Status* status);
int Rondo_Test(Rondo_Request* request, int* flag, MPI_Status* status);
int Rondo_Testall(int count, Rondo_Request requests[], int* flag, MPI_Status* statuses);
int Rondo_Testany(int count, Rondo_Request requests[], int* index, int* flag, MPI_Status* status);

/* Partial completion: a block may be used before the whole operation is complete. In an operation of several rounds,
 * most blocks are usable long before the end; which ones come early depends on the algorithm (docs/overlap.md).
 *
 *   block  in an alltoall, neighborhood or dense: the block's number, from 0; in an allgather, the number of a received
 *          block, while the only block sent is 0; in a reduction, the result is 0, and vectors sent are counted as in
 *          the call. In a halo exchange: a direction along the N dimensions that have a halo, in the order of
 *          rondo::moore(N, 1), which is lexicographic, the first dimension first, without the zero vector. So in two
 *          dimensions (-1,-1) (-1,0) (-1,1) (0,-1) (0,1) (1,-1) (1,0) (1,1). The block received is the halo's part in
 *          that direction, corners apart from faces; the block sent is the part that the neighbor in that direction has
 *          in its halo.
 *
 * Rondo_Arrived: *flag is 1 once block `block` of the receive buffer has its final value. You may then read it, but
 * write it only after the whole operation, which may still have to pass it on. Rondo_Sent: *flag is 1 once block
 * `block` of the send buffer may be overwritten. In place, this also requires that nothing is still to be received into
 * the block. Blocks without bytes, or without a neighbor at the edge of a mesh, have arrived at once. Both functions
 * make one progress pass if the block has not arrived yet. They neither wait nor complete the request, which must be
 * waited for or tested as usual. For an inactive persistent request *flag is 1, as in MPI_Parrived.
 *
 * Rondo_Wait_any_block: waits until another block has arrived. *block: the number of that block. Each block is returned
 * once after a start, in the order of arrival; then, and if the request is inactive, *block is MPI_UNDEFINED.
 *
 * The first call of one of these functions for a persistent request allocates memory, which is kept, and takes about as
 * long as one run of the operation's copies, to find which tasks each block waits for. From then on every start counts
 * blocks, and still allocates nothing. For a nonblocking request this memory is freed when the request completes. A
 * call before the first start does this work early; a call in flight finds the blocks that have already arrived.
 *
 * All three functions are local. Several threads may ask for blocks of one request at once, and take turns in
 * Rondo_Wait_any_block, between its start and the call that completes it. When an operation fails, blocks that had
 * arrived before still count as arrived; no other block does. As soon as the operation is over, these functions return
 * its error instead of an answer, and so does the wait, which ends the request. Errors: MPI_ERR_REQUEST (null, freed),
 * MPI_ERR_ARG (no such block), MPI_ERR_NO_MEM, and errors of the communication itself. */
int Rondo_Arrived(Rondo_Request request, int block, int* flag);
int Rondo_Sent(Rondo_Request request, int block, int* flag);
int Rondo_Wait_any_block(Rondo_Request request, int* block);

/* Frees an inactive request and sets it to RONDO_REQUEST_NULL. An active request is refused with MPI_ERR_REQUEST and
 * stays as it is. Local. */
int Rondo_Request_free(Rondo_Request* request);

/* Returns the name of the algorithm that a request runs: "direct", "coalesced", "combining", ... (docs/algorithms.md
 * has them all), as rondo_algorithm takes it. The name is "to be chosen" while a nonblocking dense alltoall agrees on
 * sizes, or a nonblocking call waits for times of other ranks (rondo_learn). At most RONDO_MAX_ALGORITHM_NAME bytes
 * with the final zero are written, a longer name is cut; length: bytes without the zero. If the requested algorithm is
 * not available, the log also says so once. Local. */
int Rondo_Request_get_algorithm(Rondo_Request request, char* name, int* length);

/* Returns the candidates from which the algorithm of a request was chosen, as a readable table: a line for each with
 * its phases, rounds (messages that a process sends), blocks and bytes that it sends, and predicted time in
 * nanoseconds. The candidate that runs comes first. An algorithm may have several candidates, each with its own name.
 * On a mesh the table is that of a process far from all edges, so that all ranks choose alike; below the table stands
 * what this rank sends. At most size bytes with the final zero are written to text; length is that of the whole text,
 * without the zero, so that a call with size 0 (text may be NULL then) returns how much room is needed. Local. Errors:
 * MPI_ERR_REQUEST, MPI_ERR_ARG. */
int Rondo_Explain(Rondo_Request request, int size, char* text, int* length);

/* Returns the schedule of a request on this rank as a graph in Graphviz's language (docs/tracing.md); size, text and
 * length as in Rondo_Explain. Local. Errors: MPI_ERR_REQUEST (also: the algorithm is still to be chosen), MPI_ERR_ARG.
 */
int Rondo_To_dot(Rondo_Request request, int size, char* text, int* length);

#ifdef __cplusplus
}
#endif

#endif
