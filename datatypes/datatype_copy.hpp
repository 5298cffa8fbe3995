/// @file
/// Moving the data of datatypes in memory: pack, unpack, and both at once.
#ifndef RONDO_DATATYPES_DATATYPE_COPY_HPP
#define RONDO_DATATYPES_DATATYPE_COPY_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace rondo {

/// Bytes of `count` elements. Local, as all here; datatypes need not be committed. Throws Error, MPI_ERR_TYPE.
[[nodiscard]] std::int64_t packed_size(std::int64_t count, MPI_Datatype type);

/// Copies `count` elements at `source` to packed_size() bytes at `target`, one after the other without holes.
void pack(const void* source, std::int64_t count, MPI_Datatype type, void* target);
/// The reverse.
void unpack(const void* source, void* target, std::int64_t count, MPI_Datatype type);
/// Copies elements at `source` into the places of elements of another datatype at `target`, without a buffer between:
/// the datatyped copy that the zero-copy Bruck paper asks for (sections 3.1 and 5). Throws Error, MPI_ERR_TRUNCATE,
/// when the two sides are not of the same number of bytes.
void transpack(const void* source, std::int64_t source_count, MPI_Datatype source_type, void* target,
               std::int64_t target_count, MPI_Datatype target_type);

}  // namespace rondo

#endif
