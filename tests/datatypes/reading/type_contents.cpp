// MPI 4's constructors with large counts: a datatype is the same whichever of two constructors it was made by.
#include "datatypes/reading/type_contents.hpp"

#include <gtest/gtest.h>

#include "datatypes/layout/layout.hpp"
#include "datatypes/reading/signature.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace rondo::internal::type_contents_test {
namespace {

#if MPI_VERSION >= 4

using Handle = MPI_Datatype*;

/// `by_ints` and `by_counts` are given where to put a datatype.
template <typename ByInts, typename ByCounts>
void expect_same(const std::string& what, ByInts by_ints, ByCounts by_counts) {
  std::array<MPI_Datatype, 2> types{MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  ASSERT_EQ(by_ints(&types[0]), MPI_SUCCESS) << what;
  ASSERT_EQ(by_counts(&types[1]), MPI_SUCCESS) << what;
  EXPECT_TRUE(flatten(types[0]) == flatten(types[1])) << what;
  EXPECT_TRUE(Signature::of(types[0]).digest() == Signature::of(types[1]).digest()) << what;
  // And as a part of another, which has handles of its own for its parts.
  std::array<MPI_Datatype, 2> twice{MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  ASSERT_EQ(MPI_Type_contiguous(2, types[0], &twice[0]), MPI_SUCCESS) << what;
  ASSERT_EQ(MPI_Type_contiguous_c(2, types[1], &twice[1]), MPI_SUCCESS) << what;
  EXPECT_TRUE(flatten(twice[0]) == flatten(twice[1])) << what;
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
  for (MPI_Datatype& type : twice) MPI_Type_free(&type);
}

TEST(TypeContents, AreTheSameByEitherConstructor) {
  const std::array lengths{2, 0, 3};
  const std::array places{5, 1, 9};
  const std::array<MPI_Aint, 3> byte_places{40, 8, 72};
  const std::array types{MPI_INT, MPI_CHAR, MPI_DOUBLE};
  const std::array<MPI_Count, 3> large_lengths{2, 0, 3};
  const std::array<MPI_Count, 3> large_places{5, 1, 9};
  const std::array<MPI_Count, 3> large_byte_places{40, 8, 72};
  expect_same(
      "contiguous", [](Handle made) { return MPI_Type_contiguous(7, MPI_INT, made); },
      [](Handle made) { return MPI_Type_contiguous_c(7, MPI_INT, made); });
  expect_same(
      "vector", [](Handle made) { return MPI_Type_vector(3, 2, 5, MPI_INT, made); },
      [](Handle made) { return MPI_Type_vector_c(3, 2, 5, MPI_INT, made); });
  expect_same(
      "hvector", [](Handle made) { return MPI_Type_create_hvector(3, 2, 29, MPI_INT, made); },
      [](Handle made) { return MPI_Type_create_hvector_c(3, 2, 29, MPI_INT, made); });
  expect_same(
      "indexed", [&](Handle made) { return MPI_Type_indexed(3, lengths.data(), places.data(), MPI_INT, made); },
      [&](Handle made) { return MPI_Type_indexed_c(3, large_lengths.data(), large_places.data(), MPI_INT, made); });
  expect_same(
      "hindexed",
      [&](Handle made) { return MPI_Type_create_hindexed(3, lengths.data(), byte_places.data(), MPI_INT, made); },
      [&](Handle made) {
        return MPI_Type_create_hindexed_c(3, large_lengths.data(), large_byte_places.data(), MPI_INT, made);
      });
  expect_same(
      "indexed block", [&](Handle made) { return MPI_Type_create_indexed_block(3, 2, places.data(), MPI_INT, made); },
      [&](Handle made) { return MPI_Type_create_indexed_block_c(3, 2, large_places.data(), MPI_INT, made); });
  expect_same(
      "hindexed block",
      [&](Handle made) { return MPI_Type_create_hindexed_block(3, 2, byte_places.data(), MPI_INT, made); },
      [&](Handle made) { return MPI_Type_create_hindexed_block_c(3, 2, large_byte_places.data(), MPI_INT, made); });
  expect_same(
      "struct",
      [&](Handle made) { return MPI_Type_create_struct(3, lengths.data(), byte_places.data(), types.data(), made); },
      [&](Handle made) {
        return MPI_Type_create_struct_c(3, large_lengths.data(), large_byte_places.data(), types.data(), made);
      });
  expect_same(
      "resized", [](Handle made) { return MPI_Type_create_resized(MPI_INT, -4, 24, made); },
      [](Handle made) { return MPI_Type_create_resized_c(MPI_INT, -4, 24, made); });
}

TEST(TypeContents, OfArraysAreTheSameByEitherConstructor) {
  const std::array sizes{7, 6, 5};
  const std::array parts{3, 2, 4};
  const std::array starts{1, 4, 0};
  const std::array<MPI_Count, 3> large_sizes{7, 6, 5};
  const std::array<MPI_Count, 3> large_parts{3, 2, 4};
  const std::array<MPI_Count, 3> large_starts{1, 4, 0};
  const std::array distributions{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  const std::array arguments{MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
  const std::array processes{2, 2, 1};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    expect_same(
        "subarray",
        [&](Handle made) {
          return MPI_Type_create_subarray(3, sizes.data(), parts.data(), starts.data(), order, MPI_INT, made);
        },
        [&](Handle made) {
          return MPI_Type_create_subarray_c(3, large_sizes.data(), large_parts.data(), large_starts.data(), order,
                                            MPI_INT, made);
        });
    expect_same(
        "darray",
        [&](Handle made) {
          return MPI_Type_create_darray(4, 3, 3, sizes.data(), distributions.data(), arguments.data(), processes.data(),
                                        order, MPI_INT, made);
        },
        [&](Handle made) {
          return MPI_Type_create_darray_c(4, 3, 3, large_sizes.data(), distributions.data(), arguments.data(),
                                          processes.data(), order, MPI_INT, made);
        });
  }
}

TEST(TypeContents, CountMoreThanAnIntDoes) {
  constexpr MPI_Count kMany = MPI_Count{5} << 31U;
  MPI_Datatype many = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous_c(kMany, MPI_SHORT, &many), MPI_SUCCESS);
  EXPECT_EQ(flatten(many).size(), 2 * kMany);
  EXPECT_EQ(Signature::of(many).elements(), kMany);
  MPI_Type_free(&many);
  ASSERT_EQ(MPI_Type_vector_c(kMany, 1, 3, MPI_SHORT, &many), MPI_SUCCESS);
  const Layout layout = flatten(many);
  EXPECT_EQ(layout.pieces(), kMany);
  EXPECT_EQ(layout.true_end(), 6 * (kMany - 1) + 2);
  MPI_Type_free(&many);
}

#else

TEST(TypeContents, HaveNoLargeCounts) {
  TypeEnvelope envelope;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  ASSERT_EQ(envelope.read(type), MPI_SUCCESS);
  EXPECT_EQ(envelope.combiner, MPI_COMBINER_VECTOR);
  EXPECT_EQ(envelope.integers, 3);
  EXPECT_EQ(envelope.large_counts, 0) << "MPI 3 has none";
  MPI_Type_free(&type);
}

#endif

}  // namespace
}  // namespace rondo::internal::type_contents_test
