/// @file
/// The datatype constructors that MPI lacks: bounded and circular vector, bucket and triangular vector.
///
/// Each datatype is made of MPI's constructors, and Rondo remembers a shorter description of it (remember_layout). All
/// functions are local; any thread may call, as far as the MPI thread level allows MPI calls from it. `oldtype` may be
/// any datatype but MPI_DATATYPE_NULL, also not committed, with holes, empty, or with a negative lower bound or extent;
/// the caller may free it as soon as the call is over. The new datatype is not committed, and the caller frees it.
/// Nothing is left behind when Error is thrown: MPI_ERR_ARG or MPI_ERR_COUNT for an argument, which the text names,
/// MPI_ERR_TYPE for `oldtype`, or MPI's class.
#ifndef RONDO_DATATYPES_MAKING_VECTOR_CONSTRUCTORS_HPP
#define RONDO_DATATYPES_MAKING_VECTOR_CONSTRUCTORS_HPP

#include <mpi.h>

#include <span>

namespace rondo::internal {

/// Makes a datatype of the elements i*stride + j with 0 <= i and 0 <= j < blocklength that are less than `bound`, in
/// ascending order: a vector that ends at `bound`, with a shorter block if need be (zero-copy Bruck paper, section 3.1,
/// listing 1). The extent is that of MPI_Type_vector, from the first element to the last. `stride` is at least
/// `blocklength`; it is ignored if one block holds all elements, or if blocks are empty. The datatype is at most one
/// struct of a vector and a block.
[[nodiscard]] MPI_Datatype create_vector_bounded(int bound, int blocklength, int stride, MPI_Datatype oldtype);

/// Makes a datatype of the elements of a bounded vector around a circle of `extent` elements from `start` on: (start +
/// i*stride + j) mod extent, in the order of i*stride + j (section 3.2, listing 2). `bound` is at most `extent`, so
/// that no element comes twice; `start` may be beyond `extent` and counts modulo it. The extent is that of `extent`
/// elements, the lower bound that of `oldtype`. The datatype is at most a struct of two vectors and three blocks.
[[nodiscard]] MPI_Datatype create_vector_circular(int extent, int start, int bound, int blocklength, int stride,
                                                  MPI_Datatype oldtype);

/// Makes a datatype of buckets with room for `bucketsize` elements, one after the other, of which bucket i holds
/// counts[i] <= bucketsize at its front (section 3.5). The extent is that of all buckets, the lower bound that of
/// `oldtype`. The datatype is an indexed type with an entry for each bucket that is not empty, unless all counts are
/// the same.
[[nodiscard]] MPI_Datatype create_bucket(std::span<const int> counts, int bucketsize, MPI_Datatype oldtype);

/// Makes a datatype of `count` blocks, block i with firstblock + i*blockincrement elements at element i*(stride +
/// strideincrement) (isomorphic collectives paper, section 8). All arguments but `count` and `firstblock` may be
/// negative, but no length may. Blocks may overlap in data that is only read. The extent is from the first element to
/// the last. For MPI the datatype is an indexed type of `count` entries, as the paper says it must be; for Rondo it is
/// one run, if the elements are contiguous.
[[nodiscard]] MPI_Datatype create_triangular(int count, int firstblock, int blockincrement, int stride,
                                             int strideincrement, MPI_Datatype oldtype);

}  // namespace rondo::internal

#endif
