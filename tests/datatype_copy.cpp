// Pack, unpack and transpack of datatypes beside MPI_Pack and MPI_Unpack.
#include <gtest/gtest.h>
#include <rondo/rondo.h>
#include <rondo/datatypes.hpp>
#include <rondo/error.hpp>

#include <array>
#include <numeric>
#include <span>
#include <string>
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
      EXPECT_EQ(pack(matrix.data(), count, type, packed), std::ssize(packed));
      EXPECT_EQ(packed, expected);
      std::vector<double> ours(matrix.size());
      std::vector<double> mpis(matrix.size());
      EXPECT_EQ(unpack(packed, ours.data(), count, type), std::ssize(packed));
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

/// Every argument that can be wrong, with the class and the text of its error.
TEST_F(DatatypeCopy, NamesWhatIsWrong) {
  std::vector<std::byte> bytes(100);
  const auto expect = [](int error_class, const std::string& text, auto call) {
    try {
      call();
      ADD_FAILURE() << "taken: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), error_class) << error.what();
      EXPECT_EQ(error.what(), text);
    }
  };
  expect(MPI_ERR_TYPE, "type: is MPI_DATATYPE_NULL", [&] { pack(matrix.data(), 1, MPI_DATATYPE_NULL, bytes); });
  expect(MPI_ERR_COUNT, "count: is -2, must be at least 0", [&] { pack(matrix.data(), -2, column, bytes); });
  expect(MPI_ERR_TRUNCATE, "target: has room for 50 bytes, must have 96",
         [&] { pack(matrix.data(), 1, column, std::span(bytes).first(50)); });
  expect(MPI_ERR_TRUNCATE, "source: has room for 50 bytes, must have 96",
         [&] { unpack(std::span(bytes).first(50), matrix.data(), 1, column); });
  expect(MPI_ERR_TRUNCATE, "source and target: have 96 and 88 bytes, must have as many",
         [&] { transpack(matrix.data(), 1, column, bytes.data(), 11, MPI_DOUBLE); });
  expect(MPI_ERR_COUNT, "target count: is -1, must be at least 0",
         [&] { transpack(matrix.data(), 1, column, bytes.data(), -1, MPI_DOUBLE); });

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Aint position = 200;
  EXPECT_EQ(Rondo_Pack(matrix.data(), 1, column, bytes.data(), 100, &position), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_Unpack(bytes.data(), -1, &position, matrix.data(), 1, column), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_Pack(matrix.data(), 1, column, bytes.data(), 100, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(position, 200) << "not moved on by a call that failed";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_F(DatatypeCopy, MovesThePositionOn) {
  std::vector<std::byte> packed(2 * kRows * sizeof(double));
  MPI_Aint position = 0;
  EXPECT_EQ(Rondo_Pack(&matrix[0], 1, column, packed.data(), std::ssize(packed), &position), MPI_SUCCESS);
  EXPECT_EQ(Rondo_Pack(&matrix[1], 1, column, packed.data(), std::ssize(packed), &position), MPI_SUCCESS);
  EXPECT_EQ(position, std::ssize(packed));
  std::vector<double> back(matrix.size());
  position = 0;
  EXPECT_EQ(Rondo_Unpack(packed.data(), std::ssize(packed), &position, back.data(), 2, next_column), MPI_SUCCESS);
  EXPECT_EQ(position, std::ssize(packed));
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(back[i * kRows], matrix[i * kRows]);
    EXPECT_EQ(back[i * kRows + 1], matrix[i * kRows + 1]);
  }
}

TEST_F(DatatypeCopy, MakesSignatureTypes) {
  Datatype row = signature_type(patch);
  row.commit();
  std::vector<double> received(35);
  const int self = 0;
  MPI_Sendrecv(matrix.data(), 1, patch, self, 0, received.data(), 1, row.get(), self, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < 35; ++i) EXPECT_EQ(received[i], matrix[(i / 7 + 2) * kRows + i % 7 + 3]);
  MPI_Datatype from_c = MPI_DATATYPE_NULL;
  EXPECT_EQ(Rondo_Type_create_signature(patch, &from_c), MPI_SUCCESS);
  EXPECT_EQ(packed_size(1, from_c), 280);
  MPI_Type_free(&from_c);
}

TEST_F(DatatypeCopy, TakesTypesThatAreNotCommitted) {
  EXPECT_EQ(packed_size(2, column), 2 * kRows * 8);
  std::vector<double> packed(kRows);
  pack(matrix.data(), 1, column, std::as_writable_bytes(std::span(packed)));
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(packed[i], matrix[i * kRows]);
}

}  // namespace
}  // namespace rondo
