// The datatype constructors that MPI lacks, against their definitions: what MPI packs, what Rondo's layout says, and
// how long both are.
#include "datatypes/making/vector_constructors.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/layout/layout.hpp"
#include "datatypes/reading/type_contents.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace {

/// Calls of MPI that make a datatype or set its attribute; the one after so many that go well fails.
int good_calls = INT_MAX;
int types_alive = 0;

template <typename Make>
int make_or_fail(Make make) {
  if (good_calls-- == 0) return MPI_ERR_OTHER;
  const int code = make();
  if (code == MPI_SUCCESS) ++types_alive;
  return code;
}

}  // namespace

extern "C" {
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  return make_or_fail([&] { return PMPI_Type_contiguous(count, type, made); });
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* made) {
  return make_or_fail([&] { return PMPI_Type_create_hvector(count, length, stride, type, made); });
}
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype type,
                             MPI_Datatype* made) {
  return make_or_fail([&] { return PMPI_Type_create_hindexed(count, lengths, places, type, made); });
}
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[],
                           MPI_Datatype* made) {
  return make_or_fail([&] { return PMPI_Type_create_struct(count, lengths, places, types, made); });
}
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made) {
  return make_or_fail([&] { return PMPI_Type_create_resized(type, lower, extent, made); });
}
int MPI_Type_free(MPI_Datatype* type) {
  --types_alive;
  return PMPI_Type_free(type);
}
int MPI_Type_set_attr(MPI_Datatype type, int keyval, void* value) {
  return good_calls-- == 0 ? MPI_ERR_OTHER : PMPI_Type_set_attr(type, keyval, value);
}
}

