/* The application's own marks in the timeline that RONDO_TRACE=file.json writes (docs/tracing.md), in C.
 *
 * Local; any thread may call, whatever MPI's thread level, at any time before MPI_Finalize, also before MPI_Init.
 * Without tracing the functions do nothing: a call and a test, some 2 ns. Only pointers to names are kept: names must
 * live until MPI_Finalize, as string literals do. */
#ifndef RONDO_TRACE_H
#define RONDO_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if this process traces, otherwise 0. */
int Rondo_Trace_on(void);

/* Marks a moment in the timeline. */
void Rondo_Trace_mark(const char* literal);

/* Record a span in the timeline. Rondo_Trace_begin returns the time in ticks of the trace's clock; Rondo_Trace_end
 * takes that time and the span's name, and ends the span. Both calls are made by one thread; the spans of a thread must
 * be nested or disjoint. */
unsigned long long Rondo_Trace_begin(void);
void Rondo_Trace_end(const char* literal, unsigned long long begin);

/* Writes the current content of this process's trace into a separate file, for a program that never reaches
 * MPI_Finalize. The calling thread must be allowed to call MPI. Does nothing if this process does not trace. Local.
 * Errors, which go to the handler of MPI_COMM_WORLD: MPI_ERR_ARG, MPI_ERR_FILE (the file cannot be written),
 * MPI_ERR_OTHER (MPI is not running).
 */
int Rondo_Trace_write(const char* path);

#ifdef __cplusplus
}
#endif

#endif
