/// @file
/// RONDO_CHECK for dense alltoalls.
#ifndef RONDO_COLLECTIVES_CHECK_DENSE_AT_INIT_HPP
#define RONDO_COLLECTIVES_CHECK_DENSE_AT_INIT_HPP

#include <mpi.h>

#include "collectives/dense_call.hpp"
#include "runtime/schedule.hpp"

namespace rondo {

/// As check_cart_at_init(). All ranks are in place, or none.
void check_dense_at_init(const Schedule& schedule, const CheckedDense& checked, MPI_Comm comm);

}  // namespace rondo

#endif
