/// @file
/// Turns an MPI return code into an exception: no code is dropped.
#ifndef RONDO_DATATYPES_READING_MPI_CHECK_HPP
#define RONDO_DATATYPES_READING_MPI_CHECK_HPP

#include <mpi.h>

namespace rondo::internal {

/// Throws Error with the class of `code` and MPI's text if `code` is not MPI_SUCCESS. `call` names the function.
void check_mpi(int code, const char* call);

}  // namespace rondo::internal

#endif
