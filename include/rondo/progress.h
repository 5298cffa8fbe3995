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
#define RONDO_PROGRESS_AUTO 0 /* the best that MPI's thread level and cores allow; requested, never granted */
#define RONDO_PROGRESS_INLINE \
  1 /* only in start, test and wait, on the calling thread; any thread level, no thread is started */
#define RONDO_PROGRESS_WORKERS 2 /* as inline, but oneTBB's workers share long copies; MPI_THREAD_FUNNELED */
#define RONDO_PROGRESS_ASYNC 3   /* also on a oneTBB worker while no thread waits; MPI_THREAD_MULTIPLE */

/* Calls MPI_Init_thread with `required`, or with the thread level that RONDO_PROGRESS needs if that is higher. MPI's
 * calls become slower at higher levels (Open MPI's by a factor of 2 between MPI_THREAD_SINGLE and MULTIPLE), so Rondo
 * never raises the level by itself, nor does RONDO_PROGRESS=auto. Call this function in place of MPI_Init_thread. An
 * invalid RONDO_PROGRESS gives MPI_ERR_INFO_VALUE. */
int Rondo_Init_thread(int* argc, char*** argv, int required, int* provided);

/* Returns the progress mode that an operation was granted, never RONDO_PROGRESS_AUTO; for an operation that learns
 * (rondo_learn), the mode of its last start. If the mode is not the requested one, the log says so once, and why.
 * Local. */
int Rondo_Request_get_progress(Rondo_Request request, int* mode);

/* Registers function(argument) to be called once, when the operation that the request stands for completes: flag
 * becomes 1. If it is already complete or was not started, function is not called, and flag becomes 0. Several
 * functions may be registered. The thread that finds the operation complete calls the function: in mode async most
 * often Rondo's thread, in the others any call of Rondo that makes progress. The function should be short, may call any
 * function of Rondo, and may still be running when Rondo_Wait of the same request returns. The request must still be
 * waited for, or tested. A failed operation is complete too. Local, any thread. */
int Rondo_On_complete(Rondo_Request request, void (*function)(void* argument), void* argument, int* flag);

/* Makes one progress pass over all operations of this process, for an application that has no operation to wait for at
 * the moment; flag: whether anything moved. Local. */
int Rondo_Progress(int* flag);

#ifdef __cplusplus
}
#endif

#endif
