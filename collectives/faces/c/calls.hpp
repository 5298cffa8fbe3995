/// @file
/// The C interface of the collectives: one call, started in three ways.
#ifndef RONDO_COLLECTIVES_FACES_C_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_C_CALLS_HPP

#include <rondo/request.h>

#include "collectives/blocks/call.hpp"

#include <functional>

namespace rondo::internal {

// What a blocking, a nonblocking and a persistent function do with their arguments; the call holds the function's name.
// They return what the function returns. Of Cartesian collectives:
int run_call(const Call& call, MPI_Comm cartcomm);
int start_call(const Call& call, MPI_Comm cartcomm, Rondo_Request* request);
int init_call(const Call& call, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request);
// And of dense ones:
int run_dense_call(const Call& call, MPI_Comm comm);
int start_dense_call(const Call& call, MPI_Comm comm, Rondo_Request* request);
int init_dense_call(const Call& call, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

/// Makes a call from the number of the rank that makes it; to be passed by std::ref.
using CallOfRank = std::function<Call(int rank)>;
int run_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm);
int start_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm, Rondo_Request* request);
int init_dense_call(const char* name, const CallOfRank& call_of, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

}  // namespace rondo::internal

#endif
