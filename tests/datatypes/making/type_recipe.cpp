// Datatypes by recipe: the blocks' bytes in their order, and made by the constructor that the recipe names.
#include "datatypes/making/type_recipe.hpp"

#include <gtest/gtest.h>

#include "datatypes/making/wire_type.hpp"
#include "tests/support/random_layout.hpp"
#include "tests/support/test_scale.hpp"

#include <array>
#include <string>
#include <vector>

namespace {

/// Calls of MPI's constructors, and how many entries the last one of each had.
struct Calls {
  int structs = 0, struct_entries = 0;
  int indexed = 0, indexed_entries = 0;
  int indexed_blocks = 0, indexed_block_entries = 0;
  int vectors = 0;
  int contiguous = 0;
  int resized = 0;
};
Calls calls;

}  // namespace

extern "C" {
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                           MPI_Datatype* made) {
  ++calls.structs;
  calls.struct_entries = count;
  return PMPI_Type_create_struct(count, lengths, displacements, types, made);
}
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype type,
                             MPI_Datatype* made) {
  ++calls.indexed;
  calls.indexed_entries = count;
  return PMPI_Type_create_hindexed(count, lengths, displacements, type, made);
}
int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint displacements[], MPI_Datatype type,
                                   MPI_Datatype* made) {
  ++calls.indexed_blocks;
  calls.indexed_block_entries = count;
  return PMPI_Type_create_hindexed_block(count, length, displacements, type, made);
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* made) {
  ++calls.vectors;
  return PMPI_Type_create_hvector(count, length, stride, type, made);
}
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  ++calls.contiguous;
  return PMPI_Type_contiguous(count, type, made);
}
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made) {
  ++calls.resized;
  return PMPI_Type_create_resized(type, lower, extent, made);
}
}