namespace rondo::internal::vector_constructors_test {
namespace {

/// A datatype to make others of, and by hand the places of its bytes in the order in which MPI packs them.
struct OldType {
  const char* name;
  Datatype made;
  MPI_Datatype type;
  MPI_Aint lower;
  MPI_Aint extent;
  std::vector<MPI_Aint> bytes;
};

std::vector<OldType> old_types() {
  std::vector<OldType> list;
  const auto add = [&](const char* name, MPI_Aint lower, MPI_Aint extent, std::vector<MPI_Aint> bytes,
                       const std::function<void(MPI_Datatype*)>& make) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    make(&type);
    list.push_back({name, Datatype(type), type, lower, extent, std::move(bytes)});
  };
  list.push_back({"MPI_INT", {}, MPI_INT, 0, 4, {0, 1, 2, 3}});
  list.push_back({"MPI_CHAR", {}, MPI_CHAR, 0, 1, {0}});  // strides of one byte
  add("three chars", 0, 3, {0, 1, 2}, [](MPI_Datatype* type) { MPI_Type_contiguous(3, MPI_CHAR, type); });
  add("a short and room for two", 0, 6, {0, 1},
      [](MPI_Datatype* type) { MPI_Type_create_resized(MPI_SHORT, 0, 6, type); });
  add("vector of shorts", 0, 8, {0, 1, 6, 7}, [](MPI_Datatype* type) { MPI_Type_vector(2, 1, 3, MPI_SHORT, type); });
  const std::array lengths{1, 2};
  const std::array<MPI_Aint, 2> places{6, 1};
  const auto pieces = [&](MPI_Aint lower, MPI_Aint extent) {
    return [&lengths, &places, lower, extent](MPI_Datatype* type) {
      MPI_Datatype packed = MPI_DATATYPE_NULL;
      MPI_Type_create_hindexed(2, lengths.data(), places.data(), MPI_CHAR, &packed);
      MPI_Type_create_resized(packed, lower, extent, type);
      MPI_Type_free(&packed);
    };
  };
  add("holes, out of order", 0, 13, {6, 1, 2}, pieces(0, 13));
  add("lower bound above zero", 1, 9, {6, 1, 2}, pieces(1, 9));
  const std::array<MPI_Aint, 2> before{-6, 3};
  add("before its start", -6, 11, {-6, 3, 4},
      [&](MPI_Datatype* type) { MPI_Type_create_hindexed(2, lengths.data(), before.data(), MPI_CHAR, type); });
  add("contiguous, not at its start", -8, 2, {-5, -4}, [](MPI_Datatype* type) {
    MPI_Datatype moved = MPI_DATATYPE_NULL;
    const int length = 2;
    const MPI_Aint place = -5;
    MPI_Type_create_hindexed(1, &length, &place, MPI_CHAR, &moved);
    MPI_Type_create_resized(moved, -8, 2, type);
    MPI_Type_free(&moved);
  });
  // Its natural extent is no multiple of its alignment where MPI leaves that so: a struct of it would be padded.
  add("not aligned", 0, 0, {0, 1, 2, 3, 9, 10, 11, 12},
      [](MPI_Datatype* type) { MPI_Type_create_hvector(2, 1, 9, MPI_INT, type); });
  MPI_Type_get_extent(list.back().type, &list.back().lower, &list.back().extent);
  add("negative extent", 0, -5, {6, 1, 2}, pieces(0, -5));
  add("extent zero", 0, 0, {6, 1, 2}, pieces(0, 0));
  add("no data", 2, 6, {}, [](MPI_Datatype* type) {
    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_create_resized(nothing, 2, 6, type);
    MPI_Type_free(&nothing);
  });
  return list;
}

/// Numbered memory around an origin.
class Memory {
 public:
  Memory() : bytes_(std::size_t{1} << 13U) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(i * 31 + i / 251);
  }
  [[nodiscard]] const std::byte* origin() const { return bytes_.data() + bytes_.size() / 2; }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> packed_by_mpi(const std::byte* origin, int count, MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  std::vector<std::byte> packed(static_cast<std::size_t>(size * count));
  int position = 0;
  std::byte nothing{};
  MPI_Pack(origin, count, type, packed.empty() ? &nothing : packed.data(), size * count, &position, MPI_COMM_SELF);
  EXPECT_EQ(position, size * count);
  return packed;
}

std::vector<std::byte> packed_by_layout(const std::byte* origin, int count, const Layout& element) {
  const Layout layout = element.repeated(count);
  std::vector<std::byte> packed(static_cast<std::size_t>(layout.size()));
  CopyProgram program;
  program.append(layout, 0, Layout::contiguous(layout.size()), 0);
  run_copies(program.runs(), origin, packed.data());
  return packed;
}

/// Of all that a few loops go through, with a RONDO_TEST_SCALE below 1 each eleventh.
bool is_taken() {
  static std::uint64_t number = 0;
  return taken(number++, 11);
}

/// The datatype has these elements in this order; its bounds are those of `room` elements, or natural.
::testing::AssertionResult has_elements(MPI_Datatype made, const OldType& old, const std::vector<int>& elements,
                                        std::optional<int> room = {}) {
  static const Memory memory;
  Datatype type(made);
  MPI_Aint lower = old.lower;
  MPI_Aint extent = old.extent * room.value_or(0);
  if (!room && elements.empty()) lower = 0;
  if (!room && !elements.empty()) {
    lower = LONG_MAX;
    MPI_Aint upper = LONG_MIN;
    for (const int element : elements) {
      lower = std::min(lower, old.lower + element * old.extent);
      upper = std::max(upper, old.lower + element * old.extent + old.extent);
    }
    extent = upper - lower;
  }
  MPI_Aint lower_found = 0;
  MPI_Aint extent_found = 0;
  MPI_Type_get_extent(type.native(), &lower_found, &extent_found);
  const Layout layout = flatten(type.native());
  if (lower_found != lower || extent_found != extent || layout.extent() != extent) {
    return ::testing::AssertionFailure() << old.name << ": lower bound " << lower_found << ", not " << lower
                                         << ", extent " << extent_found << ", not " << extent << ", by the layout "
                                         << layout.extent();
  }
  type.commit();
  if (layout != *layout_of(type.native(), MPI_COMM_SELF)) return ::testing::AssertionFailure() << "layout_of differs";
  for (const int count : {1, 2}) {
    std::vector<std::byte> expected;
    for (int i = 0; i < count; ++i) {
      for (const int element : elements) {
        for (const MPI_Aint byte : old.bytes) {
          expected.push_back(memory.origin()[i * extent + element * old.extent + byte]);
        }
      }
    }
    if (packed_by_mpi(memory.origin(), count, type.native()) != expected)
      return ::testing::AssertionFailure() << old.name << ": MPI packs " << count << " differently";
    if (packed_by_layout(memory.origin(), count, layout) != expected)
      return ::testing::AssertionFailure() << old.name << ": the layout of " << count << " is different";
  }
  return ::testing::AssertionSuccess();
}

/// i*stride + j, 0 <= j < blocklength, as far as less than bound; where a block holds all, there is no other.
std::vector<int> bounded_elements(int bound, int blocklength, int stride) {
  std::vector<int> elements;
  for (int i = 0; i == 0 || (0 < blocklength && blocklength < bound && i * stride < bound); ++i) {
    for (int j = 0; j < blocklength; ++j) {
      if (i * stride + j < bound) elements.push_back(i * stride + j);
    }
  }
  return elements;
}

/// Strides to try: all that are allowed, or some where they are not looked at.
std::vector<int> strides(int bound, int blocklength) {
  if (blocklength == 0 || bound <= blocklength) return {-1, 0, blocklength};
  std::vector<int> list;
  for (int stride = blocklength; stride <= bound + 1; ++stride) list.push_back(stride);
  return list;
}

TEST(VectorConstructors, BoundedIsTheDefinition) {
  const auto olds = old_types();
  for (int bound = 0; bound <= 9; ++bound) {
    for (int blocklength = 0; blocklength <= bound + 1; ++blocklength) {
      for (const int stride : strides(bound, blocklength)) {
        const auto elements = bounded_elements(bound, blocklength, stride);
        for (const OldType& old : olds) {
          if (!is_taken()) continue;
          ASSERT_TRUE(has_elements(create_vector_bounded(bound, blocklength, stride, old.type), old, elements))
              << bound << ' ' << blocklength << ' ' << stride;
        }
      }
    }
  }
}

TEST(VectorConstructors, CircularIsTheDefinition) {
  const auto olds = old_types();
  for (int extent = 0; extent <= 9; ++extent) {
    for (int bound = 0; bound <= extent; ++bound) {
      for (int blocklength = 0; blocklength <= bound + 1; ++blocklength) {
        for (const int stride : strides(bound, blocklength)) {
          for (int start = 0; start <= extent + 1; ++start) {
            auto elements = bounded_elements(bound, blocklength, stride);
            for (int& element : elements) element = (start + element) % extent;
            for (const OldType& old : olds) {
              if (!is_taken()) continue;
              ASSERT_TRUE(has_elements(create_vector_circular(extent, start, bound, blocklength, stride, old.type), old,
                                       elements, extent))
                  << extent << ' ' << start << ' ' << bound << ' ' << blocklength << ' ' << stride;
            }
          }
        }
      }
    }
  }
}

TEST(VectorConstructors, BucketIsTheDefinition) {
  const auto olds = old_types();
  for (int bucketsize = 0; bucketsize <= 3; ++bucketsize) {
    for (int count = 0; count <= 4; ++count) {
      std::vector<int> counts(static_cast<std::size_t>(count));
      for (bool all_done = false; !all_done;) {
        std::vector<int> elements;
        for (int i = 0; i < count; ++i) {
          for (int j = 0; j < counts[static_cast<std::size_t>(i)]; ++j) elements.push_back(i * bucketsize + j);
        }
        for (const OldType& old : olds) {
          if (!is_taken()) continue;
          ASSERT_TRUE(has_elements(create_bucket(counts, bucketsize, old.type), old, elements, count * bucketsize))
              << ::testing::PrintToString(counts) << " of " << bucketsize;
        }
        all_done = std::ranges::none_of(counts, [&](int& digit) {  // as one counts
          digit = digit == bucketsize ? 0 : digit + 1;
          return digit != 0;
        });
      }
    }
  }
}

TEST(VectorConstructors, TriangularIsTheDefinition) {
  const auto olds = old_types();
  for (int count = 0; count <= 4; ++count) {
    for (int firstblock = 0; firstblock <= 6; ++firstblock) {
      for (int blockincrement = -3; blockincrement <= 3; ++blockincrement) {
        if (firstblock + (count - 1) * blockincrement < 0 && count > 0) continue;
        for (int stride = -4; stride <= 7; ++stride) {
          for (int strideincrement = -1; strideincrement <= 1; ++strideincrement) {
            std::vector<int> elements;
            for (int i = 0; i < count; ++i) {
              for (int j = 0; j < firstblock + i * blockincrement; ++j)
                elements.push_back(i * (stride + strideincrement) + j);
            }
            for (const OldType& old : olds) {
              if (!is_taken()) continue;
              ASSERT_TRUE(
                  has_elements(create_triangular(count, firstblock, blockincrement, stride, strideincrement, old.type),
                               old, elements))
                  << count << ' ' << firstblock << ' ' << blockincrement << ' ' << stride << ' ' << strideincrement;
            }
          }
        }
      }
    }
  }
}

/// Integers, addresses and types in a datatype's description, those of the types in it counted as well.
int description_length(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return 0;
  int length = integers + addresses + types;
  const TypeContents contents(type);
  for (int i = 0; i < types; ++i) length += description_length(contents.type(i));
  return length;
}

TEST(VectorConstructors, DescriptionsAreShort) {
  for (const int extent : {100, 1000, 1000000}) {
    for (int start = 0; start < 100; start += 7) {
      const Datatype circle = vector_circular(extent, start, extent - 3, 5, 9, MPI_INT);
      EXPECT_LE(description_length(circle.native()), 32);
      EXPECT_LE(flatten(circle.native()).items().size(), 5U);
    }
    const Datatype bounded = vector_bounded(extent, 5, 9, MPI_INT);
    EXPECT_LE(description_length(bounded.native()), 16);
    EXPECT_LE(flatten(bounded.native()).items().size(), 2U);
  }
  // No gaps, or no wrap: no struct.
  EXPECT_LE(description_length(vector_bounded(1000, 8, 8, MPI_INT).native()), 2);
  EXPECT_LE(description_length(vector_bounded(1000, 8, 16, MPI_INT).native()), 10);
  EXPECT_EQ(flatten(vector_circular(1000, 990, 1000, 8, 8, MPI_INT).native()).items().size(), 2U);
  const std::vector<int> equal(100000, 3);
  EXPECT_LE(description_length(bucket(equal, 4, MPI_INT).native()), 8);
  EXPECT_EQ(flatten(bucket(equal, 4, MPI_INT).native()).items().size(), 1U);
}

TEST(VectorConstructors, ATriangleIsOneRun) {
  MPI_Datatype three = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &three);
  const Datatype owner(three);
  for (const MPI_Datatype element : {MPI_INT, three}) {
    const std::int64_t bytes = element == three ? 12 : 4;
    const Datatype upper = triangular(100000, 100000, -1, 100000, 1, element);
    const Layout layout = flatten(upper.native());
    ASSERT_EQ(layout.items().size(), 1U);
    EXPECT_EQ(layout.items().front().run, (internal::Run{0, 100000 * bytes, 100000, 100001 * bytes, -bytes}));
    EXPECT_EQ(layout.size(), bytes * 100000 * 100001 / 2);
    // The first block is empty.
    const Datatype strictly_lower = triangular(100000, 0, 1, 100000, 0, element);
    ASSERT_EQ(flatten(strictly_lower.native()).items().size(), 1U);
    EXPECT_EQ(flatten(strictly_lower.native()).true_begin(), 100000 * bytes);
    EXPECT_EQ(flatten(triangular(100000, 2, 0, 100000, 0, element).native()).items().size(), 1U);
    MPI_Datatype several = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1000, upper.native(), &several);
    const Datatype nested(several);
    EXPECT_EQ(flatten(nested.native()).items().size(), 1U) << "a loop around the run";
    EXPECT_EQ(flatten(nested.native()).size(), 1000 * layout.size());
  }
}

