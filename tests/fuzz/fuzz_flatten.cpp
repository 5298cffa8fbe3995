// Any datatype that can be nested from MPI's constructors: its layout touches the bytes of its type map in their order.
// The type map is put together here from MPI's definitions; MPI_Pack of Open MPI 4.1 is no judge, as it takes no notice
// of the extent of a struct with an empty member (two of {3 chars at 29, an empty type at 25} are 7 bytes apart, not
// 3).
#include <mpi.h>

#include "datatypes/copy_program.hpp"
#include "datatypes/layout.hpp"
#include "datatypes/signature.hpp"
#include "datatypes/type_contents.hpp"
#include "tests/fuzz/fuzz_input.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace rondo {
namespace {

constexpr std::int64_t kMostBytes = 1 << 14;

/// Bytes of a type in the order of its type map, by MPI's definition of each constructor. Extents are MPI's own.
struct TypeMap {
  struct Bytes {
    std::int64_t offset;
    std::int64_t length;
  };
  std::vector<Bytes> bytes;

  void append(const TypeMap& inner, std::int64_t displacement) {
    for (const Bytes& piece : inner.bytes) bytes.push_back({piece.offset + displacement, piece.length});
  }
};

struct MappedType {
  MPI_Datatype type;
  TypeMap map;

  [[nodiscard]] std::int64_t extent() const {
    MPI_Count lower_bound = 0;
    MPI_Count width = 0;
    MPI_Type_get_extent_x(type, &lower_bound, &width);
    return width;
  }
};

/// The types made for one input, freed with it.
class Types {
 public:
  Types() = default;
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  ~Types() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }
  void keep(MPI_Datatype type) { made_.push_back(type); }

 private:
  std::vector<MPI_Datatype> made_;
};

/// The constructors of a type, for whoever has to find out why it fails.
std::string describe(MPI_Datatype type) {
  std::array<int, 3> counts{};
  int combiner = 0;
  MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    MPI_Type_get_name(type, name.data(), &length);
    return name.data();
  }
  const TypeContents contents(type);
  std::string text = "combiner " + std::to_string(combiner) + "(";
  for (int i = 0; i < counts[0]; ++i) text += std::to_string(contents.integer(i)) + " ";
  for (int i = 0; i < counts[1]; ++i) text += "@" + std::to_string(contents.address(i)) + " ";
  for (int i = 0; i < counts[2]; ++i) text += describe(contents.type(i)) + " ";
  return text + ")";
}

MappedType draw_basic(FuzzInput& input) {
  switch (input.draw(0, 5)) {
    case 0:
      return {MPI_CHAR, {{{0, 1}}}};
    case 1:
      return {MPI_SHORT, {{{0, 2}}}};
    case 2:
      return {MPI_INT, {{{0, 4}}}};
    case 3:
      return {MPI_DOUBLE, {{{0, 8}}}};
    case 4:
      return {MPI_SHORT_INT, {{{0, 2}, {4, 4}}}};
    default:
      return {MPI_DOUBLE_INT, {{{0, 8}, {8, 4}}}};
  }
}

