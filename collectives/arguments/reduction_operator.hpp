/// @file
/// Which operations may reduce which datatypes.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_REDUCTION_OPERATOR_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_REDUCTION_OPERATOR_HPP

#include <mpi.h>

#include <cstdint>

namespace rondo::internal::reduction {

/// Checks the op, count and datatype of a neighborhood reduction before anything is sent: MPI itself would tell the
/// handler of MPI_COMM_WORLD in the middle of it. The operation must be commutative (EuroMPI 2015, section 4); a
/// predefined one takes the predefined datatypes that MPI 3.1, section 5.9.2, lists. Local. Throws Error: MPI_ERR_OP,
/// MPI_ERR_COUNT, MPI_ERR_TYPE.
void check_arguments(MPI_Op op, std::int64_t count, MPI_Datatype datatype);

/// The same where the order in which operands are combined is the caller's: the operation need not be commutative.
void check_arguments_in_order(MPI_Op op, std::int64_t count, MPI_Datatype datatype);

/// Whether an operation that passed is commutative. Local. Throws Error.
[[nodiscard]] bool is_commutative(MPI_Op op);

/// Whether an operation that passed is one of MPI's own, which nobody frees: another's handle may come back for one
/// that would not pass. Local.
[[nodiscard]] bool is_predefined_op(MPI_Op op);

/// Whether vectors of `type` may be combined by it in any order with the same result to the last bit: predefined
/// operations on integers.
[[nodiscard]] bool is_exact(MPI_Op op, MPI_Datatype type);

}  // namespace rondo::internal::reduction

#endif
