// Layouts against MPI_Pack: random nested datatypes, packed by both, byte by byte.
#include "datatypes/layout/layout.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/making/wire_type.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "datatypes/reading/owned_types.hpp"
#include "tests/support/random_layout.hpp"
#include "tests/support/random_type.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::layout_test {
namespace {

/// Frees all datatypes made in a test.
class Types {
 public:
  Types() = default;
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  ~Types() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }
  MPI_Datatype keep(MPI_Datatype type) {
    MPI_Type_commit(&type);
    made_.push_back(type);
    return type;
  }

 private:
  std::vector<MPI_Datatype> made_;
};

/// Elements of a datatype in memory of bytes that differ from their neighbors, and what they should be packed to.
struct PackedByHand {
  PackedByHand(const MappedType& type, int elements)
      : count(elements), map(type.repeated(elements)), begin(std::min<std::int64_t>(map.begin(), 0)) {
    memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(map.end(), 0) - begin + 1));
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 31 + i / 251);
    for (const TypeMap::Element& element : map.elements()) {  // of which MPICH copies only the bits that mean something
      for (std::int64_t i = kLongDoubleBytes; element.basic == MPI_LONG_DOUBLE && i < element.bytes; ++i)
        memory[index(element.offset + i)] = {};
    }
    for (const std::int64_t place : map.bytes()) packed.push_back(memory[index(place)]);
    unpacked.resize(memory.size());
    std::size_t i = 0;
    for (const std::int64_t place : map.bytes()) unpacked[index(place)] = packed[i++];
  }

  [[nodiscard]] std::size_t index(std::int64_t place) const { return static_cast<std::size_t>(place - begin); }

  static constexpr std::int64_t kLongDoubleBytes = std::numeric_limits<long double>::digits == 64 ? 10 : 16;
  int count;
  TypeMap map;
  std::int64_t begin;  ///< of `memory`
  std::vector<std::byte> memory;
  std::vector<std::byte> packed;
  std::vector<std::byte> unpacked;
};

void expect_rondo_packs(const MappedType& type, const PackedByHand& expected, bool unpacks) {
  const Layout layout = flatten(type.type).repeated(expected.count);
  ASSERT_EQ(layout.size(), std::ssize(expected.packed));
  CopyProgram pack;
  pack.append(layout, -expected.begin, Layout::contiguous(layout.size()), 0);
  std::vector<std::byte> packed(expected.packed.size());
  run_copies(pack.runs(), expected.memory.data(), packed.data());
  ASSERT_EQ(packed, expected.packed);
  if (!unpacks) return;
  CopyProgram unpack;
  unpack.append(Layout::contiguous(layout.size()), 0, layout, -expected.begin);
  std::vector<std::byte> unpacked(expected.memory.size());
  run_copies(unpack.runs(), packed.data(), unpacked.data());
  ASSERT_EQ(unpacked, expected.unpacked);
}

/// `count` elements of a committed datatype.
void expect_mpi_packs(MPI_Datatype type, int count, const PackedByHand& expected, bool unpacks) {
  const int bytes = static_cast<int>(expected.packed.size());
  std::vector<std::byte> packed(expected.packed.size());
  int position = 0;
  MPI_Pack(expected.memory.data() - expected.begin, count, type, packed.data(), bytes, &position, MPI_COMM_SELF);
  ASSERT_EQ(position, bytes);
  ASSERT_EQ(packed, expected.packed);
  if (!unpacks) return;
  std::vector<std::byte> unpacked(expected.memory.size());
  position = 0;
  MPI_Unpack(packed.data(), bytes, &position, unpacked.data() - expected.begin, count, type, MPI_COMM_SELF);
  ASSERT_EQ(unpacked, expected.unpacked);
}

/// Whether this MPI packs a datatype as its type map says: see docs/errors.md, "Known problems of MPI libraries".
bool mpi_packs_rightly(const MappedType& type, bool has_a_byte_twice) {
#ifdef OPEN_MPI
  static_cast<void>(has_a_byte_twice);
  return !type.has_empty_member && !type.steps_back_by_a_byte;
#else
  return !type.has_empty_member && !has_a_byte_twice;
#endif
}

