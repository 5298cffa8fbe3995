/// @file
/// MPI datatypes drawn by chance, with their type maps put together by MPI's definitions.
#ifndef RONDO_TESTS_RANDOM_TYPE_HPP
#define RONDO_TESTS_RANDOM_TYPE_HPP

#include <mpi.h>

#include "datatypes/making/vector_constructors.hpp"
#include "datatypes/reading/owned_types.hpp"
#include "datatypes/reading/type_contents.hpp"
#include "tests/support/random_layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// The basic elements that a datatype stands for, in order, and where they are.
class TypeMap {
 public:
  struct Element {
    MPI_Datatype basic;
    std::int64_t offset;
    std::int64_t bytes;
  };

  TypeMap() = default;
  explicit TypeMap(std::vector<Element> elements) : elements_(std::move(elements)) {}

  void append(const TypeMap& inner, std::int64_t displacement) {
    for (Element element : inner.elements_) {
      element.offset += displacement;
      elements_.push_back(element);
    }
  }
  [[nodiscard]] const std::vector<Element>& elements() const { return elements_; }
  [[nodiscard]] bool empty() const { return elements_.empty(); }
  [[nodiscard]] std::int64_t size() const {
    std::int64_t size = 0;
    for (const Element& element : elements_) size += element.bytes;
    return size;
  }
  /// First byte and one past the last; zero when there are none.
  [[nodiscard]] std::int64_t begin() const {
    std::int64_t begin = empty() ? 0 : std::numeric_limits<std::int64_t>::max();
    for (const Element& element : elements_) begin = std::min(begin, element.offset);
    return begin;
  }
  [[nodiscard]] std::int64_t end() const {
    std::int64_t end = empty() ? 0 : std::numeric_limits<std::int64_t>::min();
    for (const Element& element : elements_) end = std::max(end, element.offset + element.bytes);
    return end;
  }
  /// The place of each byte, in order.
  [[nodiscard]] std::vector<std::int64_t> bytes() const {
    std::vector<std::int64_t> bytes;
    for (const Element& element : elements_) {
      for (std::int64_t i = 0; i < element.bytes; ++i) bytes.push_back(element.offset + i);
    }
    return bytes;
  }
  [[nodiscard]] bool has_a_byte_twice() const {
    std::set<std::int64_t> seen;
    for (const std::int64_t byte : bytes()) {
      if (!seen.insert(byte).second) return true;
    }
    return false;
  }

 private:
  std::vector<Element> elements_;
};

/// A datatype that is not committed, with its type map.
struct MappedType {
  MPI_Datatype type;
  TypeMap map;
  // What not every MPI can pack; somewhere within,
  bool has_empty_member = false;      ///< a struct has a member without elements
  bool steps_back_by_a_byte = false;  ///< blocks or elements are -1 byte apart

  /// MPI's own.
  [[nodiscard]] std::int64_t extent() const {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    MPI_Type_get_extent_x(type, &lower_bound, &extent);
    return extent;
  }
  /// The type map of `count` elements.
  [[nodiscard]] TypeMap repeated(std::int64_t count) const {
    TypeMap repeated;
    for (std::int64_t i = 0; i < count; ++i) repeated.append(map, i * extent());
    return repeated;
  }
};

