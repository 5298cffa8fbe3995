/// @file
/// Which operations may reduce which datatypes.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_REDUCTION_OPERATOR_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_REDUCTION_OPERATOR_HPP

#include <mpi.h>

#include <cstdint>

namespace rondo::internal::reduction {

/// Checks the op, count and datatype of a neighborhood reduction before anything is sent: MPI itself would tell the
/// handler of MPI_COMM_WORLD in the middle of it. The operation must be commutative (EuroMPI 2015, section 4). A
/// predefined operation takes the datatypes with which this MPI lets it be used, in `probe`, a communicator of this
/// process alone that returns errors. Local. Thread-safe. Throws Error: MPI_ERR_OP, MPI_ERR_COUNT, MPI_ERR_TYPE; and
/// LeftToMpi, with MPI's class, if MPI refuses the operation and the datatype.
void check_arguments(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe);

/// Checks the same of a reduction whose caller decides the order of the operands: its operation need not be
/// commutative.
void check_arguments_in_order(MPI_Op op, std::int64_t count, MPI_Datatype datatype, MPI_Comm probe);

/// Returns whether an operation that passed is commutative. Local. Throws Error.
[[nodiscard]] bool is_commutative(MPI_Op op);

/// Returns whether an operation is one of MPI's own, which nobody frees: the handle of another may come back for an
/// operation that would not pass. Local.
[[nodiscard]] bool is_predefined_op(MPI_Op op);

/// Returns whether vectors of `type` may be combined by `op` in any order with the same result to the last bit. Only
/// predefined operations on types that are known to be integers are. Local.
[[nodiscard]] bool is_exact(MPI_Op op, MPI_Datatype type);

}  // namespace rondo::internal::reduction

#endif
