/* Memory for arrays that neighbors on the same node can read. Part of rondo.h. */
#ifndef RONDO_MEMORY_H
#define RONDO_MEMORY_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory for `bytes` bytes, as MPI_Alloc_mem does: baseptr is the address of a pointer, of whatever type.
 *
 *     double* field;
 *     Rondo_Alloc(count * sizeof(double), &field);
 *
 * The memory begins on a cache line (64 bytes), and its content is not defined. A message of a persistent operation
 * that lies in such memory at both ends, on one node, is copied once, from the sender's array straight into the
 * receiver's, however the blocks are scattered (docs/shared-memory.md). Nothing else differs from other memory, except
 * that a child after fork() does not have it. If no memory can be shared, or RONDO_SHM is off, the memory comes from
 * the heap, and the log says so once. `bytes` may be 0. Call between MPI_Init and MPI_Finalize. Local. */
int Rondo_Alloc(MPI_Aint bytes, void* baseptr);

/* Frees memory that Rondo_Alloc allocated; base: the address that Rondo_Alloc returned, or null, which does nothing. As
 * in MPI, no active operation may use the memory. If an inactive request that is not freed uses it, the memory is given
 * back when the request is freed. Call at any time, also after MPI_Finalize. Local. Errors: MPI_ERR_BASE for any other
 * address. */
int Rondo_Free(void* base);

#ifdef __cplusplus
}
#endif

#endif
