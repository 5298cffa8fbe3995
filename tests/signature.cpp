#include "datatypes/signature.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rondo {
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

Signature ints(std::int64_t count) { return Signature::of(MPI_INT).repeated(count); }

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
    EXPECT_EQ(Signature::of(type->get()), ints(6));
  EXPECT_EQ(Signature::of(vector.get()).describe(), "6 basic elements, the first of type MPI_INT");
}

TEST(Signature, KnowsTypesCountsAndOrder) {
  EXPECT_FALSE(ints(6) == ints(5));
  EXPECT_FALSE(ints(1) == Signature::of(MPI_FLOAT)) << "of the same size";
  EXPECT_FALSE(ints(0) == ints(1));
  EXPECT_EQ(ints(0), Signature());
  Signature int_double = ints(1);
  int_double.append(Signature::of(MPI_DOUBLE));
  Signature double_int = Signature::of(MPI_DOUBLE);
  double_int.append(ints(1));
  EXPECT_FALSE(int_double == double_int);
  const std::array lengths{1, 1};
  const std::array<MPI_Aint, 2> places{8, 0};
  const std::array types{MPI_INT, MPI_DOUBLE};
  const Type structure(
      [&](MPI_Datatype* type) { MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), type); });
  EXPECT_EQ(Signature::of(structure.get()), int_double) << "in the order of the constructor";
  EXPECT_EQ(Signature::of(MPI_DOUBLE_INT), double_int);
  EXPECT_TRUE(Signature::of(MPI_PACKED).matches(int_double));
  EXPECT_FALSE(int_double.matches(double_int));
  Signature many;
  for (int i = 0; i < 1000; ++i) many.append(int_double);
  EXPECT_EQ(Signature::of(structure.get()).repeated(1000), many);
}

}  // namespace
}  // namespace rondo
