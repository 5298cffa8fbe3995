/* User-defined collectives, in C: schedules in the language in which Rondo's algorithms are written
 * (docs/own-collectives.md). rondo.h says how errors are reported and which threads may call.
 */
#ifndef RONDO_OWN_SCHEDULE_H
#define RONDO_OWN_SCHEDULE_H

#include <mpi.h>
#include <rondo/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The schedule of one rank in a collective: built by local calls, committed together, then run any number of times. An
 * opaque handle; a handle that was freed is recognized and refused. */
typedef struct Rondo_Schedule_handle* Rondo_Schedule;
#define RONDO_SCHEDULE_NULL ((Rondo_Schedule)0)

/* Begins a schedule of the caller's rank in comm, an intracommunicator, which must not be freed before the schedule is
 * committed. name: the collective's name in errors, traces and reports, the same on all ranks; copied. Local. Errors:
 * MPI_ERR_COMM, MPI_ERR_ARG (name or schedule is null), MPI_ERR_NO_MEM. */
int Rondo_Schedule_create(MPI_Comm comm, const char* name, Rondo_Schedule* schedule);
/* Frees a schedule and sets it to RONDO_SCHEDULE_NULL. Requests that run it live on. Local. Errors: MPI_ERR_ARG. */
int Rondo_Schedule_free(Rondo_Schedule* schedule);

/* The functions from here to Rondo_Schedule_end_exchange build the schedule, in program order. They are local. From the
 * blocks that each task reads and writes Rondo infers what the task waits for; tasks that wait for nothing start at
 * once. rondo/schedule.hpp, whose functions have the same names, has the rules: blocks are atoms, the k-th message from
 * one rank to another meets the k-th receive there, and tasks without bytes are left out. Datatypes and operations must
 * live until the schedule is committed, user-defined operations as long as requests use it. Errors: MPI_ERR_ARG (also:
 * no schedule, or a committed one), MPI_ERR_RANK, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_NO_MEM. A schedule
 * in which one of these functions failed cannot be committed any more. */

/* Add a block of count elements of a committed datatype, the first at offset bytes of the buffer, and set *block to its
 * number. The same bytes are the same block. */
int Rondo_Schedule_send_block(Rondo_Schedule schedule, MPI_Aint offset, MPI_Count count, MPI_Datatype datatype,
                              int* block);
int Rondo_Schedule_recv_block(Rondo_Schedule schedule, MPI_Aint offset, MPI_Count count, MPI_Datatype datatype,
                              int* block);
/* Adds a block of scratch memory for data that pass through this rank. */
int Rondo_Schedule_transit(Rondo_Schedule schedule, MPI_Count bytes, int* block);

/* Makes the schedule in place: one buffer, recvbuf, holds the data to send and takes the received data. Call before any
 * block of the send buffer is added. */
int Rondo_Schedule_set_in_place(Rondo_Schedule schedule);
/* Declares, in place, that the block holds data from the start. */
int Rondo_Schedule_set_filled(Rondo_Schedule schedule, int block);

/* Sets the reduction that later Rondo_Schedule_reduce calls perform; may be set again. op need not be commutative. */
int Rondo_Schedule_set_reduction(Rondo_Schedule schedule, MPI_Count count, MPI_Datatype datatype, MPI_Op op);
/* Adds a block of scratch memory for an operand of the reduction. */
int Rondo_Schedule_operand(Rondo_Schedule schedule, int* block);
/* Reduces: into[i] = from[i] op into[i], for count pairs of blocks that have the reduction's count and datatype. */
int Rondo_Schedule_reduce(Rondo_Schedule schedule, int count, const int from[], const int into[]);

/* Copies block from[i] to block to[i], for count pairs. */
int Rondo_Schedule_copy(Rondo_Schedule schedule, int count, const int from[], const int to[]);
/* The blocks of a function, in the buffers of the operation that runs it; valid until the function returns. */
typedef const struct Rondo_Blocks_handle* Rondo_Blocks;
/* Return the address from which the datatype of block i counts, among the blocks that the function reads or writes.
 * Null if there is no block i. For functions only. */