MappedType draw_type(FuzzInput& input, Types& types, int depth) {
  if (depth == 0) return draw_basic(input);
  const MappedType inner = draw_type(input, types, depth - 1);
  const std::int64_t extent = inner.extent();
  const int count = input.draw(0, 4);
  std::vector<int> lengths;
  std::vector<int> places;
  std::vector<MPI_Aint> byte_places;
  std::vector<MPI_Datatype> members;
  for (int i = 0; i < count; ++i) {
    lengths.push_back(input.draw(0, 3));
    places.push_back(input.draw(-6, 6));
    byte_places.push_back(input.draw(-40, 40));
    members.push_back(input.draw(0, 2) == 0 ? MPI_CHAR : inner.type);
  }
  const int length = input.draw(0, 3);
  const int stride = input.draw(-50, 50);
  MappedType made{MPI_DATATYPE_NULL, {}};
  // `of(i)` elements, one after the other, at byte displacement `at(i)`, for each i.
  const auto place_blocks = [&](auto of, auto at) {
    for (int i = 0; i < count; ++i) {
      for (std::int64_t k = 0; k < of(i); ++k) made.map.append(inner.map, at(i) + k * extent);
    }
  };
  const auto own_length = [&](int i) { return lengths[static_cast<std::size_t>(i)]; };
  const auto one_length = [&](int) { return length; };
  const auto in_elements = [&](int i) { return places[static_cast<std::size_t>(i)] * extent; };
  const auto in_bytes = [&](int i) { return std::int64_t{byte_places[static_cast<std::size_t>(i)]}; };
  switch (input.draw(0, 10)) {
    case 0:
      MPI_Type_contiguous(count, inner.type, &made.type);
      place_blocks([](int) { return 1; }, [&](int i) { return i * extent; });
      break;
    case 1:
      MPI_Type_vector(count, length, stride / 10, inner.type, &made.type);
      place_blocks(one_length, [&](int i) { return std::int64_t{i} * (stride / 10) * extent; });
      break;
    case 2:
      MPI_Type_create_hvector(count, length, stride, inner.type, &made.type);
      place_blocks(one_length, [&](int i) { return std::int64_t{i} * stride; });
      break;
    case 3:
      MPI_Type_indexed(count, lengths.data(), places.data(), inner.type, &made.type);
      place_blocks(own_length, in_elements);
      break;
    case 4:
      MPI_Type_create_hindexed(count, lengths.data(), byte_places.data(), inner.type, &made.type);
      place_blocks(own_length, in_bytes);
      break;
    case 5:
      MPI_Type_create_indexed_block(count, length, places.data(), inner.type, &made.type);
      place_blocks(one_length, in_elements);
      break;
    case 6:
      MPI_Type_create_hindexed_block(count, length, byte_places.data(), inner.type, &made.type);
      place_blocks(one_length, in_bytes);
      break;
    case 7: {
      MPI_Type_create_struct(count, lengths.data(), byte_places.data(), members.data(), &made.type);
      const MappedType character{MPI_CHAR, {{{0, 1}}}};
      for (int i = 0; i < count; ++i) {
        const MappedType& member = members[static_cast<std::size_t>(i)] == inner.type ? inner : character;
        for (int k = 0; k < own_length(i); ++k) made.map.append(member.map, in_bytes(i) + k * member.extent());
      }
      break;
    }
    case 8:
      MPI_Type_create_resized(inner.type, length * 7 - 10, stride, &made.type);
      made.map = inner.map;
      break;
    case 9:
      MPI_Type_dup(inner.type, &made.type);
      made.map = inner.map;
      break;
    default: {
      const std::array sizes{input.draw(1, 4), input.draw(1, 4)};
      const std::array parts{input.draw(1, sizes[0]), input.draw(1, sizes[1])};
      const std::array starts{input.draw(0, sizes[0] - parts[0]), input.draw(0, sizes[1] - parts[1])};
      const bool c_order = input.draw(0, 1) == 0;
      MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), c_order ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                               inner.type, &made.type);
      const std::size_t slow = c_order ? 0 : 1;
      for (int i = starts[slow]; i < starts[slow] + parts[slow]; ++i) {
        for (int k = starts[1 - slow]; k < starts[1 - slow] + parts[1 - slow]; ++k)
          made.map.append(inner.map, (std::int64_t{i} * sizes[1 - slow] + k) * extent);
      }
      break;
    }
  }
  types.keep(made.type);
  return made;
}

void try_type(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  Types types;
  const MappedType drawn = draw_type(input, types, input.draw(0, 3));
  const std::string text = describe(drawn.type);
  const Layout layout = flatten(drawn.type);

  std::int64_t bytes = 0;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const TypeMap::Bytes& piece : drawn.map.bytes) {
    bytes += piece.length;
    begin = std::min(begin, piece.offset);
    end = std::max(end, piece.offset + piece.length);
  }
  require_that(layout.size() == bytes, "size of " + text);
  require_that(layout.extent() == drawn.extent(), "extent of " + text);
  const Signature signature = Signature::of(drawn.type);
  require_that((signature.elements() > 0) == (bytes > 0), "signature of " + text);
  if (bytes == 0) return;
  require_that(layout.true_begin() == begin && layout.true_end() == end, "true bounds of " + text);
  if (bytes > kMostBytes || end - begin > kMostBytes) return;

  // Two elements, so that the extent counts; bytes differ from their neighbors.
  TypeMap two = drawn.map;
  two.append(drawn.map, drawn.extent());
  begin = std::min(begin, begin + drawn.extent());
  end = std::max(end, end + drawn.extent());
  std::vector<std::byte> memory(static_cast<std::size_t>(end - begin));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::vector<std::byte> packed;
  for (const TypeMap::Bytes& piece : two.bytes) {
    for (std::int64_t i = 0; i < piece.length; ++i)
      packed.push_back(memory[static_cast<std::size_t>(piece.offset + i - begin)]);
  }
  std::vector<std::byte> ours(packed.size());
  const Layout repeated = layout.repeated(2);
  CopyProgram program;
  program.append(repeated, -begin, Layout::contiguous(repeated.size()), 0);
  run_copies(program.runs(), memory.data(), ours.data());
  require_that(ours == packed, "packed bytes of " + text);
}

}  // namespace
}  // namespace rondo

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rondo::try_type(data, size);
  return 0;
}
