// Pack, unpack and transpack of datatypes beside MPI_Pack and MPI_Unpack.
#include "datatypes/datatype_copy.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include <array>
#include <numeric>
#include <vector>

namespace rondo {
namespace {

constexpr int kRows = 12;

/// Two ways through a matrix of kRows times kRows doubles, and both of them as MPI packs.
class DatatypeCopy : public testing::Test {
 protected:
  DatatypeCopy() {
    MPI_Type_vector(kRows, 1, kRows, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &next_column);
    const std::array sizes{kRows, kRows};
    const std::array parts{5, 7};
    const std::array starts{2, 3};
    MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE, &patch);
    for (MPI_Datatype* type : {&next_column, &patch}) MPI_Type_commit(type);
    std::iota(matrix.begin(), matrix.end(), 1.0);
  }
  ~DatatypeCopy() override {
    for (MPI_Datatype* type : {&column, &next_column, &patch}) MPI_Type_free(type);
  }
  [[nodiscard]] std::vector<std::byte> packed_by_mpi(int count, MPI_Datatype type) const {
    std::vector<std::byte> packed(static_cast<std::size_t>(packed_size(count, type)));
    int position = 0;
    MPI_Pack(matrix.data(), count, type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
    return packed;
  }

  MPI_Datatype column = MPI_DATATYPE_NULL;  // not committed
  MPI_Datatype next_column = MPI_DATATYPE_NULL;
  MPI_Datatype patch = MPI_DATATYPE_NULL;
  std::vector<double> matrix = std::vector<double>(kRows * kRows);
};

TEST_F(DatatypeCopy, PacksAndUnpacksAsMpiDoes) {
  for (const MPI_Datatype type : {MPI_DOUBLE, next_column, patch}) {
    for (const int count : {1, 3, 12}) {
      if (type == patch && count > 1) continue;
      const auto expected = packed_by_mpi(count, type);
      std::vector<std::byte> packed(expected.size());
      pack(matrix.data(), count, type, packed.data());
      EXPECT_EQ(packed, expected);
      std::vector<double> ours(matrix.size());
      std::vector<double> mpis(matrix.size());
      unpack(packed.data(), ours.data(), count, type);
      int position = 0;
      MPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, mpis.data(), count, type, MPI_COMM_SELF);
      EXPECT_EQ(ours, mpis);
    }
  }
}

TEST_F(DatatypeCopy, TransposesWithoutABuffer) {
  std::vector<double> transposed(matrix.size());
  transpack(matrix.data(), kRows, next_column, transposed.data(), kRows * kRows, MPI_DOUBLE);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kRows; ++j) EXPECT_EQ(transposed[i * kRows + j], matrix[j * kRows + i]);
  }
  std::vector<double> back(matrix.size());
  transpack(transposed.data(), kRows * kRows, MPI_DOUBLE, back.data(), kRows, next_column);
  EXPECT_EQ(back, matrix);
  EXPECT_THROW(transpack(matrix.data(), 1, patch, transposed.data(), 1, MPI_DOUBLE), Error);
}

TEST_F(DatatypeCopy, TakesTypesThatAreNotCommitted) {
  EXPECT_EQ(packed_size(2, column), 2 * kRows * 8);
  std::vector<double> packed(kRows);
  pack(matrix.data(), 1, column, packed.data());
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(packed[i], matrix[i * kRows]);
}

}  // namespace
}  // namespace rondo
