/// @file
/// The C interface of the Cartesian collectives: one call, started in three ways.
#ifndef RONDO_COLLECTIVES_C_CALLS_HPP
#define RONDO_COLLECTIVES_C_CALLS_HPP

#include <rondo/rondo.h>

#include "collectives/cart_call.hpp"

namespace rondo {

/// What a blocking, a nonblocking and a persistent function of the C interface do with their arguments; the call holds
/// the function's name. They return what the function returns.
int run_call(const CartCall& call, MPI_Comm comm);
int start_call(const CartCall& call, MPI_Comm comm, Rondo_Request* request);
int init_call(const CartCall& call, MPI_Comm comm, MPI_Info info, Rondo_Request* request);

}  // namespace rondo

#endif