const void* Rondo_Blocks_read(Rondo_Blocks blocks, int i);
void* Rondo_Blocks_write(Rondo_Blocks blocks, int i);
/* A user's function. Returns MPI_SUCCESS, or an MPI error class or code, which ends the operation: the operation fails
 * with MPI_ERR_OTHER, whose text includes that of the error. argument: the argument of Rondo_Schedule_compute. */
typedef int (*Rondo_Function)(Rondo_Blocks blocks, void* argument);
/* Runs a function as a task, which reads some blocks and writes some, on the thread that drives messages or, if
 * on_worker is not 0, on oneTBB's workers. name: copied. ScheduleBuilder::compute in rondo/schedule.hpp has the rules.
 */
int Rondo_Schedule_compute(Rondo_Schedule schedule, int readcount, const int reads[], int writecount,
                           const int writes[], Rondo_Function function, void* argument, const char* name,
                           int on_worker);
/* Send or receive one message of count blocks. target, source: a rank of comm, or MPI_PROC_NULL. */
int Rondo_Schedule_send(Rondo_Schedule schedule, int target, int count, const int blocks[]);
int Rondo_Schedule_receive(Rondo_Schedule schedule, int source, int count, const int blocks[]);
/* Sends and receives a message, as one exchange. */
int Rondo_Schedule_exchange(Rondo_Schedule schedule, int target, int outcount, const int outgoing[], int source,
                            int incount, const int incoming[]);

/* Begins a new phase, which drawings, traces and failures show, and which is with rondo_schedule=phases a barrier
 * between the tasks of this rank. */
int Rondo_Schedule_begin_phase(Rondo_Schedule schedule);
/* Limits the exchanges in flight at a time to `exchanges`, at least 1. Call before anything is sent. All messages must
 * then belong to exchanges, and all ranks go through theirs in the same order. */
int Rondo_Schedule_set_window(Rondo_Schedule schedule, int exchanges);
/* Begin and end an exchange: all messages in between, or up to the next exchange or the end, are one exchange, even
 * without messages. */
int Rondo_Schedule_begin_exchange(Rondo_Schedule schedule);
int Rondo_Schedule_end_exchange(Rondo_Schedule schedule);

/* Makes a collective of the schedules of all ranks. Collective over comm, blocking. Fails on all ranks or on none: with
 * the rank's own error, or with MPI_ERR_ARG, also if the messages of the ranks do not match. info: MPI_INFO_NULL, or
 * rondo_schedule, rondo_messages, rondo_shm, rondo_progress, rondo_check: see Rondo_Cart_neighborhood_create. Errors:
 * MPI_ERR_ARG, MPI_ERR_INFO_VALUE, and those of the functions that build the schedule. */
int Rondo_Schedule_commit(Rondo_Schedule schedule, MPI_Info info);

/* Run a committed schedule: blocking (run), nonblocking (start, waits for no other rank), and persistent (init, waits
 * for the other ranks, and fails on all of them or on none). Collective, in the same order on all ranks as all calls on
 * comm. A buffer may be null if the schedule has no blocks in it; sendbuf is MPI_IN_PLACE after
 * Rondo_Schedule_set_in_place. Errors: MPI_ERR_ARG (no schedule, not committed; on another rank), MPI_ERR_BUFFER. */
int Rondo_Schedule_run(const void* sendbuf, void* recvbuf, Rondo_Schedule schedule);
int Rondo_Schedule_start(const void* sendbuf, void* recvbuf, Rondo_Schedule schedule, Rondo_Request* request);
int Rondo_Schedule_init(const void* sendbuf, void* recvbuf, Rondo_Schedule schedule, Rondo_Request* request);

#ifdef __cplusplus
}
#endif

#endif
