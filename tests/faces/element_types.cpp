// What MPI calls the elements of C++.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <cstddef>
#include <cstdint>

namespace rondo::internal::element_types_test {
namespace {

TEST(ElementTypes, AreMpisOfTheSameName) {
  EXPECT_EQ(datatype_of<float>(), MPI_FLOAT);
  EXPECT_EQ(datatype_of<double>(), MPI_DOUBLE);
  EXPECT_EQ(datatype_of<char>(), MPI_CHAR);
  EXPECT_EQ(datatype_of<signed char>(), MPI_SIGNED_CHAR);
  EXPECT_EQ(datatype_of<unsigned char>(), MPI_UNSIGNED_CHAR);
  EXPECT_EQ(datatype_of<std::byte>(), MPI_BYTE);
  EXPECT_EQ(datatype_of<short>(), MPI_SHORT);
  EXPECT_EQ(datatype_of<unsigned short>(), MPI_UNSIGNED_SHORT);
  EXPECT_EQ(datatype_of<int>(), MPI_INT);
  EXPECT_EQ(datatype_of<unsigned>(), MPI_UNSIGNED);
  EXPECT_EQ(datatype_of<long>(), MPI_LONG);
  EXPECT_EQ(datatype_of<unsigned long>(), MPI_UNSIGNED_LONG);
  EXPECT_EQ(datatype_of<long long>(), MPI_LONG_LONG);
  EXPECT_EQ(datatype_of<unsigned long long>(), MPI_UNSIGNED_LONG_LONG);
}

}  // namespace
}  // namespace rondo::internal::element_types_test