/// MPI and the layout agree on a committed datatype.
void expect_same_packed(MPI_Datatype type, int count) {
  const Memory memory;
  EXPECT_EQ(packed_by_mpi(memory.origin(), count, type), packed_by_layout(memory.origin(), count, flatten(type)));
}

TEST(VectorConstructors, AreDatatypesLikeAnyOther) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_SHORT, &pair);
  const std::array counts{2, 0, 1};
  std::vector<Datatype> types;
  types.push_back(vector_bounded(9, 2, 4, pair));
  types.push_back(vector_circular(9, 5, 8, 3, 5, pair));
  types.push_back(bucket(counts, 3, pair));
  types.push_back(triangular(4, 1, 1, 4, 0, pair));
  MPI_Type_free(&pair);
  for (Datatype& type : types) {
    const Layout layout = flatten(type.native());
    MPI_Datatype twin = MPI_DATATYPE_NULL;
    MPI_Type_dup(type.native(), &twin);
    Datatype duplicate(twin);
    EXPECT_EQ(flatten(duplicate.native()), layout);
    duplicate.commit();
    expect_same_packed(duplicate.native(), 2);
    MPI_Datatype nested = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 2, 3, type.native(), &nested);
    Datatype vector(nested);
    type = Datatype();
    EXPECT_EQ(flatten(vector.native()).size(), 4 * layout.size());
    vector.commit();
    expect_same_packed(vector.native(), 2);
  }
  // One of the constructors on the other.
  const Datatype row = triangular(3, 1, 1, 3, 0, MPI_INT);
  Datatype grid = vector_circular(5, 3, 5, 2, 3, row.native());
  grid.commit();
  expect_same_packed(grid.native(), 2);
}