/// The constructors of a type, for whoever has to find out why it fails.
[[nodiscard]] inline std::string describe(MPI_Datatype type) {
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

/// How a datatype is made of others.
enum class Constructor {
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  resized,
  duplicate,
  subarray,
  darray,
  bounded,
  circular,
  bucket,
  triangular,
};

/// Draws datatypes nested from all of MPI's constructors and Rondo's, by the numbers that source.draw(low, high) gives.
/// Blocks may overlap, go backwards or be empty; about half of the datatypes are drawn so that theirs do not overlap.
template <typename Source>
class TypeDrawer {
 public:
  /// The datatypes live as long as `owned`.
  TypeDrawer(Source& source, OwnedTypes& owned) : source_(source), owned_(owned) {}

  /// A basic type, or `depth` constructors around one.
  [[nodiscard]] MappedType draw(int depth) {
    if (depth == 0) return draw_basic();
    constexpr std::size_t kMostElements = 2000;
    const MappedType inner = draw(depth - 1);
    if (inner.map.elements().size() > kMostElements) return inner;
    MappedType made = draw_around(inner);
    owned_.keep(made.type);
    made.has_empty_member = made.has_empty_member || inner.has_empty_member;
    made.steps_back_by_a_byte = made.steps_back_by_a_byte || inner.steps_back_by_a_byte || inner.extent() == -1;
    return made;
  }

 private:
  /// Blocks of elements, by which most constructors are described.
  struct Blocks {
    int count = 0;
    std::vector<int> lengths;  ///< of each block, in elements
    std::vector<int> places;   ///< in extents
    std::vector<MPI_Aint> byte_places;
    int length = 0;  ///< of all blocks, where they are of one length
    int stride = 0;  ///< in extents
    MPI_Aint byte_stride = 0;
  };

  MappedType draw_basic() {
    const auto one = [](MPI_Datatype type, std::int64_t bytes) {
      return MappedType{type, TypeMap({{type, 0, bytes}})};
    };
    const auto pair = [](MPI_Datatype type, MPI_Datatype first, std::int64_t bytes, std::int64_t second) {
      return MappedType{type, TypeMap({{first, 0, bytes}, {MPI_INT, second, sizeof(int)}})};
    };
    switch (source_.draw(0, 9)) {
      case 0:
        return one(MPI_CHAR, 1);
      case 1:
        return one(MPI_SHORT, sizeof(short));
      case 2:
        return one(MPI_INT, sizeof(int));
      case 3:
        return one(MPI_DOUBLE, sizeof(double));
      case 4:
        return pair(MPI_SHORT_INT, MPI_SHORT, sizeof(short), sizeof(int));
      case 5:
        return pair(MPI_DOUBLE_INT, MPI_DOUBLE, sizeof(double), sizeof(double));
      case 6:
        return pair(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, sizeof(long double), sizeof(long double));
      case 7:
        return one(MPI_C_DOUBLE_COMPLEX, 2 * sizeof(double));
      case 8:
        return one(MPI_LONG_DOUBLE, sizeof(long double));
      default:
        return pair(MPI_FLOAT_INT, MPI_FLOAT, sizeof(float), sizeof(float));
    }
  }

  /// Any, or one after the other with gaps, in either direction.
  Blocks draw_blocks(const MappedType& inner) {
    Blocks blocks;
    blocks.count = source_.draw(0, 4);
    blocks.length = source_.draw(0, 3);
    const bool tidy = source_.draw(0, 1) == 0;
    const int direction = source_.draw(0, 2) == 0 ? -1 : 1;
    const auto extent = inner.extent();
    const auto reach = [&](int length) {  // bytes from the first to the last of some elements, if they lie in order
      return static_cast<int>((length - 1) * std::abs(extent) + inner.map.end() - inner.map.begin());
    };
    int place = source_.draw(-6, 6);
    MPI_Aint byte_place = source_.draw(-40, 40);
    for (int i = 0; i < blocks.count; ++i) {
      const int length = source_.draw(0, 3);
      if (!tidy) {
        place = source_.draw(-6, 6);
        byte_place = source_.draw(-40, 40);
      }
      if (tidy && direction < 0) {
        place -= std::max(length, blocks.length) + source_.draw(0, 2);
        byte_place -= std::max(0, reach(std::max(length, blocks.length))) + source_.draw(0, 9);
      }
      blocks.lengths.push_back(length);
      blocks.places.push_back(place);
      blocks.byte_places.push_back(byte_place);
      if (tidy && direction > 0) {
        place += std::max(length, blocks.length) + source_.draw(0, 2);
        byte_place += std::max(0, reach(std::max(length, blocks.length))) + source_.draw(0, 9);
      }
    }
    blocks.stride = tidy ? direction * (blocks.length + source_.draw(0, 3)) : source_.draw(-5, 5);
    blocks.byte_stride =
        tidy ? direction * (std::max(0, reach(blocks.length)) + source_.draw(0, 20)) : source_.draw(-50, 50);
    return blocks;
  }

  MappedType draw_around(const MappedType& inner) {
    const auto constructor = static_cast<Constructor>(source_.draw(0, static_cast<int>(Constructor::triangular)));
    switch (constructor) {
      case Constructor::resized:
        return draw_resized(inner);
      case Constructor::duplicate: {
        MappedType made{MPI_DATATYPE_NULL, inner.map};
        MPI_Type_dup(inner.type, &made.type);
        return made;
      }
      case Constructor::subarray:
        return draw_subarray(inner);
      case Constructor::darray:  // Open MPI refuses one of a type without elements
        return inner.map.empty() ? draw_subarray(inner) : draw_darray(inner);
      case Constructor::bounded:
      case Constructor::circular:
        return draw_strided(inner, constructor);
      case Constructor::bucket:
        return draw_bucket(inner);
      case Constructor::triangular:
        return draw_triangular(inner);
      default:
        return draw_of_blocks(inner, constructor);
    }
  }

  MappedType draw_resized(const MappedType& inner) {
    MappedType made{MPI_DATATYPE_NULL, inner.map};
    const int lower_bound = source_.draw(-30, 30);
    const int reach = static_cast<int>(inner.map.end() - inner.map.begin());
    const int extent = source_.draw(0, 1) == 0 ? source_.draw(-50, 50) : reach + source_.draw(0, 9);
    MPI_Type_create_resized(inner.type, lower_bound, extent, &made.type);
    return made;
  }

  MappedType draw_of_blocks(const MappedType& inner, Constructor constructor) {
    const Blocks blocks = draw_blocks(inner);
    const int count = blocks.count;
    const std::int64_t extent = inner.extent();
    MappedType made{MPI_DATATYPE_NULL, {}};
    // Block i has `length` elements, the first `displacement` bytes away.
    const auto place = [&](int length, std::int64_t displacement) {
      for (int k = 0; k < length; ++k) made.map.append(inner.map, displacement + k * extent);
    };
    const auto place_all = [&](auto length, auto displacement) {
      for (int i = 0; i < count; ++i)
        place(length(static_cast<std::size_t>(i)), displacement(static_cast<std::size_t>(i)));
    };
    const auto own_length = [&](std::size_t i) { return blocks.lengths[i]; };
    const auto one_length = [&](std::size_t) { return blocks.length; };
    const auto in_extents = [&](std::size_t i) { return blocks.places[i] * extent; };
    const auto in_bytes = [&](std::size_t i) { return std::int64_t{blocks.byte_places[i]}; };
    switch (constructor) {
      case Constructor::contiguous:
        MPI_Type_contiguous(count, inner.type, &made.type);
        place(count, 0);
        break;
      case Constructor::vector:
        MPI_Type_vector(count, blocks.length, blocks.stride, inner.type, &made.type);
        place_all(one_length, [&](std::size_t i) { return static_cast<std::int64_t>(i) * blocks.stride * extent; });
        made.steps_back_by_a_byte = blocks.stride * extent == -1;
        break;
      case Constructor::hvector:
        MPI_Type_create_hvector(count, blocks.length, blocks.byte_stride, inner.type, &made.type);
        place_all(one_length, [&](std::size_t i) { return static_cast<std::int64_t>(i) * blocks.byte_stride; });
        made.steps_back_by_a_byte = blocks.byte_stride == -1;
        break;
      case Constructor::indexed:
        MPI_Type_indexed(count, blocks.lengths.data(), blocks.places.data(), inner.type, &made.type);
        place_all(own_length, in_extents);
        break;
      case Constructor::hindexed:
        MPI_Type_create_hindexed(count, blocks.lengths.data(), blocks.byte_places.data(), inner.type, &made.type);
        place_all(own_length, in_bytes);
        break;
      case Constructor::indexed_block:
        MPI_Type_create_indexed_block(count, blocks.length, blocks.places.data(), inner.type, &made.type);
        place_all(one_length, in_extents);
        break;
      case Constructor::hindexed_block:
        MPI_Type_create_hindexed_block(count, blocks.length, blocks.byte_places.data(), inner.type, &made.type);
        place_all(one_length, in_bytes);
        break;
      default: {
        std::vector<MPI_Datatype> members;
        for (std::size_t i = 0; i < blocks.lengths.size(); ++i) {
          const MappedType member = source_.draw(0, 2) == 0 ? draw_basic() : inner;
          members.push_back(member.type);
          for (int k = 0; k < blocks.lengths[i]; ++k) made.map.append(member.map, in_bytes(i) + k * member.extent());
          made.has_empty_member = made.has_empty_member || blocks.lengths[i] == 0 || member.map.empty();
        }
        MPI_Type_create_struct(count, blocks.lengths.data(), blocks.byte_places.data(), members.data(), &made.type);
        break;
      }
    }
    return made;
  }

  /// Of an array of two dimensions those elements that `takes` says, in the order of memory.
  template <typename Takes>
  static TypeMap map_of_array(const MappedType& inner, std::array<int, 2> sizes, int order, Takes takes) {
    TypeMap map;
    const std::size_t slow = order == MPI_ORDER_C ? 0 : 1;
    for (int place = 0; place < sizes[0] * sizes[1]; ++place) {
      std::array<int, 2> index{};
      index[slow] = place / sizes[1 - slow];
      index[1 - slow] = place % sizes[1 - slow];
      if (takes(0, index[0]) && takes(1, index[1])) map.append(inner.map, place * inner.extent());
    }
    return map;
  }

  MappedType draw_subarray(const MappedType& inner) {
    MappedType made{MPI_DATATYPE_NULL, {}};
    const std::array sizes{source_.draw(1, 4), source_.draw(1, 4)};
    const std::array parts{source_.draw(1, sizes[0]), source_.draw(1, sizes[1])};
    const std::array starts{source_.draw(0, sizes[0] - parts[0]), source_.draw(0, sizes[1] - parts[1])};
    const int order = source_.draw(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), order, inner.type, &made.type);
    made.map = map_of_array(inner, sizes, order,
                            [&](std::size_t k, int i) { return i >= starts[k] && i < starts[k] + parts[k]; });
    return made;
  }

  MappedType draw_darray(const MappedType& inner) {
    MappedType made{MPI_DATATYPE_NULL, {}};
    const std::array sizes{source_.draw(1, 7), source_.draw(1, 5)};
    std::array<int, 2> distributions{};
    std::array<int, 2> arguments{};
    std::array<int, 2> processes{};
    std::array<int, 2> blocks{};  // that each process takes in turn
    for (std::size_t k = 0; k < 2; ++k) {
      const std::array known{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
      distributions[k] = known[static_cast<std::size_t>(source_.draw(0, 2))];
      processes[k] = distributions[k] == MPI_DISTRIBUTE_NONE ? 1 : source_.draw(1, 3);
      const int least = distributions[k] == MPI_DISTRIBUTE_BLOCK ? (sizes[k] + processes[k] - 1) / processes[k] : 1;
      blocks[k] = distributions[k] == MPI_DISTRIBUTE_NONE ? sizes[k] : least;
      arguments[k] = MPI_DISTRIBUTE_DFLT_DARG;
      if (distributions[k] != MPI_DISTRIBUTE_NONE && source_.draw(0, 1) == 0)
        arguments[k] = blocks[k] = least + source_.draw(0, 2);
    }
    const std::array coordinates{source_.draw(0, processes[0] - 1), source_.draw(0, processes[1] - 1)};
    const int order = source_.draw(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    MPI_Type_create_darray(processes[0] * processes[1], coordinates[0] * processes[1] + coordinates[1], 2, sizes.data(),
                           distributions.data(), arguments.data(), processes.data(), order, inner.type, &made.type);
    made.map = map_of_array(inner, sizes, order,
                            [&](std::size_t k, int i) { return i / blocks[k] % processes[k] == coordinates[k]; });
    return made;
  }

  MappedType draw_strided(const MappedType& inner, Constructor constructor) {
    MappedType made{MPI_DATATYPE_NULL, {}};
    const int bound = source_.draw(0, 12);
    const int length = source_.draw(0, 3);
    const int stride = length + source_.draw(0, 3);
    int circle = bound;
    int start = 0;
    if (constructor == Constructor::circular) {
      circle += source_.draw(0, 3);
      start = source_.draw(0, 20);
      made.type = create_vector_circular(circle, start, bound, length, stride, inner.type);
    } else {
      made.type = create_vector_bounded(bound, length, stride, inner.type);
    }
    for (int i = 0; i < bound; ++i) {
      if (length > 0 && i % stride < length) made.map.append(inner.map, (start + i) % circle * inner.extent());
    }
    return made;
  }

  MappedType draw_bucket(const MappedType& inner) {
    MappedType made{MPI_DATATYPE_NULL, {}};
    const int room = source_.draw(0, 4);
    std::vector<int> counts;
    for (int i = source_.draw(0, 4); i > 0; --i) counts.push_back(source_.draw(0, room));
    made.type = create_bucket(counts, room, inner.type);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (int k = 0; k < counts[i]; ++k) made.map.append(inner.map, (static_cast<int>(i) * room + k) * inner.extent());
    }
    return made;
  }

  MappedType draw_triangular(const MappedType& inner) {
    MappedType made{MPI_DATATYPE_NULL, {}};
    const int count = source_.draw(0, 4);
    const int first = source_.draw(0, 9);
    const int growth = source_.draw(count > 1 ? -(first / (count - 1)) : -2, 2);
    const int stride = source_.draw(0, 1) == 0 ? source_.draw(-4, 4) : first + 6;
    const int increment = source_.draw(-1, 1);
    made.type = create_triangular(count, first, growth, stride, increment, inner.type);
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < first + i * growth; ++k)
        made.map.append(inner.map, (i * (stride + increment) + k) * inner.extent());
    }
    return made;
  }

  Source& source_;
  OwnedTypes& owned_;
};

/// Numbers for a TypeDrawer, by a seed.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : random_(seed) {}
  int draw(int low, int high) { return static_cast<int>(random_.draw(low, high)); }

 private:
  RandomLayouts random_;
};

}  // namespace rondo::internal

#endif
