#include "collectives/arguments/reduction_operator.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "collectives/blocks/type_probe.hpp"
#include "tests/support/every_reduction.hpp"

#include <array>
#include <cstddef>

namespace rondo::internal::reduction::operator_test {
namespace {

int error_of(MPI_Op op, int count, MPI_Datatype type) {
  try {
    check_arguments(op, count, type, type_probe());
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return error.error_class();
  }
}

TEST(ReductionOperator, PredefinedOnesTakeWhatMpiSays) {
  for (const MPI_Op op : {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD}) {
    for (const MPI_Datatype type :
         {MPI_INT, MPI_UINT8_T, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE})
      EXPECT_EQ(error_of(op, 1, type), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_DOUBLE_INT), MPI_ERR_OP);
  }
  for (const MPI_Datatype type : {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX}) {
    for (const MPI_Op op : {MPI_SUM, MPI_PROD}) EXPECT_EQ(error_of(op, 1, type), MPI_SUCCESS);
    for (const MPI_Op op : {MPI_MAX, MPI_MIN, MPI_BOR, MPI_LOR}) EXPECT_EQ(error_of(op, 1, type), MPI_ERR_OP);
  }
  for (const MPI_Op op : {MPI_BAND, MPI_BOR, MPI_BXOR}) {
    EXPECT_EQ(error_of(op, 1, MPI_BYTE), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_DOUBLE), MPI_ERR_OP);
  }
  for (const MPI_Op op : {MPI_LAND, MPI_LOR, MPI_LXOR}) {
    EXPECT_EQ(error_of(op, 1, MPI_C_BOOL), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_FLOAT), MPI_ERR_OP);
  }
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    for (const MPI_Datatype type :
         {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT})
      EXPECT_EQ(error_of(op, 1, type), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_DOUBLE), MPI_ERR_OP);
    EXPECT_EQ(error_of(op, 1, MPI_INT), MPI_ERR_OP);
  }
}

/// What is let through, MPI combines; what is refused, MPI refuses with the same class.
TEST(ReductionOperator, AsksMpi) {
  alignas(64) std::array<std::byte, 64> from{};
  alignas(64) std::array<std::byte, 64> into{};
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (const every_reduction::Type& type : every_reduction::types(derived)) {
    for (const every_reduction::Op& op : every_reduction::operations(MPI_SUM)) {
      if (every_reduction::is_wrong_in_mpi(type, op.op)) {
        EXPECT_EQ(error_of(op.op, 1, type.type), MPI_ERR_OP);
        continue;
      }
      const int code = MPI_Reduce_local(from.data(), into.data(), 1, type.type, op.op);
      for (int again = 0; again < 2; ++again)
        EXPECT_EQ(error_of(op.op, 1, type.type), every_reduction::class_of(code)) << op.name << " " << type.name;
    }
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&derived);
}

/// Only what is known to be the same in any order may be reordered.
TEST(ReductionOperator, OnlyIntegersAreExact) {
  for (const every_reduction::Type& type : every_reduction::types(MPI_DATATYPE_NULL)) {
    const bool whole = type.parts.size() == 1 && type.parts[0].kind == 'i';
    if (is_exact(MPI_SUM, type.type)) EXPECT_TRUE(whole) << type.name;
  }
  for (const MPI_Datatype type : {MPI_INT, MPI_CHAR, MPI_INTEGER, MPI_UINT64_T}) EXPECT_TRUE(is_exact(MPI_SUM, type));
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  EXPECT_FALSE(is_exact(op, MPI_INT));
  MPI_Op_free(&op);
}

void keep_first(void*, void*, int*, MPI_Datatype*) {}

TEST(ReductionOperator, UserDefinedOnesMustCommute) {
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  for (const int commutes : {0, 1}) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(keep_first, commutes, &op);
    EXPECT_EQ(error_of(op, 1, derived), commutes != 0 ? MPI_SUCCESS : MPI_ERR_OP);
    MPI_Op_free(&op);
  }
  EXPECT_EQ(error_of(MPI_SUM, 1, derived), MPI_ERR_OP);
  MPI_Type_free(&derived);
}

TEST(ReductionOperator, BadArguments) {
  EXPECT_EQ(error_of(MPI_OP_NULL, 1, MPI_INT), MPI_ERR_OP);
  EXPECT_EQ(error_of(MPI_REPLACE, 1, MPI_INT), MPI_ERR_OP);
  EXPECT_EQ(error_of(MPI_SUM, -1, MPI_INT), MPI_ERR_COUNT);
  EXPECT_EQ(error_of(MPI_SUM, 1, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
}

}  // namespace
}  // namespace rondo::internal::reduction::operator_test