/// A datatype may be sent and received as any other.
TEST(VectorConstructors, CarryMessages) {
  Datatype from = triangular(4, 4, -1, 4, 1, MPI_INT);
  Datatype to = vector_circular(12, 10, 12, 5, 6, MPI_INT);
  from.commit();
  to.commit();
  std::array<int, 16> matrix{};
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<int>(i);
  std::array<int, 12> circle{};
  MPI_Sendrecv(matrix.data(), 1, from.native(), 0, 0, circle.data(), 1, to.native(), 0, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  EXPECT_EQ(circle, (std::array{2, 3, 5, 0, 6, 7, 10, 11, 15, 0, 0, 1}));
}

MPI_Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  return size;
}

std::pair<std::int64_t, std::int64_t> bounds_of(MPI_Datatype type) {
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  MPI_Type_get_extent_x(type, &lower, &extent);
  return {lower, extent};
}

/// Numbers of elements and of bytes that an int does not hold; nothing is read or written there.
TEST(VectorConstructors, CountBeyondInt) {
  constexpr std::int64_t kMost = INT_MAX;
  const auto expect = [](const Datatype& type, std::int64_t size, std::int64_t lower, std::int64_t extent) {
    EXPECT_EQ(size_of(type.native()), size);
    EXPECT_EQ(bounds_of(type.native()), std::pair(lower, extent));
    const Layout layout = flatten(type.native());
    EXPECT_EQ(layout.size(), size);
    EXPECT_EQ(layout.extent(), extent);
    EXPECT_LE(layout.items().size(), 3U);
  };
  expect(vector_bounded(INT_MAX, 1, 2, MPI_DOUBLE), (kMost + 1) / 2 * 8, 0, kMost * 8);
  expect(vector_circular(INT_MAX, INT_MAX - 1, INT_MAX, 1, 2, MPI_DOUBLE), (kMost + 1) / 2 * 8, 0, kMost * 8);
  const std::array uneven{1, 3, INT_MAX};
  expect(bucket(uneven, INT_MAX, MPI_INT), (4 + kMost) * 4, 0, 3 * kMost * 4);
  const std::array full{INT_MAX, INT_MAX, INT_MAX};
  expect(bucket(full, INT_MAX, MPI_INT), 3 * kMost * 4, 0, 3 * kMost * 4);
  expect(triangular(2, INT_MAX, INT_MAX, INT_MAX, INT_MAX, MPI_INT), 3 * kMost * 4, 0, 4 * kMost * 4);
  expect(triangular(3, 1, 0, INT_MIN, INT_MIN, MPI_INT), 12, 16 * std::int64_t{INT_MIN},
         4 - 16 * std::int64_t{INT_MIN});
}

