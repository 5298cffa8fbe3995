#include "datatypes/reading/signature.hpp"

#include <gtest/gtest.h>

#include "datatypes/layout/layout.hpp"

#include <array>

namespace rondo::internal::signature_test {
namespace {

/// Frees itself.
class Type {
 public:
  template <typename Make>
  explicit Type(Make make) {
    make(&type_);
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() { MPI_Type_free(&type_); }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

SignatureDigest digest_of(MPI_Datatype type) { return Signature::of(type).digest(); }

SignatureDigest ints(std::int64_t count) { return digest_of(MPI_INT).repeated(count); }

TEST(Signature, IsTheSequenceNotTheLayout) {
  const Type vector([](MPI_Datatype* type) { MPI_Type_vector(3, 2, 7, MPI_INT, type); });
  const Type contiguous([](MPI_Datatype* type) { MPI_Type_contiguous(6, MPI_INT, type); });
  const std::array lengths{1, 3, 2};
  const std::array places{20, 3, 0};
  const Type indexed([&](MPI_Datatype* type) { MPI_Type_indexed(3, lengths.data(), places.data(), MPI_INT, type); });
  const Type block([&](MPI_Datatype* type) { MPI_Type_create_indexed_block(3, 2, places.data(), MPI_INT, type); });
  const std::array sizes{4, 5};
  const std::array parts{2, 3};
  const std::array starts{1, 1};
  const Type subarray([&](MPI_Datatype* type) {
    MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_INT, type);
  });
  const Type resized([&](MPI_Datatype* type) { MPI_Type_create_resized(contiguous.get(), -4, 99, type); });
  const std::array distributions{MPI_DISTRIBUTE_BLOCK};
  const std::array arguments{MPI_DISTRIBUTE_DFLT_DARG};
  const std::array global{12};
  const std::array processes{2};
  const Type darray([&](MPI_Datatype* type) {
    MPI_Type_create_darray(2, 1, 1, global.data(), distributions.data(), arguments.data(), processes.data(),
                           MPI_ORDER_C, MPI_INT, type);
  });
  for (const Type* type : {&vector, &contiguous, &indexed, &block, &subarray, &resized, &darray})
    EXPECT_EQ(digest_of(type->get()), ints(6));
  EXPECT_EQ(digest_of(vector.get()).describe(), "6 basic elements, the first of type MPI_INT");
}

TEST(Signature, KnowsTypesCountsAndOrder) {
  EXPECT_FALSE(ints(6) == ints(5));
  EXPECT_FALSE(ints(1) == digest_of(MPI_FLOAT)) << "of the same size";
  EXPECT_FALSE(ints(0) == ints(1));
  EXPECT_EQ(ints(0), SignatureDigest());
  SignatureDigest int_double = ints(1);
  int_double.append(digest_of(MPI_DOUBLE));
  SignatureDigest double_int = digest_of(MPI_DOUBLE);
  double_int.append(ints(1));
  EXPECT_FALSE(int_double == double_int);
  const std::array lengths{1, 1};
  const std::array<MPI_Aint, 2> places{8, 0};
  const std::array types{MPI_INT, MPI_DOUBLE};
  const Type structure(
      [&](MPI_Datatype* type) { MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), type); });
  EXPECT_EQ(digest_of(structure.get()), int_double) << "in the order of the constructor";
  EXPECT_EQ(digest_of(MPI_DOUBLE_INT), double_int);
  EXPECT_TRUE(digest_of(MPI_PACKED).matches(int_double));
  SignatureDigest several_packed = digest_of(MPI_PACKED);
  several_packed.append(digest_of(MPI_PACKED));
  EXPECT_TRUE(several_packed.matches(int_double));
  EXPECT_TRUE(digest_of(MPI_PACKED).repeated(8).matches(int_double));
  EXPECT_FALSE(int_double.matches(double_int));
  SignatureDigest many;
  for (int i = 0; i < 1000; ++i) many.append(int_double);
  EXPECT_EQ(digest_of(structure.get()).repeated(1000), many);
}

/// What the type of a signature is: the basic types in order, without holes.
void expect_signature_type(MPI_Datatype type) {
  const Signature signature = Signature::of(type);
  MPI_Datatype packed = signature.make_type();
  MPI_Count size = 0;
  MPI_Count lower_bound = -1;
  MPI_Count extent = -1;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(packed, &lower_bound, &extent);
  EXPECT_EQ(signature.bytes(), size);
  EXPECT_EQ(lower_bound, 0);
  EXPECT_EQ(extent, size);
  EXPECT_EQ(digest_of(packed), signature.digest());
  EXPECT_EQ(flatten(packed), Layout::contiguous(size));
  MPI_Type_free(&packed);
}

TEST(Signature, HasAType) {
  const std::array lengths{1, 3};
  const std::array<MPI_Aint, 2> places{40, 8};
  const std::array types{MPI_INT, MPI_DOUBLE};
  const Type structure(
      [&](MPI_Datatype* type) { MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), type); });
  const Type vector([&](MPI_Datatype* type) { MPI_Type_vector(1000, 500, 700, structure.get(), type); });
  const Type nothing([](MPI_Datatype* type) { MPI_Type_contiguous(0, MPI_INT, type); });
  const Type pairs([](MPI_Datatype* type) { MPI_Type_contiguous(7, MPI_SHORT_INT, type); });
  for (const MPI_Datatype type : {MPI_DOUBLE, structure.get(), vector.get(), nothing.get(), pairs.get()})
    expect_signature_type(type);
  const Signature of_vector = Signature::of(vector.get());
  ASSERT_EQ(of_vector.items().size(), 1U) << "a loop, not a million elements";
  EXPECT_EQ(of_vector.items().front().count, 500'000);
  EXPECT_EQ(of_vector.elements(), 2'000'000);
  ASSERT_EQ(of_vector.items().front().body->items().size(), 2U);
  EXPECT_EQ(of_vector.items().front().body->items()[1].count, 3);
}

/// Records, and then an element that is none: of a struct as of two buffers one after the other.
TEST(Signature, WhatFollowsRecordsIsNotOneOfThem) {
  const std::array lengths{1, 1};
  const std::array<MPI_Aint, 2> places{0, 8};
  const std::array members{MPI_INT, MPI_DOUBLE};
  const Type record(
      [&](MPI_Datatype* type) { MPI_Type_create_struct(2, lengths.data(), places.data(), members.data(), type); });
  const std::array counts{3, 1};
  const std::array<MPI_Aint, 2> begins{0, 64};
  const std::array parts{record.get(), MPI_INT};
  const Type both(
      [&](MPI_Datatype* type) { MPI_Type_create_struct(2, counts.data(), begins.data(), parts.data(), type); });
  SignatureDigest expected = digest_of(record.get()).repeated(3);
  expected.append(ints(1));
  EXPECT_EQ(digest_of(both.get()), expected);
  ASSERT_EQ(Signature::of(both.get()).items().size(), 2U);
  expect_signature_type(both.get());
}

TEST(Signature, CountsMoreThanMpiDoes) {
  const Signature many = Signature::of(MPI_INT).repeated((std::int64_t{1} << 32) + 3);
  MPI_Datatype type = many.make_type();
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  EXPECT_EQ(size, (std::int64_t{1} << 34) + 12);
  EXPECT_EQ(flatten(type), Layout::contiguous(size)) << "what remains beyond whole rows follows them";
  MPI_Type_free(&type);
}

}  // namespace
}  // namespace rondo::internal::signature_test
