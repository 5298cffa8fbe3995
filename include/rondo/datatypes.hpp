/// @file
/// Datatypes in C++: the constructors that MPI lacks, signature types, and moving data in memory.
#ifndef RONDO_DATATYPES_HPP
#define RONDO_DATATYPES_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rondo {

/// Owner of an MPI datatype. Move-only. Local; any thread may call, as far as the MPI thread level allows MPI calls
/// from it, one at a time for one object.
class Datatype {
 public:
  /// Owns no datatype: MPI_DATATYPE_NULL.
  Datatype() noexcept = default;
  /// Takes over a derived datatype; a predefined one must not be given.
  explicit Datatype(MPI_Datatype type) noexcept : type_(type) {}
  Datatype(Datatype&& other) noexcept : type_(other.release()) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  /// Frees the datatype, unless MPI is finalized. As in MPI, communication and datatypes that use it go on.
  ~Datatype();

  /// The handle, which this object still owns; any MPI call takes it.
  [[nodiscard]] MPI_Datatype native() const noexcept { return type_; }
  /// Makes the datatype ready for communication; a second call does no harm. Throws Error, MPI_ERR_TYPE, if there is
  /// none.
  void commit();
  /// Gives the handle to the caller, who frees it.
  [[nodiscard]] MPI_Datatype release() noexcept { return std::exchange(type_, MPI_DATATYPE_NULL); }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// The constructors below return a datatype that is not committed. Counts, sizes, strides and places are in elements of
// `oldtype`, which may be any datatype, committed or not, with holes, empty, or of a negative lower bound or extent,
// and may be freed as soon as the call is over. All are local; any thread may call, as far as the MPI thread level
// allows MPI calls from it. They throw Error: MPI_ERR_ARG or MPI_ERR_COUNT for an argument, which the text names,
// MPI_ERR_TYPE for `oldtype`, or MPI's class. MPI_Type_dup and datatypes made of them keep the short description that
// Rondo uses.

/// Makes a vector that ends at `bound`: blocks of `blocklength` elements, one every `stride`, as far as they are below
/// `bound` (zero-copy Bruck paper, section 3.1, listing 1). The last block may be shorter.
///
///     vector_bounded(9, 2, 4, MPI_INT)       0 1 2 3 4 5 6 7 8
///                                            # # . . # # . . #
///
/// The extent is from the first element to the last, as in MPI_Type_vector. `bound` and `blocklength` are at least 0,
/// `stride` at least `blocklength`; `stride` is ignored if one block holds all elements, or if blocks are empty. For
/// MPI the datatype is at most a struct of a vector and a block.
[[nodiscard]] Datatype vector_bounded(int bound, int blocklength, int stride, MPI_Datatype oldtype);

/// Makes a datatype of the elements of vector_bounded(bound, blocklength, stride), from `start` on around a circle of
/// `extent` elements (section 3.2, listing 2), in the order of a walk around the circle.
///
///     vector_circular(10, 7, 9, 2, 4, MPI_INT)       0 1 2 3 4 5 6 7 8 9
///     in this order: 7 8 1 2 5                       . # # . . # . # # .
///
/// The extent is that of all `extent` elements, the lower bound that of `oldtype`, so that in an array of such
/// datatypes each has a separate circle. `bound` is in [0, extent]: no element comes twice. `start` is at least 0 and
/// counts modulo `extent`. For MPI the datatype is at most a struct of two vectors and three blocks.
[[nodiscard]] Datatype vector_circular(int extent, int start, int bound, int blocklength, int stride,
                                       MPI_Datatype oldtype);

/// Makes a datatype of buckets, one after the other, each with room for `bucketsize` elements, of which bucket i has
/// counts[i] at its front (section 3.5).
///
///     bucket({{2, 0, 3}}, 3, MPI_INT)        0 1 2 | 3 4 5 | 6 7 8
///                                            # # . | . . . | # # #
///
/// The extent is that of all buckets, the lower bound that of `oldtype`. counts[i] is in [0, bucketsize]. For MPI the
/// datatype is an indexed type with an entry for each bucket that is not empty, or, if all buckets have the same count,
/// a vector.
[[nodiscard]] Datatype bucket(std::span<const int> counts, int bucketsize, MPI_Datatype oldtype);

/// Makes a datatype of `count` blocks whose length changes evenly: block i has firstblock + i*blockincrement elements
/// and starts at element i*(stride + strideincrement) (isomorphic collectives paper, section 8).
///
///     triangular(3, 3, -1, 4, 1, MPI_INT)    # # # .       the upper triangle of a matrix with rows of 4
///                                            . # # .
///                                            . . # .
///
/// All arguments but `count` and `firstblock` may be negative, but no length may. Blocks may overlap in data that is
/// only read. The extent is from the first element to the last. For MPI the datatype is an indexed type with an entry
/// for each block, as the paper says; for Rondo it is one description of constant size, if elements are contiguous.
[[nodiscard]] Datatype triangular(int count, int firstblock, int blockincrement, int stride, int strideincrement,
                                  MPI_Datatype oldtype);

// Moving the data of datatypes in memory. Local; datatypes need not be committed; source and target must not share a
// byte, and must not be null if there are bytes to move. Packed data are the bytes of the elements one after the other,
// without holes. A count that makes more bytes than 2^63 is MPI_ERR_COUNT.

/// Returns the bytes of `count` elements. Throws Error: MPI_ERR_TYPE; MPI_ERR_COUNT for a negative count.
[[nodiscard]] std::int64_t packed_size(std::int64_t count, MPI_Datatype type);
/// Copies `count` elements at `source` to the front of `target`. Returns the number of bytes copied. Throws Error, also
/// MPI_ERR_TRUNCATE if `target` is too small.
std::int64_t pack(const void* source, std::int64_t count, MPI_Datatype type, std::span<std::byte> target);
/// Copies the front of `source` into `count` elements at `target`. Returns the number of bytes copied. Throws Error,
/// also MPI_ERR_TRUNCATE if `source` is too small.
std::int64_t unpack(std::span<const std::byte> source, void* target, std::int64_t count, MPI_Datatype type);
/// Copies elements of one datatype to the places of another with as many bytes, without an intermediate buffer: the
/// datatyped copy that the zero-copy Bruck paper asks for (sections 3.1 and 5). Throws Error, also MPI_ERR_TRUNCATE if
/// the two sides differ in size.
void transpack(const void* source, std::int64_t source_count, MPI_Datatype source_type, void* target,
               std::int64_t target_count, MPI_Datatype target_type);
/// Makes the signature type of a datatype (section 3.1): its basic types in order, one after the other without holes.
/// The new datatype is not committed. Throws Error.
[[nodiscard]] Datatype signature_type(MPI_Datatype type);

}  // namespace rondo

#endif