void expect_error(int error_class, const std::string& text, const std::function<Datatype()>& make) {
  try {
    static_cast<void>(make());
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), error_class) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what() << " lacks " << text;
  }
}

TEST(VectorConstructors, RefuseBadArguments) {
  const int before = types_alive;
  expect_error(MPI_ERR_ARG, "bound: is -1, must be at least 0", [] { return vector_bounded(-1, 1, 2, MPI_INT); });
  expect_error(MPI_ERR_ARG, "blocklength: is -3, must be at least 0", [] { return vector_bounded(5, -3, 2, MPI_INT); });
  expect_error(MPI_ERR_ARG, "stride: is 1, must be at least blocklength, 2",
               [] { return vector_bounded(5, 2, 1, MPI_INT); });
  expect_error(MPI_ERR_ARG, "stride: is 0", [] { return vector_bounded(5, 2, 0, MPI_INT); });
  expect_error(MPI_ERR_TYPE, "oldtype: is MPI_DATATYPE_NULL",
               [] { return vector_bounded(5, 2, 2, MPI_DATATYPE_NULL); });
  expect_error(MPI_ERR_ARG, "extent: is -1", [] { return vector_circular(-1, 0, 0, 0, 0, MPI_INT); });
  expect_error(MPI_ERR_ARG, "start: is -2", [] { return vector_circular(8, -2, 4, 2, 4, MPI_INT); });
  expect_error(MPI_ERR_ARG, "bound: is -4", [] { return vector_circular(8, 2, -4, 2, 4, MPI_INT); });
  expect_error(MPI_ERR_ARG, "bound: is 9, must be at most extent, 8",
               [] { return vector_circular(8, 2, 9, 2, 4, MPI_INT); });
  expect_error(MPI_ERR_ARG, "blocklength: is -1", [] { return vector_circular(8, 2, 8, -1, 4, MPI_INT); });
  expect_error(MPI_ERR_ARG, "stride: is -4", [] { return vector_circular(8, 2, 8, 2, -4, MPI_INT); });
  const std::array counts{1, -1, 4};
  expect_error(MPI_ERR_COUNT, "counts[1]: is -1, must be in [0, 4]", [&] { return bucket(counts, 4, MPI_INT); });
  expect_error(MPI_ERR_COUNT, "counts[0]: is 4, must be in [0, 3]",
               [&] { return bucket(std::span(counts).last(1), 3, MPI_INT); });
  expect_error(MPI_ERR_ARG, "bucketsize: is -1", [] { return bucket({}, -1, MPI_INT); });
  expect_error(MPI_ERR_COUNT, "count: is -1", [] { return triangular(-1, 1, 1, 1, 0, MPI_INT); });
  expect_error(MPI_ERR_ARG, "firstblock: is -1", [] { return triangular(1, -1, 1, 1, 0, MPI_INT); });
  expect_error(MPI_ERR_ARG, "blockincrement: is -2, must be at least -1 for 4 blocks, the first with 5 elements",
               [] { return triangular(4, 5, -2, 1, 0, MPI_INT); });
  expect_error(MPI_ERR_TYPE, "oldtype", [] { return triangular(4, 5, 1, 1, 0, MPI_DATATYPE_NULL); });
  EXPECT_EQ(types_alive, before);
  MPI_Datatype wide = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, MPI_Aint{1} << 40U, &wide);
  const Datatype owner(wide);
  expect_error(MPI_ERR_ARG, "oldtype: has an extent of 1099511627776 bytes",
               [&] { return vector_bounded(INT_MAX, 1, 2, wide); });
  expect_error(MPI_ERR_ARG, "MPI_Aint", [&] { return triangular(3, 1, 1, INT_MAX, 0, wide); });
}

