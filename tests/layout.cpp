// Layouts against MPI_Pack: random nested datatypes, packed by both, byte by byte.
#include "datatypes/layout.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "datatypes/copy_program.hpp"
#include "datatypes/layout_cache.hpp"
#include "datatypes/wire_type.hpp"
#include "tests/random_layout.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace rondo {
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

class RandomTypes {
 public:
  explicit RandomTypes(std::uint64_t seed) : random_(seed) {}

  MPI_Datatype make(int depth) {
    if (depth == 0) {
      const MPI_Datatype basic[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT, MPI_DOUBLE_INT};
      return basic[draw(6)];
    }
    const MPI_Datatype base = make(depth - 1);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int count = static_cast<int>(draw(4));
    std::vector<int> lengths;
    std::vector<int> displacements;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Datatype> types;
    int place = 0;
    for (int i = 0; i < count; ++i) {
      lengths.push_back(static_cast<int>(draw(3)));
      displacements.push_back(place);
      addresses.push_back(place * 700);
      types.push_back(make(depth - 1));
      place += 3 + static_cast<int>(draw(2));
    }
    switch (draw(11)) {
      case 0:
        MPI_Type_contiguous(count, base, &type);
        break;
      case 1:
        MPI_Type_vector(count, 2, 3, base, &type);
        break;
      case 2:
        MPI_Type_create_hvector(count, 1, 900, base, &type);
        break;
      case 3:
        MPI_Type_indexed(count, lengths.data(), displacements.data(), base, &type);
        break;
      case 4:
        MPI_Type_create_hindexed(count, lengths.data(), addresses.data(), base, &type);
        break;
      case 5:
        MPI_Type_create_indexed_block(count, 2, displacements.data(), base, &type);
        break;
      case 6:
        MPI_Type_create_hindexed_block(count, 2, addresses.data(), base, &type);
        break;
      case 7:
        MPI_Type_create_struct(count, lengths.data(), addresses.data(), types.data(), &type);
        break;
      case 8: {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Type_get_extent(base, &lower, &extent);
        MPI_Type_create_resized(base, lower, extent + 8, &type);
        break;
      }
      case 9: {
        const int sizes[] = {3, 4};
        const int parts[] = {2, 1 + static_cast<int>(draw(3))};
        const int starts[] = {1, 1};
        MPI_Type_create_subarray(2, sizes, parts, starts, draw(2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, base, &type);
        break;
      }
      default:
        MPI_Type_dup(base, &type);
        break;
    }
    return types_.keep(type);
  }

  std::size_t draw(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

 private:
  std::mt19937_64 random_;
  Types types_;
};

/// Packs `count` elements with MPI and with the layout and compares; then unpacks both ways.
void expect_same_as_mpi(MPI_Datatype type, int count, const std::string& what) {
  const Layout element = flatten(type);
  const Layout layout = element.repeated(count);
  int size = 0;
  MPI_Type_size(type, &size);
  ASSERT_EQ(layout.size(), std::int64_t{size} * count) << what;
  const auto bytes = static_cast<std::size_t>(layout.size());
  const std::int64_t begin = std::min<std::int64_t>(layout.true_begin(), 0);
  const auto reach = static_cast<std::size_t>(std::max<std::int64_t>(layout.true_end(), 0) - begin);
  std::vector<std::byte> memory(reach + 1);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 31 + i / 251);
  std::byte* origin = memory.data() - begin;

  std::vector<std::byte> by_mpi(bytes + 1);
  int position = 0;
  ASSERT_EQ(MPI_Pack(origin, count, type, by_mpi.data(), static_cast<int>(bytes), &position, MPI_COMM_SELF),
            MPI_SUCCESS);
  ASSERT_EQ(position, static_cast<int>(bytes)) << what;
  std::vector<std::byte> by_us(bytes + 1);
  CopyProgram pack;
  pack.append(layout, 0, Layout::contiguous(layout.size()), 0);
  run_copies(pack.runs(), origin, by_us.data());
  ASSERT_EQ(by_mpi, by_us) << what;

  std::vector<std::byte> unpacked_by_mpi(memory.size());
  std::vector<std::byte> unpacked_by_us(memory.size());
  position = 0;
  MPI_Unpack(by_mpi.data(), static_cast<int>(bytes), &position, unpacked_by_mpi.data() - begin, count, type,
             MPI_COMM_SELF);
  CopyProgram unpack;
  unpack.append(Layout::contiguous(layout.size()), 0, layout, 0);
  run_copies(unpack.runs(), by_us.data(), unpacked_by_us.data() - begin);
  ASSERT_EQ(unpacked_by_mpi, unpacked_by_us) << what;

  if (bytes == 0) return;
  const WireType wire(layout);
  std::vector<std::byte> by_wire(bytes + 1);
  position = 0;
  MPI_Pack(origin, 1, wire.get(), by_wire.data(), static_cast<int>(bytes), &position, MPI_COMM_SELF);
  ASSERT_EQ(by_mpi, by_wire) << what << " as wire type";
}

TEST(Layout, IsWhatMpiPacks) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomTypes random(seed);
    const MPI_Datatype type = random.make(1 + static_cast<int>(seed % 3));
    expect_same_as_mpi(type, static_cast<int>(seed % 4), "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Layout, DistributedArray) {
  for (const int distribution : {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE}) {
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
      for (int rank = 0; rank < 4; ++rank) {
        const int sizes[] = {7, 5};
        const int distributions[] = {distribution, MPI_DISTRIBUTE_CYCLIC};
        const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
        const int grid[] = {distribution == MPI_DISTRIBUTE_NONE ? 1 : 2, distribution == MPI_DISTRIBUTE_NONE ? 4 : 2};
        Types types;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_darray(4, rank, 2, sizes, distributions, arguments, grid, order, MPI_INT, &type);
        expect_same_as_mpi(types.keep(type), 2, "rank " + std::to_string(rank));
      }
    }
  }
}

TEST(Layout, KeepsStridedRunsWhole) {
  Types types;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(1000000, 1, 7, MPI_DOUBLE, &column);
  const Layout layout = flatten(types.keep(column));
  ASSERT_EQ(layout.items().size(), 1U);
  EXPECT_EQ(layout.items().front().run, (rondo::Run{0, 8, 1000000, 56}));
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
  EXPECT_EQ(triangle.items().front().run, (rondo::Run{0, 40000, 5000, 40008, -8}));
  EXPECT_EQ(triangle.size(), 8 * 5000L * 5001 / 2);
  Layout from_nothing;
  from_nothing.append({0, -8, 5, 100, 8});
  EXPECT_EQ(from_nothing.items().front().run, (rondo::Run{200, 8, 3, 100, 8})) << "pieces without bytes are none";
  Layout to_nothing;
  to_nothing.append({0, 16, 5, 100, -8});
  EXPECT_EQ(to_nothing.pieces(), 2);
}

TEST(Layout, RepeatsAsItsBytesDo) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
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
}  // namespace rondo