/// The type map is what MPI means, and the layout is the type map.
TEST(Layout, IsWhatMpiPacks) {
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
  const std::uint64_t seeds = scaled(20000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSource source(seed);
    OwnedTypes owned;
    MappedType type = TypeDrawer(source, owned).draw(1 + static_cast<int>(seed % 4));
    const int count = static_cast<int>(seed / 4 % 4);
    if (type.map.size() * count > 100'000) continue;
    const PackedByHand expected(type, count);
    const bool twice = expected.map.has_a_byte_twice();
    expect_rondo_packs(type, expected, !twice);
    if (HasFatalFailure()) return;
    if (expected.map.empty() || !mpi_packs_rightly(type, twice)) continue;
    MPI_Type_commit(&type.type);
    expect_mpi_packs(type.type, count, expected, !twice);
    if (HasFatalFailure()) return;
    const WireType wire(flatten(type.type).repeated(count));
    expect_mpi_packs(wire.get(), 1, expected, !twice);
    if (HasFatalFailure()) return;
    ++packed;
    unpacked += twice ? 0 : 1;
  }
  EXPECT_GT(packed, seeds / 4);
  EXPECT_GT(unpacked, seeds / 4);
}

TEST(Layout, KeepsStridedRunsWhole) {
  Types types;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(1000000, 1, 7, MPI_DOUBLE, &column);
  const Layout layout = flatten(types.keep(column));
  ASSERT_EQ(layout.items().size(), 1U);
  EXPECT_EQ(layout.items().front().run, (internal::Run{0, 8, 1000000, 56}));
}

/// The layout is as long as the description, and the bytes are those that the description means.
TEST(Layout, CostsWhatTheDescriptionDoes) {
  Types types;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 12};
  const MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype record = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, members, &record);
  MPI_Datatype records = MPI_DATATYPE_NULL;
  MPI_Type_vector(1000, 1000, 3000, types.keep(record), &records);
  const Layout nested = flatten(types.keep(records));
  EXPECT_LE(nested.items().size(), 3U);
  EXPECT_EQ(nested.size(), 12'000'000);

  const int sizes[] = {100, 100, 100, 100};
  const int parts[] = {90, 80, 70, 60};
  const int starts[] = {1, 2, 3, 4};
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(4, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &block);
  const Layout subarray = flatten(types.keep(block));
  ASSERT_EQ(subarray.items().size(), 1U);
  EXPECT_EQ(subarray.pieces(), 90 * 80 * 70);

  // A thousand times a list of a thousand: two thousand entries, not a million.
  std::vector<int> scattered(1000);
  for (std::size_t i = 0; i < scattered.size(); ++i) scattered[i] = static_cast<int>(3 * i + i % 7);
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(1000, 1, scattered.data(), MPI_INT, &inner);
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(1000, 1, scattered.data(), types.keep(inner), &outer);
  const Layout lists = flatten(types.keep(outer));
  EXPECT_LE(lists.items().size(), 1000U);
  EXPECT_EQ(lists.size(), 4'000'000);
}

TEST(Layout, KnowsTriangles) {
  Types types;
  std::vector<int> lengths(5000);
  std::vector<int> places(5000);
  for (int i = 0; i < 5000; ++i) {
    lengths[static_cast<std::size_t>(i)] = 5000 - i;
    places[static_cast<std::size_t>(i)] = 5001 * i;
  }
  MPI_Datatype upper = MPI_DATATYPE_NULL;
  MPI_Type_indexed(5000, lengths.data(), places.data(), MPI_DOUBLE, &upper);
  const Layout triangle = flatten(types.keep(upper));
  ASSERT_EQ(triangle.items().size(), 1U);
  EXPECT_EQ(triangle.items().front().run, (internal::Run{0, 40000, 5000, 40008, -8}));
  EXPECT_EQ(triangle.size(), 8 * 5000L * 5001 / 2);
  Layout from_nothing;
  from_nothing.append({0, -8, 5, 100, 8});
  EXPECT_EQ(from_nothing.items().front().run, (internal::Run{200, 8, 3, 100, 8})) << "pieces without bytes are none";
  Layout to_nothing;
  to_nothing.append({0, 16, 5, 100, -8});
  EXPECT_EQ(to_nothing.pieces(), 2);
}

