/* The application's own marks in the timeline that RONDO_TRACE=file.json writes (docs/tracing.md), in C.
 *
 * Local; any thread may call, whatever MPI's thread level, at any time before MPI_Finalize, also before MPI_Init.
 * Without tracing they do nothing: a call and a test, some 2 ns. Only pointers to names are kept: names must live until
 * MPI_Finalize, as string literals do. */
#ifndef RONDO_TRACE_H
#define RONDO_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* 1 where this process traces, otherwise 0. */
int Rondo_Trace_on(void);

/* A moment. */
void Rondo_Trace_mark(const char* literal);

/* A span from Rondo_Trace_begin, which returns the time in ticks of the trace's clock, to Rondo_Trace_end, which is
 * given that time and the span's name. Both calls by one thread; the spans of a thread must be nested or disjoint. */
unsigned long long Rondo_Trace_begin(void);
void Rondo_Trace_end(const char* literal, unsigned long long begin);

/* Writes what this process's trace holds now, into a separate file, for a program that never reaches MPI_Finalize. Only
 * where the calling thread may call MPI. Does nothing when nothing is traced. Errors, which go to the handler of
 * MPI_COMM_WORLD: MPI_ERR_ARG, MPI_ERR_FILE (it cannot be written), MPI_ERR_OTHER (MPI is not running).
 */
int Rondo_Trace_write(const char* path);

#ifdef __cplusplus
}
#endif

#endif