namespace rondo::internal::type_recipe_test {
namespace {

constexpr std::array kVectors{TypeConstructor::bounded_vector, TypeConstructor::circular_vector,
                              TypeConstructor::indexed, TypeConstructor::indexed_block};
constexpr std::array kStructs{TypeConstructor::struct_of_elements, TypeConstructor::struct_of_runs};

/// Elements as users have them; the extent is the distance to the next.
std::vector<Layout> elements() {
  std::vector<Layout> list{Layout::contiguous(1), Layout::contiguous(12)};
  list.push_back(Layout::contiguous(5));
  list.back().set_extent(8);
  Layout& moved = list.emplace_back();
  moved.append({3, 4, 1, 0});
  moved.set_extent(4);
  Layout& pieces = list.emplace_back();
  pieces.append({8, 2, 1, 0});
  pieces.append({1, 3, 1, 0});
  pieces.set_extent(11);
  Layout& vector = list.emplace_back();
  vector.append({0, 2, 4, 3});
  vector.set_extent(14);
  return list;
}

std::vector<PlacedLayout> blocks_of(const CircleShape& shape, const Layout& element, std::int64_t origin) {
  std::vector<PlacedLayout> blocks;
  shape.for_each_block([&](int first, int length) {
    for (int i = 0; i < length; ++i) blocks.push_back({origin + (first + i) * element.extent(), &element});
  });
  return blocks;
}

std::vector<std::int64_t> places_of(const std::vector<PlacedLayout>& blocks) {
  std::vector<std::int64_t> places;
  for (const PlacedLayout& block : blocks) {
    const auto of_block = bytes_of(*block.layout, block.offset);
    places.insert(places.end(), of_block.begin(), of_block.end());
  }
  return places;
}

std::vector<std::byte> numbered(std::size_t bytes) {
  std::vector<std::byte> memory(bytes);
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  return memory;
}

/// What Rondo says of the datatype, and what MPI packs of it.
void expect_bytes_of(const TypeRecipe& recipe, const std::vector<PlacedLayout>& blocks) {
  const std::vector<std::int64_t> places = places_of(blocks);
  const WireType wire(recipe, blocks);
  ASSERT_EQ(bytes_of(*layout_of(wire.get(), MPI_COMM_SELF), 0), places);
  static const std::vector<std::byte> memory = numbered(4096);
  std::vector<std::byte> expected;
  for (const std::int64_t place : places) expected.push_back(memory.at(static_cast<std::size_t>(place + 1000)));
  std::vector<std::byte> packed(expected.size());
  int position = 0;
  MPI_Pack(memory.data() + 1000, 1, wire.get(), packed.data(), static_cast<int>(packed.size()), &position,
           MPI_COMM_SELF);
  ASSERT_EQ(packed, expected);
  ASSERT_EQ(position, static_cast<int>(expected.size()));
}

/// The shapes of all rounds of Bruck's algorithm, and then some: calls visit(shape).
template <typename Visit>
void for_each_shape(Visit visit) {
  const int largest = test_scale() < 0.05 ? 6 : 13;  // under a sanitizer it takes long
  for (int p = 2; p <= largest; ++p) {
    for (int k = 1; k < p; k <<= 1) {
      visit(CircleShape{p, k, p - k, k, 2 * k});
      for (int rank = 0; rank < p; ++rank) visit(CircleShape{p, rank + k, p - k, k, 2 * k});
    }
  }
  visit(CircleShape{7, 9, 7, 2, 3});
  visit(CircleShape{7, 1, 6, 6, 6});
}

TEST(TypeRecipe, MakesTheBytesOfTheBlocksInTheirOrder) {
  for (const Layout& element : elements()) {
    for_each_shape([&](const CircleShape& shape) {
      for (const std::int64_t origin : {std::int64_t{0}, std::int64_t{40}, std::int64_t{-30}}) {
        const auto blocks = blocks_of(shape, element, origin);
        for (const TypeConstructor constructor : kStructs) expect_bytes_of({constructor, shape}, blocks);
        for (const TypeConstructor constructor : kVectors) {
          const bool wraps = shape.start % shape.circle + shape.bound > shape.circle;
          if (wraps && constructor == TypeConstructor::bounded_vector) continue;
          expect_bytes_of({constructor, shape}, blocks);
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

Calls calls_for(TypeConstructor constructor, const CircleShape& shape, const Layout& element, std::int64_t origin) {
  const auto blocks = blocks_of(shape, element, origin);
  calls = {};
  const WireType wire({constructor, shape}, blocks);
  return calls;
}

/// 13 elements, blocks of 4: the last has one. Round 2 of figure 1.
constexpr CircleShape kRoundTwo{13, 4, 9, 4, 8};
/// The same of process 7, around the circle: 11, 12, 0, 1 and 6.
constexpr CircleShape kOfProcessSeven{13, 11, 9, 4, 8};

TEST(TypeRecipe, IsMadeByTheConstructorItNames) {
  const Layout element = Layout::contiguous(12);
  const Calls bounded = calls_for(TypeConstructor::bounded_vector, {13, 1, 12, 1, 2}, element, 0);
  EXPECT_EQ(bounded.vectors, 1) << "six blocks of an element, in a row of 13";
  EXPECT_EQ(bounded.indexed_block_entries, 1) << "which begins with element 1";
  const Calls cut = calls_for(TypeConstructor::bounded_vector, {14, 2, 12, 2, 4}, element, 0);
  EXPECT_EQ(cut.vectors, 1);
  EXPECT_EQ(cut.structs, 0) << "the last block is whole";
  EXPECT_EQ(calls_for(TypeConstructor::bounded_vector, {15, 2, 13, 2, 4}, element, 0).struct_entries, 2);

  const Calls circular = calls_for(TypeConstructor::circular_vector, {13, 6, 12, 1, 2}, element, 0);
  EXPECT_EQ(circular.struct_entries, 2) << "two vectors, before and after the wrap";
  EXPECT_EQ(circular.vectors, 2);
  EXPECT_EQ(circular.resized, 1) << "to the circle";

  const Calls indexed = calls_for(TypeConstructor::indexed, kOfProcessSeven, element, 0);
  EXPECT_EQ(indexed.indexed, 1);
  EXPECT_EQ(indexed.indexed_entries, 3);
  EXPECT_EQ(indexed.structs + indexed.vectors + indexed.indexed_blocks + indexed.resized + indexed.contiguous, 0);
  EXPECT_EQ(calls_for(TypeConstructor::indexed, kRoundTwo, element, 0).indexed_entries, 2);

  const Calls blocks = calls_for(TypeConstructor::indexed_block, kOfProcessSeven, element, 0);
  EXPECT_EQ(blocks.indexed_blocks, 1);
  EXPECT_EQ(blocks.indexed_block_entries, 5) << "each element";
  EXPECT_EQ(blocks.structs + blocks.vectors + blocks.indexed + blocks.resized + blocks.contiguous, 0);

  const Calls each = calls_for(TypeConstructor::struct_of_elements, kOfProcessSeven, element, 0);
  EXPECT_EQ(each.structs, 1);
  EXPECT_EQ(each.struct_entries, 5);
  EXPECT_EQ(calls_for(TypeConstructor::struct_of_runs, kOfProcessSeven, element, 0).struct_entries, 3);
}

/// Elements with holes are datatypes of their own, each made once.
TEST(TypeRecipe, TakesElementsWithHoles) {
  const Layout element = elements().back();
  for (const TypeConstructor constructor : kVectors) {
    EXPECT_EQ(calls_for(constructor, {13, 2, 11, 2, 4}, element, 0).resized,
              constructor == TypeConstructor::circular_vector ? 2 : 1);
  }
  EXPECT_EQ(calls_for(TypeConstructor::struct_of_elements, kOfProcessSeven, element, 0).resized, 1);
  EXPECT_EQ(calls_for(TypeConstructor::struct_of_elements, kOfProcessSeven, element, 0).struct_entries, 5);
  EXPECT_EQ(calls_for(TypeConstructor::struct_of_runs, kOfProcessSeven, element, 0).struct_entries, 3);
}

/// Elements of the same pieces in two arrays, whose distances differ.
TEST(TypeRecipe, MakesRunsOfElementsThatDifferInTheirExtent) {
  Layout close;
  close.append({8, 2, 1, 0});
  close.append({1, 3, 1, 0});
  close.set_extent(11);
  Layout apart = close;
  apart.set_extent(20);
  std::vector<PlacedLayout> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back({11 * i, &close});
  for (int i = 0; i < 3; ++i) blocks.push_back({100 + 20 * i, &apart});
  for (const TypeConstructor constructor : kStructs) expect_bytes_of({constructor, {}}, blocks);
}

/// Blocks at uneven distances, or with different layouts, are no vector.
TEST(TypeRecipe, MakesADatatypeOfRunsWhereTheBlocksLieOtherwise) {
  const Layout twelve = Layout::contiguous(12);
  Layout holes;
  holes.append({0, 6, 2, 10});
  holes.set_extent(12);
  const std::vector<PlacedLayout> uneven{{0, &twelve}, {24, &twelve}, {49, &twelve}};
  const std::vector<PlacedLayout> unlike{{0, &twelve}, {24, &twelve}, {48, &holes}};
  const std::vector<PlacedLayout> others{{0, &twelve}, {24, &twelve}};
  for (const auto& blocks : {uneven, unlike, others}) {
    for (const TypeConstructor constructor : kVectors) {
      const TypeRecipe recipe{constructor, {6, 0, 6, 1, 2}};
      calls = {};
      expect_bytes_of(recipe, blocks);
      const WireType of_runs({}, blocks);
      EXPECT_EQ(calls.indexed_blocks + calls.contiguous + calls.resized, 0);
    }
    for (const TypeConstructor constructor : kStructs) expect_bytes_of({constructor, {}}, blocks);
  }
}

}  // namespace
}  // namespace rondo::internal::type_recipe_test