TEST(Layout, RepeatsAsItsBytesDo) {
  for (std::uint64_t seed = 0; seed < scaled(3000); ++seed) {
    RandomLayouts random(seed);
    const Layout element = random.make(static_cast<int>(seed % 3));
    const std::int64_t count = random.draw(0, 5);
    const Layout layout = element.repeated(count);
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto bytes = bytes_of(element, i * element.extent());
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
    ASSERT_EQ(bytes_of(layout), expected) << "seed " << seed;
    ASSERT_EQ(layout.size(), std::ssize(expected)) << "seed " << seed;
    std::int64_t pieces = 0;
    layout.for_each_piece([&](std::int64_t, std::int64_t length) { pieces += length > 0 ? 1 : 0; });
    ASSERT_EQ(layout.pieces(), pieces) << "seed " << seed;
    if (expected.empty()) continue;
    ASSERT_EQ(layout.true_begin(), std::ranges::min(expected)) << "seed " << seed;
    ASSERT_EQ(layout.true_end(), std::ranges::max(expected) + 1) << "seed " << seed;
  }
}

TEST(Layout, PredefinedTypesTakeNoLookup) {
  const auto layout = layout_of(MPI_DOUBLE, MPI_COMM_NULL);  // nothing is asked of MPI: not even of the communicator
  EXPECT_EQ(*layout, Layout::contiguous(8));
  EXPECT_EQ(layout_of(MPI_DOUBLE, MPI_COMM_NULL), layout);
}

TEST(Layout, MergesAdjacentPieces) {
  Layout layout;
  layout.append({0, 4, 1, 0});
  layout.append({4, 4, 1, 0});
  EXPECT_TRUE(layout.is_contiguous());
  EXPECT_EQ(layout.size(), 8);
}

TEST(Layout, MergesWhateverTouches) {
  const auto blocks = [](const std::vector<std::int64_t>& places) {
    Layout layout;
    for (const std::int64_t place : places) layout.append({8 * place, 8, 1, 0});
    return layout;
  };
  const Layout late = blocks({0, 4, 5});
  EXPECT_EQ(late.pieces(), 2) << "the last piece of a run goes on";
  const Layout pairs = blocks({0, 1, 4, 5, 8, 9, 12, 13});
  ASSERT_EQ(pairs.items().size(), 1U) << "pieces that became equal are a run";
  EXPECT_EQ(pairs.items().front().run, (internal::Run{0, 16, 4, 32}));
  const Layout triangle = blocks({0, 1, 2, 10, 11, 20, 21});
  EXPECT_EQ(triangle.pieces(), 3) << "24, 16 and then not 8, but 16";
  EXPECT_EQ(blocks({0, 1, 2, 3, 4, 5}).pieces(), 1);

  Layout three;  // of 4 bytes, 8 apart: the last touches the first of the next
  three.append({0, 4, 3, 8});
  three.set_extent(20);
  const Layout row = three.repeated(1000);
  EXPECT_EQ(row.pieces(), 2001);
  EXPECT_LE(row.items().size(), 3U);
  EXPECT_EQ(row.size(), 12'000);
}

TEST(Layout, CyclicDistributionsAreShort) {
  const int distributions[] = {MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {3};
  const int grid[] = {7};
  Types types;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int sizes[] = {100'000};
  MPI_Type_create_darray(7, 6, 1, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_CHAR, &type);
  EXPECT_LE(flatten(types.keep(type)).items().size(), 2U);
}

TEST(Layout, DiesWithItsDatatype) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Comm probe = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &probe);
  MPI_Comm_set_errhandler(probe, MPI_ERRORS_RETURN);
  std::weak_ptr<const Layout> watched = layout_of(type, probe);
  EXPECT_EQ(layout_of(type, probe), watched.lock()) << "looked up, not made again";
  EXPECT_FALSE(watched.expired());
  MPI_Type_free(&type);
  EXPECT_TRUE(watched.expired());
  MPI_Comm_free(&probe);
}

TEST(Layout, RefusesUncommittedTypes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Comm probe = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &probe);
  MPI_Comm_set_errhandler(probe, MPI_ERRORS_RETURN);
  try {
    static_cast<void>(layout_of(type, probe));
    ADD_FAILURE() << "an uncommitted datatype was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_TYPE);
  }
  MPI_Type_free(&type);
  MPI_Comm_free(&probe);
}

