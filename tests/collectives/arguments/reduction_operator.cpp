#include "collectives/arguments/reduction_operator.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include <array>

namespace rondo::internal::reduction::operator_test {
namespace {

int error_of(MPI_Op op, int count, MPI_Datatype type) {
  try {
    check_arguments(op, count, type);
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
    EXPECT_EQ(error_of(op, 1, MPI_BYTE), MPI_ERR_OP);
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
    EXPECT_EQ(error_of(op, 1, MPI_BYTE), MPI_ERR_OP);
  }
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    for (const MPI_Datatype type :
         {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT})
      EXPECT_EQ(error_of(op, 1, type), MPI_SUCCESS);
    EXPECT_EQ(error_of(op, 1, MPI_DOUBLE), MPI_ERR_OP);
    EXPECT_EQ(error_of(op, 1, MPI_INT), MPI_ERR_OP);
  }
}

/// Whatever is let through, MPI itself must take.
TEST(ReductionOperator, WhatPassesMpiReduces) {
  alignas(64) std::array<std::byte, 64> from{};
  alignas(64) std::array<std::byte, 64> into{};
  for (const MPI_Op op : {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR,
                          MPI_MINLOC, MPI_MAXLOC}) {
    for (const MPI_Datatype type : {MPI_INT,
                                    MPI_LONG,
                                    MPI_SHORT,
                                    MPI_UNSIGNED_SHORT,
                                    MPI_UNSIGNED,
                                    MPI_UNSIGNED_LONG,
                                    MPI_LONG_LONG,
                                    MPI_UNSIGNED_LONG_LONG,
                                    MPI_SIGNED_CHAR,
                                    MPI_UNSIGNED_CHAR,
                                    MPI_INT8_T,
                                    MPI_INT16_T,
                                    MPI_INT32_T,
                                    MPI_INT64_T,
                                    MPI_UINT8_T,
                                    MPI_UINT16_T,
                                    MPI_UINT32_T,
                                    MPI_UINT64_T,
                                    MPI_AINT,
                                    MPI_OFFSET,
                                    MPI_COUNT,
                                    MPI_FLOAT,
                                    MPI_DOUBLE,
                                    MPI_LONG_DOUBLE,
                                    MPI_C_BOOL,
                                    MPI_C_FLOAT_COMPLEX,
                                    MPI_C_DOUBLE_COMPLEX,
                                    MPI_BYTE,
                                    MPI_FLOAT_INT,
                                    MPI_DOUBLE_INT,
                                    MPI_LONG_INT,
                                    MPI_2INT,
                                    MPI_SHORT_INT,
                                    MPI_LONG_DOUBLE_INT}) {
      if (error_of(op, 1, type) != MPI_SUCCESS) continue;
      EXPECT_EQ(MPI_Reduce_local(from.data(), into.data(), 1, type, op), MPI_SUCCESS);
    }
  }
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
