/* Rondo: collective communication as task graphs on MPI. The C interface.
 *
 * Usable from C99 and C++. Names and order of arguments follow the papers (Cartesian collectives, ICPP 2019) with the
 * prefix Rondo_, so that code written against them ports by renaming.
 *
 * Errors. Every function returns MPI_SUCCESS or an MPI error class. Before it returns an error it calls the error
 * handler of the communicator involved, as MPI does: the default handler, MPI_ERRORS_ARE_FATAL, ends the program with
 * the message; set MPI_ERRORS_RETURN to get the class back. Rondo_Error_string gives the text, which names the
 * argument, its value and what is allowed. Arguments are checked before anything is sent. If something is wrong on one
 * rank of Rondo_Cart_neighborhood_create or of an _init call, all ranks get an error (unless they set
 * rondo_assert_...). A blocking or nonblocking call reports the error only to its caller, and the others wait for it,
 * as in MPI. If a communication fails, the wait of every rank whose data may be wrong returns the error
 * (docs/errors.md). With the environment variable RONDO_TIMEOUT=seconds a function that waits for the others in vain
 * returns MPI_ERR_OTHER.
 *
 * Threads. Any thread may call Rondo, as far as the MPI thread level allows MPI calls from that thread. Rondo never
 * raises the level unless asked (Rondo_Init_thread in progress.h).
 *
 * Buffers lie in the host's memory or in managed GPU memory, because Rondo copies on the host. If CUDA's driver is
 * loaded and recognizes a buffer elsewhere, _init calls and the first call of each kind refuse that buffer
 * (MPI_ERR_BUFFER).
 *
 * Set-up and end. There is no init call: the runtime starts on first use after MPI_Init and ends inside MPI_Finalize. A
 * function that is called before MPI_Init or after MPI_Finalize returns MPI_ERR_OTHER without calling an error handler,
 * and writes its text to the log. These functions work at any time: Rondo_Init_thread (before MPI_Init),
 * Rondo_Error_string for an error of Rondo's, Rondo_Free, Rondo_Neighborhood_moore and the other lists of offsets, and
 * trace.h's marks.
 */
#ifndef RONDO_RONDO_H
#define RONDO_RONDO_H

#include <mpi.h>
#include <rondo/basics/error.h>
#include <rondo/cart.h>
#include <rondo/comm.h>
#include <rondo/datatypes.h>
#include <rondo/halo.h>
#include <rondo/large_counts.h>
#include <rondo/memory.h>
#include <rondo/progress.h>
#include <rondo/request.h>
#include <rondo/trace.h>

/* The version of this header. */
#define RONDO_VERSION_MAJOR 0
#define RONDO_VERSION_MINOR 1
#define RONDO_VERSION_PATCH 0

#endif
