/* Requests: starting, completing, freeing and asking about collective operations. Part of rondo.h, which says how
 * errors are told and which threads may call.
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

/* As their MPI namesakes, all local. A null or inactive request counts as complete. Statuses may be MPI_STATUS_IGNORE
 * or MPI_STATUSES_IGNORE; they carry only the error. A nonblocking request becomes RONDO_REQUEST_NULL when it
 * completes, a persistent one inactive. Errors: MPI_ERR_REQUEST (freed, or of the wrong state), MPI_ERR_ARG,
 * MPI_ERR_IN_STATUS (several requests: the first failure is what Rondo_Error_string tells), and what the communication
 * itself returned. */

/* Starts a persistent request that is not active. Does not wait and does not allocate. */
int Rondo_Start(Rondo_Request* request);
int Rondo_Startall(int count, Rondo_Request requests[]);
int Rondo_Wait(Rondo_Request* request, MPI_Status* status);
int Rondo_Waitall(int count, Rondo_Request requests[], MPI_Status statuses[]);
/* index: the one that completed, or MPI_UNDEFINED when none is active. */
int Rondo_Waitany(int count, Rondo_Request requests[], int* index, MPI_Status* status);
int Rondo_Test(Rondo_Request* request, int* flag, MPI_Status* status);
int Rondo_Testall(int count, Rondo_Request requests[], int* flag, MPI_Status statuses[]);
int Rondo_Testany(int count, Rondo_Request requests[], int* index, int* flag, MPI_Status* status);

/* Frees an inactive request and sets it to RONDO_REQUEST_NULL. An active one is refused with MPI_ERR_REQUEST and stays
 * as it is. */
int Rondo_Request_free(Rondo_Request* request);

/* Name of the algorithm that a request runs: "direct", "coalesced", "combining", ... (docs/algorithms.md has them all);
 * at most RONDO_MAX_ALGORITHM_NAME bytes with its zero, cut there; length: bytes without it. What was asked for and
 * could not be had is also said once in the log. Local. */
int Rondo_Request_get_algorithm(Rondo_Request request, char* name, int* length);

/* What the algorithm of a request was chosen from: a table for people, a line for each candidate with its phases,
 * rounds (messages that a process sends), blocks and bytes that it sends, and predicted time in nanoseconds, the one
 * that runs first. At most size bytes with the final zero are written to text; length is that of the whole, without the
 * zero, so that a call with size 0 (text may be NULL then) tells how much room it takes. Local. Errors:
 * MPI_ERR_REQUEST, MPI_ERR_ARG. */
int Rondo_Explain(Rondo_Request request, int size, char* text, int* length);

#ifdef __cplusplus
}
#endif

#endif
