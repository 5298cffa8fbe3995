/* The datatype constructors that MPI lacks, and packing and copying by datatypes (zero-copy Bruck, sections 3.1, 3.2
 * and 3.5; isomorphic collectives, section 8). Part of rondo.h, which says how errors are reported and which threads
 * may call.
 */
#ifndef RONDO_DATATYPES_H
#define RONDO_DATATYPES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The datatype constructors that MPI lacks. All are local. Any MPI call takes the new datatype: commit it with
 * MPI_Type_commit, free it with MPI_Type_free. Counts, sizes, strides and starts are in elements of oldtype, which may
 * be any datatype, committed or not, with holes, empty, or with a negative lower bound or extent, and may be freed at
 * once. On an error, which goes to the handler of MPI_COMM_WORLD, newtype is MPI_DATATYPE_NULL. Errors: MPI_ERR_ARG and
 * MPI_ERR_COUNT (an argument, which the text names), MPI_ERR_TYPE (oldtype), MPI_ERR_NO_MEM. */

/* Makes a vector that ends at bound: the elements i*stride + j, 0 <= j < blocklength, that are less than bound. The
 * last block may be shorter. The extent is from the first element to the last, as in MPI_Type_vector.
 *
 *   bound        at least 0
 *   blocklength  at least 0
 *   stride       at least blocklength; ignored if one block holds all
 *
 * Example: (9, 2, 4) are the elements 0 1 4 5 8. */
int Rondo_Type_create_vector_bounded(int bound, int blocklength, int stride, MPI_Datatype oldtype,
                                     MPI_Datatype* newtype);

/* Makes a datatype of the elements of a bounded vector around a circle of extent elements, from start on: (start +
 * i*stride + j) modulo extent, in the order of i*stride + j. The extent of the datatype is that of all `extent`
 * elements.
 *
 *   extent  at least 0
 *   start   at least 0, counts modulo extent
 *   bound   in [0, extent]
 *
 * Example: (10, 7, 9, 2, 4) are the elements 7 8 1 2 5 of every 10. */
int Rondo_Type_create_vector_circular(int extent, int start, int bound, int blocklength, int stride,
                                      MPI_Datatype oldtype, MPI_Datatype* newtype);

/* Makes a datatype of count buckets with room for bucketsize elements each, one after the other; bucket i has counts[i]
 * elements at its front, in [0, bucketsize]. The extent is that of all buckets. counts may be NULL when count is 0.
 *
 * Example: (3, 3, {2, 0, 3}) are the elements 0 1 6 7 8 of every 9. */
int Rondo_Type_create_bucket(int count, int bucketsize, const int counts[], MPI_Datatype oldtype,
                             MPI_Datatype* newtype);

/* Makes a datatype of count blocks, block i with firstblock + i*blockincrement elements from element i*(stride +
 * strideincrement) on. All arguments except count and firstblock may be negative, but no block length may. The extent
 * is from the first element to the last.
 *
 * Example: (3, 3, -1, 4, 1) are the elements 0 1 2, 5 6, 10: the upper triangle of a matrix with rows of 4. */
int Rondo_Type_create_triangular(int count, int firstblock, int blockincrement, int stride, int strideincrement,
                                 MPI_Datatype oldtype, MPI_Datatype* newtype);

/* Pack, unpack and copy in memory, by Rondo's own code. Local; datatypes need not be committed. Packed data are the
 * bytes of the elements one after the other, without holes, as MPI_Pack gives them between processes of the same kind,
 * and as a message arrives that is received as bytes. Source and target must not share a byte, nor be null if there are
 * bytes. Errors go to the handler of MPI_COMM_WORLD: MPI_ERR_TYPE, MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_TRUNCATE (no
 * room, or sides of different size), MPI_ERR_NO_MEM. */

/* Packs incount elements from inbuf to outbuf + *position, and moves *position on by as many bytes. outsize: bytes of
 * outbuf. */
int Rondo_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, MPI_Aint outsize,
               MPI_Aint* position);
/* Unpacks outcount elements from inbuf + *position to outbuf, and moves *position on by as many bytes. insize: bytes of
 * inbuf. */
int Rondo_Unpack(const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf, int outcount,
                 MPI_Datatype datatype);
/* The typed copy (zero-copy Bruck, sections 3.1 and 5): copies elements of one datatype to the locations of another
 * with the same number of bytes, without an intermediate buffer. It does what MPI_Sendrecv to oneself does, without a
 * message. */
int Rondo_Transpack(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype);
/* Makes the signature type of a datatype (section 3.1): its basic types in order, one after the other without holes,
 * for receiving elements contiguously, and for intermediate buffers. The caller commits and frees the new datatype. */
int Rondo_Type_create_signature(MPI_Datatype datatype, MPI_Datatype* newtype);

#ifdef __cplusplus
}
#endif

#endif
