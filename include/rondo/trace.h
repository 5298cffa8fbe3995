/* The application's own marks in the timeline that RONDO_TRACE=file.json writes (docs/tracing.md), in C.
 *
 * Local; any thread may call, whatever MPI's thread level, at any time before MPI_Finalize, also before MPI_Init. They
 * do nothing while nothing is traced: a call and a test, some 2 ns. Names are kept as pointers: they must be there
 * until MPI_Finalize, as string literals are. */
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
 * given that time and the span's name. By one thread; spans of a thread must lie one in the other or apart. */
unsigned long long Rondo_Trace_begin(void);
void Rondo_Trace_end(const char* literal, unsigned long long begin);

/* Writes what is left of this process's trace now, into a file of its own, for a program that does not come to
 * MPI_Finalize. Only where the calling thread may call MPI. Does nothing when nothing is traced. Errors, which go to
 * the handler of MPI_COMM_WORLD: MPI_ERR_ARG, MPI_ERR_FILE (it cannot be written), MPI_ERR_OTHER (MPI is not running).
 */
int Rondo_Trace_write(const char* path);

#ifdef __cplusplus
}
#endif

#endif