TEST(VectorConstructors, RefuseInC) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto expect = [](int code, int error_class, const std::string& words) {
    EXPECT_EQ(code, error_class);
    std::array<char, RONDO_MAX_ERROR_STRING> text{};
    int length = 0;
    EXPECT_EQ(Rondo_Error_string(code, text.data(), &length), MPI_SUCCESS);
    EXPECT_NE(std::string(text.data()).find(words), std::string::npos) << text.data() << " lacks " << words;
  };
  MPI_Datatype type = MPI_INT;
  expect(Rondo_Type_create_vector_bounded(5, 2, 1, MPI_INT, &type), MPI_ERR_ARG,
         "Rondo_Type_create_vector_bounded: stride: is 1");
  EXPECT_EQ(type, MPI_DATATYPE_NULL);
  expect(Rondo_Type_create_vector_bounded(5, 2, 4, MPI_INT, nullptr), MPI_ERR_ARG, "newtype: is null");
  expect(Rondo_Type_create_vector_circular(5, 2, 6, 1, 1, MPI_INT, &type), MPI_ERR_ARG,
         "Rondo_Type_create_vector_circular: bound: is 6");
  expect(Rondo_Type_create_bucket(2, 6, nullptr, MPI_INT, &type), MPI_ERR_ARG, "counts: is null");
  expect(Rondo_Type_create_bucket(-2, 6, nullptr, MPI_INT, &type), MPI_ERR_COUNT,
         "Rondo_Type_create_bucket: count: is -2");
  expect(Rondo_Type_create_triangular(2, 6, -7, 3, 3, MPI_INT, &type), MPI_ERR_ARG,
         "Rondo_Type_create_triangular: blockincrement: is -7, must be at least -6");
  expect(Rondo_Type_create_triangular(2, 6, 1, 3, 3, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE, "oldtype");
  EXPECT_EQ(Rondo_Type_create_bucket(0, 6, nullptr, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(size_of(type), 0);
  MPI_Type_free(&type);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Each call of MPI fails in turn; nothing is left behind.
TEST(VectorConstructors, LeaveNothingBehind) {
  const std::array counts{2, 0, 1};
  const std::function<Datatype()> makers[] = {
      [] { return vector_bounded(9, 2, 4, MPI_INT); },           [] { return vector_bounded(9, 2, 4, MPI_SHORT_INT); },
      [] { return vector_circular(30, 23, 30, 3, 5, MPI_INT); }, [&] { return bucket(counts, 3, MPI_INT); },
      [] { return triangular(4, 1, 1, 4, 0, MPI_INT); },         [] { return triangular(4, 1, 0, 4, 0, MPI_INT); },
  };
  for (const auto& make : makers) {
    const int before = types_alive;
    static_cast<void>(make());
    EXPECT_EQ(types_alive, before);
    int calls = 0;
    for (bool failed = true; failed; ++calls) {
      failed = false;
      good_calls = calls;
      try {
        static_cast<void>(make());
      } catch (const Error& error) {
        failed = true;
        EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
      }
      good_calls = INT_MAX;
      EXPECT_EQ(types_alive, before) << "call " << calls;
    }
    EXPECT_GT(calls, 2);
  }
}

TEST(Datatype, OwnsItsHandle) {
  const int before = types_alive;
  {
    Datatype one = vector_bounded(9, 2, 4, MPI_INT);
    Datatype other = std::move(one);
    one = vector_bounded(3, 1, 2, MPI_INT);
    one = std::move(other);
    one.commit();
    one.commit();
    MPI_Datatype raw = one.release();
    EXPECT_EQ(one.native(), MPI_DATATYPE_NULL);
    EXPECT_EQ(size_of(raw), 20);
    MPI_Type_free(&raw);
    expect_error(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", [&one] {
      one.commit();
      return Datatype();
    });
  }
  EXPECT_EQ(types_alive, before);
}

}  // namespace
}  // namespace rondo::internal::vector_constructors_test