/// Handles are used again after they are freed; what was known of the old datatype must be forgotten.
TEST(LayoutCache, ForgetsWhatWasFreed) {
  for (int round = 0; round < 2000; ++round) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(2 + round % 5, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    ASSERT_EQ(layout_of(type, MPI_COMM_SELF)->size(), 4 * (2 + round % 5));
    ASSERT_EQ(known_type(type).layout.pieces(), 2 + round % 5);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    if (round % 3 == 0) MPI_Type_dup(type, &copy);
    MPI_Type_free(&type);
    if (copy == MPI_DATATYPE_NULL) continue;
    ASSERT_EQ(layout_of(copy, MPI_COMM_SELF)->pieces(), 2 + round % 5);
    MPI_Type_free(&copy);
  }
}

/// The program of a copy is remembered on its source, as long as the target is the same datatype.
TEST(LayoutCache, RemembersTheLastCopy) {
  Types types;
  MPI_Datatype columns[3] = {};
  for (int i = 0; i < 3; ++i) {
    MPI_Type_vector(4, 1, 5 + i, MPI_INT, &columns[i]);
    types.keep(columns[i]);
  }
  const auto first = copy_between(columns[0], 2, columns[1], 2);
  EXPECT_EQ(copy_between(columns[0], 2, columns[1], 2), first);
  EXPECT_NE(copy_between(columns[0], 2, columns[2], 2), first);
  EXPECT_NE(copy_between(columns[0], 1, columns[2], 1), copy_between(columns[0], 2, columns[2], 2));
  EXPECT_EQ(first->bytes(), 32) << "held by whoever asked";
}

/// Applications make the same datatype again and again: what is remembered by layout is to be found for each of them.
TEST(LayoutCache, DatatypesThatLieAlikeShareTheLayout) {
  Types types;
  const auto make = [&](int blocks, int stride) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, 1, stride, MPI_INT, &type);
    return types.keep(type);
  };
  const auto resized = [&](MPI_Datatype of, MPI_Aint extent) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(of, 0, extent, &type);
    return types.keep(type);
  };
  const auto layout = [](MPI_Datatype type) { return layout_of(type, MPI_COMM_SELF); };
  const MPI_Datatype one = make(3, 2);
  EXPECT_EQ(layout(one), layout(make(3, 2)));
  EXPECT_NE(layout(one), layout(make(3, 4)));
  EXPECT_NE(layout(one), layout(resized(one, 64)));
  EXPECT_EQ(layout(resized(one, 64)), layout(resized(make(3, 2), 64)));
  EXPECT_EQ(&known_type(one), &known_type(make(3, 2)));
  const std::weak_ptr<const Layout> first = layout(make(100, 2));
  for (int i = 0; i < 1000; ++i) {  // the layouts of other datatypes come and go
    MPI_Datatype other = MPI_DATATYPE_NULL;
    MPI_Type_vector(101 + i, 1, 2, MPI_INT, &other);
    MPI_Type_commit(&other);
    ASSERT_EQ(layout(other)->pieces(), 101 + i);
    MPI_Type_free(&other);
  }
  EXPECT_EQ(layout(make(100, 2)), first.lock());
}

TEST(LayoutCache, ADuplicateSharesTheLayout) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const auto layout = layout_of(type, MPI_COMM_SELF);
  MPI_Datatype same = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &same);
  MPI_Type_free(&type);
  EXPECT_EQ(layout_of(same, MPI_COMM_SELF), layout);
  MPI_Type_free(&same);
}

}  // namespace
}  // namespace rondo::internal::layout_test
