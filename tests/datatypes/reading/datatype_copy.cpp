// Pack, unpack and transpack of datatypes beside MPI_Pack and MPI_Unpack.
#include <gtest/gtest.h>
#include <rondo/datatypes.h>
#include <rondo/datatypes.hpp>
#include <rondo/error.hpp>

#include "datatypes/reading/owned_types.hpp"
#include "tests/support/random_layout.hpp"
#include "tests/support/random_type.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::datatype_copy_test {
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

/// One side of a transpack: elements of a datatype, and the place of each of their bytes in order.
struct Side {
  std::string name;
  int count;
  MPI_Datatype type;
  std::vector<std::int64_t> places;
};

/// The places of pieces of `bytes` bytes that begin at the given ones.
std::vector<std::int64_t> bytes_at(const std::vector<std::int64_t>& begins, std::int64_t bytes) {
  std::vector<std::int64_t> places;
  for (const std::int64_t begin : begins) {
    for (std::int64_t i = 0; i < bytes; ++i) places.push_back(begin + i);
  }
  return places;
}

/// Memory for a side, which may begin at a negative place.
struct SideMemory {
  explicit SideMemory(const Side& side) {
    if (side.places.empty()) return;
    const auto [least, most] = std::ranges::minmax(side.places);
    begin = std::min<std::int64_t>(0, least);
    bytes.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, most + 1) - begin));
  }
  [[nodiscard]] std::byte* address() { return bytes.data() - begin; }
  [[nodiscard]] std::byte& at(std::int64_t place) { return bytes[static_cast<std::size_t>(place - begin)]; }

  std::int64_t begin = 0;
  std::vector<std::byte> bytes = std::vector<std::byte>(1);
};

/// By both interfaces, against a plain loop.
void expect_transpacked(const Side& source, const Side& target) {
  SCOPED_TRACE(std::to_string(source.count) + " of " + source.name + " to " + std::to_string(target.count) + " of " +
               target.name);
  ASSERT_EQ(source.places.size(), target.places.size());
  SideMemory from(source);
  for (std::size_t i = 0; i < from.bytes.size(); ++i) from.bytes[i] = static_cast<std::byte>(i * 31 + i / 251);
  SideMemory expected(target);
  std::ranges::fill(expected.bytes, std::byte{0xee});
  SideMemory to = expected;
  SideMemory to_from_c = expected;
  for (std::size_t i = 0; i < source.places.size(); ++i) expected.at(target.places[i]) = from.at(source.places[i]);
  transpack(from.address(), source.count, source.type, to.address(), target.count, target.type);
  ASSERT_EQ(to.bytes, expected.bytes);
  ASSERT_EQ(Rondo_Transpack(from.address(), source.count, source.type, to_from_c.address(), target.count, target.type),
            MPI_SUCCESS);
  ASSERT_EQ(to_from_c.bytes, expected.bytes);
}

/// Both sides scattered, each in its own way. Every pair comes three times, with others in between: what is remembered
/// of the last copy must not be taken for another's, by its types or by its counts.
TEST_F(DatatypeCopy, TranspacksBetweenScatteredSides) {
  OwnedTypes types;
  const auto resized = [&](MPI_Datatype type, MPI_Aint extent) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(types.keep(type), 0, extent, &made);
    return types.keep(made);
  };
  // 35 doubles of the matrix: columns of five rows, and a patch of five rows of seven.
  MPI_Datatype short_column = MPI_DATATYPE_NULL;
  MPI_Type_vector(5, 1, kRows, MPI_DOUBLE, &short_column);
  short_column = resized(short_column, sizeof(double));
  const auto columns = [&](int count) {
    std::vector<std::int64_t> begins;
    for (int i = 0; i < 5 * count; ++i) begins.push_back(8 * (i % 5 * kRows + i / 5));
    return Side{"columns", count, short_column, bytes_at(begins, 8)};
  };
  std::vector<std::int64_t> begins;
  for (int i = 0; i < 35; ++i) begins.push_back(8 * ((i / 7 + 2) * kRows + i % 7 + 3));
  const Side of_patch{"patch", 1, patch, bytes_at(begins, 8)};
  // Records of the same members, 3 bytes and a double, with different holes.
  const auto records = [&](int count, MPI_Aint letters, MPI_Aint number, MPI_Aint extent) {
    const std::array lengths{3, 1};
    const std::array places{letters, number};
    const std::array members{MPI_CHAR, MPI_DOUBLE};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths.data(), places.data(), members.data(), &made);
    Side side{"records of " + std::to_string(extent), count, resized(made, extent), {}};
    for (int i = 0; i < count; ++i) {
      for (std::int64_t k = 0; k < 3; ++k) side.places.push_back(i * extent + letters + k);
      for (std::int64_t k = 0; k < 8; ++k) side.places.push_back(i * extent + number + k);
    }
    return side;
  };
  // 280 bytes in pieces of any length.
  const auto pieces = [&](int count, int bytes, int stride) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, bytes, stride, MPI_BYTE, &made);
    std::vector<std::int64_t> places;
    for (int i = 0; i < count; ++i) places.push_back(std::int64_t{i} * stride);
    return Side{"pieces of " + std::to_string(bytes), 1, types.keep(made), bytes_at(places, bytes)};
  };
  const Side to_records = records(9, 10, 24, 40);
  const Side from_records = records(9, 0, 8, 24);
  const Side fewer_from = records(2, 0, 8, 24);
  const Side fewer_to{to_records.name,
                      2,
                      to_records.type,
                      {to_records.places.begin(), to_records.places.begin() + std::ssize(fewer_from.places)}};
  const Side backwards = pieces(40, 7, -9);
  const std::vector<std::pair<Side, Side>> copies{{columns(7), of_patch},         {of_patch, columns(7)},
                                                  {columns(7), pieces(56, 5, 6)}, {pieces(40, 7, 11), pieces(56, 5, 6)},
                                                  {columns(7), backwards},        {backwards, of_patch},
                                                  {from_records, to_records},     {fewer_from, fewer_to},
                                                  {to_records, from_records},     {fewer_to, fewer_from},
                                                  {of_patch, pieces(2, 140, 150)}};
  for (const auto& [source, target] : copies) {
    for (const auto& [other_source, other_target] : copies) {
      expect_transpacked(source, target);
      expect_transpacked(source, target);
      expect_transpacked(other_source, other_target);
      expect_transpacked(source, target);
      if (HasFatalFailure()) return;
    }
  }
  expect_transpacked({"columns", 0, short_column, {}}, {"patch", 0, patch, {}});
}

