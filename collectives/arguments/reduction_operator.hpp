/// @file
/// Functions that check which operations may reduce which datatypes.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_REDUCTION_OPERATOR_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_REDUCTION_OPERATOR_HPP

#include <mpi.h>

#include <cstdint>

namespace rondo::internal::reduction {

/// Checks the op, count and datatype of a neighborhood reduction before anything is sent: MPI itself would call the
/// error handler of MPI_COMM_WORLD in the middle of the reduction. The operation must be commutative (EuroMPI 2015,
/// section 4). A predefined operation takes the datatypes with which this MPI lets it be used, in `probe`, a
/// communicator of this process alone that returns errors. Local. Thread-safe. Throws Error: MPI_ERR_OP, MPI_ERR_COUNT,
/// MPI_ERR_TYPE; and LeftToMpi, with MPI's class, if MPI refuses the operation and the datatype.
void check_arguments(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe);

/// Checks the arguments as check_arguments() does, for a reduction whose caller decides the order of the operands: its
/// operation need not be commutative.
void check_arguments_in_order(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe);

/// Returns whether an operation is commutative. Call this only for an operation that passed check_arguments() or
/// check_arguments_in_order(). Local. Throws Error.
[[nodiscard]] bool is_commutative(MPI_Op op);

/// Returns whether an operation is one of MPI's own, which nobody frees. The handle of any other operation may be
/// reused for one that would not pass the check. Local.
[[nodiscard]] bool is_predefined_op(MPI_Op op);

/// Returns whether vectors of `type` may be combined by `op` in any order with the same result to the last bit. This is
/// known only for predefined operations on types that are known to be integers. Local.
[[nodiscard]] bool is_exact(MPI_Op op, MPI_Datatype type);

}  // namespace rondo::internal::reduction

#endif
