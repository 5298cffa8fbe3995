/// @file
/// The C interface of the collectives: one call, started in three ways.
#ifndef RONDO_COLLECTIVES_FACES_C_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_C_CALLS_HPP

#include <rondo/request.h>

#include "collectives/blocks/call.hpp"

#include <functional>

namespace rondo::internal {

// Blocking, nonblocking and persistent functions of the C interface call these with their arguments as a call, which
// holds the function's name, and return the result. For Cartesian collectives:
int run_call(const Call& call, MPI_Comm cartcomm);
int start_call(const Call& call, MPI_Comm cartcomm, Rondo_Request* request);
int init_call(const Call& call, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
// For dense collectives:
int run_dense_call(const Call& call, MPI_Comm comm);
int start_dense_call(const Call& call, MPI_Comm comm, Rondo_Request* request);
int init_dense_call(const Call& call, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

/// Function that makes the call of a rank, from the rank's number; to be passed by std::ref.
using CallOfRank = std::function<Call(int rank)>;
int run_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm);
int start_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm, Rondo_Request* request);
int init_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

}  // namespace rondo::internal

#endif
