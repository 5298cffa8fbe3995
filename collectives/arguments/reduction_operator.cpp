#include "collectives/arguments/reduction_operator.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/type_contents.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace rondo::internal::reduction {
namespace {

/// MPI's classes of predefined datatypes.
enum Class : unsigned { integer = 1, floating = 2, logical = 4, complex = 8, byte = 16, pair = 32 };

struct NamedClass {
  MPI_Datatype type;
  unsigned of;
};

unsigned class_of(MPI_Datatype type) {
  const std::array classes{
      NamedClass{MPI_INT, integer},
      NamedClass{MPI_LONG, integer},
      NamedClass{MPI_SHORT, integer},
      NamedClass{MPI_UNSIGNED_SHORT, integer},
      NamedClass{MPI_UNSIGNED, integer},
      NamedClass{MPI_UNSIGNED_LONG, integer},
      NamedClass{MPI_LONG_LONG, integer},
      NamedClass{MPI_UNSIGNED_LONG_LONG, integer},
      NamedClass{MPI_SIGNED_CHAR, integer},
      NamedClass{MPI_UNSIGNED_CHAR, integer},
      NamedClass{MPI_INT8_T, integer},
      NamedClass{MPI_INT16_T, integer},
      NamedClass{MPI_INT32_T, integer},
      NamedClass{MPI_INT64_T, integer},
      NamedClass{MPI_UINT8_T, integer},
      NamedClass{MPI_UINT16_T, integer},
      NamedClass{MPI_UINT32_T, integer},
      NamedClass{MPI_UINT64_T, integer},
      NamedClass{MPI_AINT, integer},
      NamedClass{MPI_OFFSET, integer},
      NamedClass{MPI_COUNT, integer},
      NamedClass{MPI_FLOAT, floating},
      NamedClass{MPI_DOUBLE, floating},
      NamedClass{MPI_LONG_DOUBLE, floating},
      NamedClass{MPI_C_BOOL, logical},
      NamedClass{MPI_C_FLOAT_COMPLEX, complex},
      NamedClass{MPI_C_DOUBLE_COMPLEX, complex},
      NamedClass{MPI_C_LONG_DOUBLE_COMPLEX, complex},
      NamedClass{MPI_CXX_BOOL, logical},
      NamedClass{MPI_CXX_FLOAT_COMPLEX, complex},
      NamedClass{MPI_CXX_DOUBLE_COMPLEX, complex},
      NamedClass{MPI_CXX_LONG_DOUBLE_COMPLEX, complex},
      NamedClass{MPI_BYTE, byte},
      NamedClass{MPI_FLOAT_INT, pair},
      NamedClass{MPI_DOUBLE_INT, pair},
      NamedClass{MPI_LONG_INT, pair},
      NamedClass{MPI_2INT, pair},
      NamedClass{MPI_SHORT_INT, pair},
      NamedClass{MPI_LONG_DOUBLE_INT, pair},
      NamedClass{MPI_INTEGER, integer},
      NamedClass{MPI_REAL, floating},
      NamedClass{MPI_DOUBLE_PRECISION, floating},
      NamedClass{MPI_LOGICAL, logical},
      NamedClass{MPI_COMPLEX, complex},
      NamedClass{MPI_DOUBLE_COMPLEX, complex},
      NamedClass{MPI_2REAL, pair},
      NamedClass{MPI_2DOUBLE_PRECISION, pair},
      NamedClass{MPI_2INTEGER, pair},
  };
  // An MPI without Fortran has null handles for Fortran's types.
  const auto* const found = std::ranges::find(classes, type, &NamedClass::type);
  return found == classes.end() ? 0 : found->of;
}

struct NamedOp {
  MPI_Op op;
  const char* name;
  unsigned takes;
};

bool is_predefined(MPI_Datatype type) { return combiner_of(type, "datatype") == MPI_COMBINER_NAMED; }

std::string name_of(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  check_mpi(MPI_Type_get_name(type, name.data(), &length), "datatype");
  return length == 0 ? "a derived datatype" : std::string(name.data(), static_cast<std::size_t>(length));
}

/// The operations that MPI has, with the datatypes that they take.
auto predefined_ops() {
  return std::array{
      NamedOp{MPI_MAX, "MPI_MAX", integer | floating},
      NamedOp{MPI_MIN, "MPI_MIN", integer | floating},
      NamedOp{MPI_SUM, "MPI_SUM", integer | floating | complex},
      NamedOp{MPI_PROD, "MPI_PROD", integer | floating | complex},
      NamedOp{MPI_LAND, "MPI_LAND", integer | logical},
      NamedOp{MPI_LOR, "MPI_LOR", integer | logical},
      NamedOp{MPI_LXOR, "MPI_LXOR", integer | logical},
      NamedOp{MPI_BAND, "MPI_BAND", integer | byte},
      NamedOp{MPI_BOR, "MPI_BOR", integer | byte},
      NamedOp{MPI_BXOR, "MPI_BXOR", integer | byte},
      NamedOp{MPI_MINLOC, "MPI_MINLOC", pair},
      NamedOp{MPI_MAXLOC, "MPI_MAXLOC", pair},
  };
}

/// Everything but whether it is commutative. Returns whether it is one of MPI's own, which all are.
bool check_op(MPI_Op op, std::int64_t count, MPI_Datatype datatype) {
  if (op == MPI_REPLACE || op == MPI_NO_OP)
    throw Error(MPI_ERR_OP, "op: is MPI_REPLACE or MPI_NO_OP, which are for MPI_Accumulate only");
  if (count < 0) throw Error(MPI_ERR_COUNT, "count: is " + std::to_string(count) + ", must be at least 0");
  if (datatype == MPI_DATATYPE_NULL)
    throw Error(MPI_ERR_TYPE, "datatype: is MPI_DATATYPE_NULL, must be a committed datatype");
  const auto ops = predefined_ops();
  const auto* const predefined = std::ranges::find(ops, op, &NamedOp::op);
  if (predefined != ops.end()) {
    if (is_predefined(datatype) && (class_of(datatype) & predefined->takes) != 0) return true;
    throw Error(MPI_ERR_OP, std::string("op: is ") + predefined->name + ", which does not take " + name_of(datatype) +
                                " (derived datatypes need an operation made by MPI_Op_create)");
  }
  return false;
}

}  // namespace

void check_arguments_in_order(MPI_Op op, std::int64_t count, MPI_Datatype datatype) {
  if (op == MPI_OP_NULL) throw Error(MPI_ERR_OP, "op: is MPI_OP_NULL, must be an operation");
  static_cast<void>(check_op(op, count, datatype));
}

void check_arguments(MPI_Op op, std::int64_t count, MPI_Datatype datatype) {
  if (op == MPI_OP_NULL) throw Error(MPI_ERR_OP, "op: is MPI_OP_NULL, must be a commutative operation");
  if (check_op(op, count, datatype)) return;
  if (!is_commutative(op)) throw Error(MPI_ERR_OP, "op: is not commutative, must be a commutative operation");
}

bool is_commutative(MPI_Op op) {
  int commutative = 0;
  check_mpi(MPI_Op_commutative(op, &commutative), "op");
  return commutative != 0;
}

bool is_predefined_op(MPI_Op op) {
  const auto ops = predefined_ops();
  return std::ranges::find(ops, op, &NamedOp::op) != ops.end();
}

bool is_exact(MPI_Op op, MPI_Datatype type) { return is_predefined_op(op) && (class_of(type) & (integer | byte)) != 0; }

}  // namespace rondo::internal::reduction