/// As many elements of either of two random datatypes as have the same bytes.
/// What is remembered of two types goes with either of them: another type may get the freed one's handle and record.
TEST_F(DatatypeCopy, TheNextTypeIsNotTakenForTheOneThatWasFreed) {
  const auto pairs_at = [](int distance) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(kRows, 1, distance, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
  };
  for (const int distance : {5, 3, 7, 2}) {
    MPI_Datatype source = pairs_at(distance);
    std::vector<double> target(matrix.size(), -1.0);
    std::vector<double> expected = target;
    for (std::size_t i = 0; i < kRows; ++i) expected[i * kRows] = matrix[i * static_cast<std::size_t>(distance)];
    transpack(matrix.data(), 1, source, target.data(), 1, next_column);
    EXPECT_EQ(target, expected) << distance;
    MPI_Type_free(&source);
  }
}

TEST_F(DatatypeCopy, TranspacksBetweenRandomTypes) {
  std::uint64_t copied = 0;
  const std::uint64_t seeds = scaled(8000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSource source(seed);
    OwnedTypes owned;
    TypeDrawer drawer(source, owned);
    const MappedType from = drawer.draw(1 + static_cast<int>(seed % 3));
    const MappedType to = drawer.draw(1 + static_cast<int>(seed / 3 % 3));
    if (from.map.empty() || to.map.empty()) continue;
    const std::int64_t common = std::lcm(from.map.size(), to.map.size()) * source.draw(1, 3);
    if (common > 3000) continue;
    const auto side = [&](const MappedType& of) {
      const std::int64_t count = common / of.map.size();
      return std::pair{Side{"seed's", static_cast<int>(count), of.type, of.repeated(count).bytes()},
                       of.repeated(count).has_a_byte_twice()};
    };
    const auto [target, twice] = side(to);
    if (twice) continue;
    expect_transpacked(side(from).first, target);
    if (HasFatalFailure()) return;
    ++copied;
  }
  EXPECT_GT(copied, seeds / 8);
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
  expect(MPI_ERR_TRUNCATE, "target: has room for 50 bytes, must have room for 96",
         [&] { pack(matrix.data(), 1, column, std::span(bytes).first(50)); });
  expect(MPI_ERR_TRUNCATE, "source: has room for 50 bytes, must have room for 96",
         [&] { unpack(std::span(bytes).first(50), matrix.data(), 1, column); });
  expect(MPI_ERR_TRUNCATE, "source and target: have 96 and 88 bytes, must have the same number",
         [&] { transpack(matrix.data(), 1, column, bytes.data(), 11, MPI_DOUBLE); });
  expect(MPI_ERR_COUNT, "target count: is -1, must be at least 0",
         [&] { transpack(matrix.data(), 1, column, bytes.data(), -1, MPI_DOUBLE); });

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Aint position = 200;
  EXPECT_EQ(Rondo_Pack(matrix.data(), 1, column, bytes.data(), 100, &position), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_Unpack(bytes.data(), -1, &position, matrix.data(), 1, column), MPI_ERR_ARG);
  EXPECT_EQ(Rondo_Pack(matrix.data(), 1, column, bytes.data(), 100, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(position, 200) << "not moved on by a call that failed";
  const auto class_of = [](int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
  };
  EXPECT_EQ(class_of(Rondo_Transpack(matrix.data(), 1, column, bytes.data(), 11, MPI_DOUBLE)), MPI_ERR_TRUNCATE);
  EXPECT_EQ(class_of(Rondo_Transpack(matrix.data(), -1, column, bytes.data(), 12, MPI_DOUBLE)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(Rondo_Transpack(matrix.data(), 1, MPI_DATATYPE_NULL, bytes.data(), 12, MPI_DOUBLE)), MPI_ERR_TYPE);
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
  MPI_Sendrecv(matrix.data(), 1, patch, self, 0, received.data(), 1, row.native(), self, 0, MPI_COMM_SELF,
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
}  // namespace rondo::internal::datatype_copy_test
