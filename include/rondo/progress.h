/* Rondo's progress modes: on which threads operations advance while the application computes. Part of rondo.h. */
#ifndef RONDO_PROGRESS_H
#define RONDO_PROGRESS_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where an operation advances between its start and its wait. Requested by RONDO_PROGRESS or the info key
 * rondo_progress of a communicator or an _init call, under the names auto (default), inline, workers and async. */
#define RONDO_PROGRESS_AUTO 0 /* what MPI's thread level and the cores allow; only ever asked for */
#define RONDO_PROGRESS_INLINE \
  1 /* in start, test and wait only, on the calling thread; any thread level, no thread is started */
#define RONDO_PROGRESS_WORKERS 2 /* the same, but long copies are shared with oneTBB's workers; MPI_THREAD_FUNNELED */
#define RONDO_PROGRESS_ASYNC 3   /* also by itself, on a oneTBB worker, while no thread waits; MPI_THREAD_MULTIPLE */

/* MPI_Init_thread with the thread level that RONDO_PROGRESS needs, where that is higher than `required`: MPI's calls
 * become slower at higher levels (Open MPI's by a factor of 2 between MPI_THREAD_SINGLE and MULTIPLE), so Rondo never
 * raises the level by itself, nor does RONDO_PROGRESS=auto. Call it in place of MPI_Init_thread. An invalid
 * RONDO_PROGRESS gives MPI_ERR_INFO_VALUE. */
int Rondo_Init_thread(int* argc, char*** argv, int required, int* provided);

/* The mode that an operation was granted: one of the above except RONDO_PROGRESS_AUTO; of one that learns
 * (rondo_learn), that of its last start. If that is not the requested one, the log says so once, and why. Local. */
int Rondo_Request_get_progress(Rondo_Request request, int* mode);

/* Registers function(argument) to be called once, when the operation that the request stands for completes: flag
 * becomes 1. If it is already complete or was not started, function is not called, and flag becomes 0. Several
 * functions may be registered. The thread that finds the operation complete calls the function: in mode async most
 * often Rondo's thread, in the others any call of Rondo that makes progress. The function should be short, may call any
 * function of Rondo, and need not return before Rondo_Wait of the same request does. The request must still be waited
 * for, or tested. A failed operation is complete too. Local, any thread. */
int Rondo_On_complete(Rondo_Request request, void (*function)(void* argument), void* argument, int* flag);

/* Makes one progress pass over all operations of this process, for an application that has none to wait for at the
 * moment; flag: whether anything moved. Local. */
int Rondo_Progress(int* flag);

#ifdef __cplusplus
}
#endif

#endif
