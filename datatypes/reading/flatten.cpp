#include <rondo/error.hpp>

#include "datatypes/layout/layout.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/type_contents.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

Layout flatten_named(MPI_Datatype type) {
  MPI_Count size = 0;
  check_mpi(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  if (size < 0) throw Error(MPI_ERR_TYPE, "datatype: is a marker without size, not data");
  Layout layout;
  if (type == MPI_SHORT_INT) {  // the only pair type with a hole between its members
    struct ShortInt {
      short value;
      int index;
    };
    layout.append({offsetof(ShortInt, value), sizeof(short), 1, 0});
    layout.append({offsetof(ShortInt, index), sizeof(int), 1, 0});
  } else {
    layout.append({0, size, 1, 0});
  }
  return layout;
}

using Element = std::shared_ptr<const Layout>;

Element share(Layout layout) { return std::make_shared<const Layout>(std::move(layout)); }

/// Returns the layout of `count` blocks of `lengths(i)` elements at byte displacements `displacement(i)`.
template <typename Lengths, typename Displacements>
Layout flatten_blocks(const Element& element, std::int64_t count, Lengths lengths, Displacements displacement) {
  Layout layout;
  for (std::int64_t i = 0; i < count; ++i) layout.append_elements(element, lengths(i), displacement(i));
  return layout;
}

Layout flatten_vector(const Element& element, std::int64_t count, std::int64_t block_length, std::int64_t stride) {
  Layout block;
  block.append_elements(element, block_length, 0);
  block.set_extent(stride);
  return block.repeated(count);
}

/// A segment of the elements of one dimension that a process owns: `count` times [start, start + length), each time
/// `stride` elements further.
struct Segment {
  std::int64_t start;
  std::int64_t length;
  std::int64_t count = 1;
  std::int64_t stride = 0;
};

/// Returns the layout of an array that is given by its sizes (slowest dimension first) and, for each dimension, the
/// segments taken from it.
Layout flatten_array(const Element& element, std::span<const std::int64_t> sizes,
                     std::span<const std::vector<Segment>> segments) {
  Layout row = *element;
  std::int64_t width = element->extent();
  for (std::size_t k = sizes.size(); k-- > 0;) {
    row.set_extent(width);
    const Element shared = share(std::move(row));
    row = Layout();
    for (const Segment& segment : segments[k]) {
      Layout block;
      block.append_elements(shared, segment.length, 0);
      block.set_extent(segment.stride * width);
      row.append_elements(share(std::move(block)), segment.count, segment.start * width);
    }
    width *= sizes[k];
  }
  return row;
}

Layout flatten_subarray(const TypeContents& contents, const Element& element) {
  const std::int64_t dimensions = contents.integer(0);
  const bool c_order = contents.integer(3 * dimensions + 1) == MPI_ORDER_C;
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<Segment>> segments;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    const std::int64_t k = c_order ? i : dimensions - 1 - i;
    sizes.push_back(contents.integer(1 + k));
    segments.push_back({{contents.integer(1 + 2 * dimensions + k), contents.integer(1 + dimensions + k)}});
  }
  return flatten_array(element, sizes, segments);
}

/// Returns the elements of a dimension that the process at `coordinate` of `processes` owns (MPI-3.1, section 4.1.4).
std::vector<Segment> distributed(std::int64_t size, std::int64_t distribution, std::int64_t argument,
                                 std::int64_t processes, std::int64_t coordinate) {
  if (distribution == MPI_DISTRIBUTE_NONE) return {{0, size}};
  std::int64_t block = argument;
  if (distribution == MPI_DISTRIBUTE_BLOCK) {
    if (argument == MPI_DISTRIBUTE_DFLT_DARG) block = (size + processes - 1) / processes;
    const std::int64_t start = block * coordinate;
    return {{start, std::clamp<std::int64_t>(size - start, 0, block)}};
  }
  if (argument == MPI_DISTRIBUTE_DFLT_DARG) block = 1;
  const std::int64_t first = block * coordinate;
  const std::int64_t stride = block * processes;
  const std::int64_t whole = size < first + block ? 0 : (size - first - block) / stride + 1;
  const std::int64_t rest = first + whole * stride;
  return {{first, block, whole, stride}, {rest, std::clamp<std::int64_t>(size - rest, 0, block)}};
}

Layout flatten_darray(const TypeContents& contents, const Element& element) {
  const std::int64_t rank = contents.integer(1);
  const std::int64_t dimensions = contents.integer(2);
  const auto argument = [&](std::int64_t list, std::int64_t k) { return contents.integer(3 + list * dimensions + k); };
  const bool c_order = contents.integer(3 + 4 * dimensions) == MPI_ORDER_C;
  std::vector<std::int64_t> coordinates(static_cast<std::size_t>(dimensions));
  std::int64_t rest = rank;
  for (std::int64_t k = dimensions - 1; k >= 0; --k) {  // the process grid is always in C order
    coordinates[static_cast<std::size_t>(k)] = rest % argument(3, k);
    rest /= argument(3, k);
  }
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<Segment>> segments;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    const std::int64_t k = c_order ? i : dimensions - 1 - i;
    sizes.push_back(argument(0, k));
    segments.push_back(distributed(argument(0, k), argument(1, k), argument(2, k), argument(3, k),
                                   coordinates[static_cast<std::size_t>(k)]));
  }
  return flatten_array(element, sizes, segments);
}

/// Returns the remembered layout of a datatype of which others are made, which Rondo may have made, or flattens it.
Element known_or_flattened(MPI_Datatype type) {
  Element known = known_layout(type);
  return known != nullptr ? known : share(flatten(type));
}

Layout flatten_constructed(MPI_Datatype type) {
  const TypeContents contents(type);
  const auto element = [&] { return known_or_flattened(contents.type(0)); };
  const auto integer = [&](std::int64_t first) {
    return [&contents, first](std::int64_t i) { return contents.integer(first + i); };
  };
  switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return *element();
    case MPI_COMBINER_CONTIGUOUS:
      return flatten_vector(element(), 1, contents.integer(0), 0);
    case MPI_COMBINER_VECTOR: {
      const Element base = element();
      return flatten_vector(base, contents.integer(0), contents.integer(1), contents.integer(2) * base->extent());
    }
    case MPI_COMBINER_HVECTOR:
      return flatten_vector(element(), contents.integer(0), contents.integer(1), contents.address(0));
    case MPI_COMBINER_INDEXED: {
      const std::int64_t count = contents.integer(0);
      const Element base = element();
      return flatten_blocks(base, count, integer(1),
                            [&](std::int64_t i) { return contents.integer(1 + count + i) * base->extent(); });
    }
    case MPI_COMBINER_HINDEXED:
      return flatten_blocks(element(), contents.integer(0), integer(1),
                            [&](std::int64_t i) { return contents.address(i); });
    case MPI_COMBINER_INDEXED_BLOCK: {
      const Element base = element();
      return flatten_blocks(
          base, contents.integer(0), [&](std::int64_t) { return contents.integer(1); },
          [&](std::int64_t i) { return contents.integer(2 + i) * base->extent(); });
    }
    case MPI_COMBINER_HINDEXED_BLOCK:
      return flatten_blocks(
          element(), contents.integer(0), [&](std::int64_t) { return contents.integer(1); },
          [&](std::int64_t i) { return contents.address(i); });
    case MPI_COMBINER_STRUCT: {
      Layout layout;
      for (std::int64_t i = 0; i < contents.integer(0); ++i) {
        layout.append_elements(known_or_flattened(contents.type(i)), contents.integer(1 + i), contents.address(i));
      }
      return layout;
    }
    case MPI_COMBINER_SUBARRAY:
      return flatten_subarray(contents, element());
    case MPI_COMBINER_DARRAY:
      return flatten_darray(contents, element());
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:  // their contents are no datatypes
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return flatten_named(type);
    default:
      throw Error(MPI_ERR_TYPE,
                  "datatype: is made by an unknown constructor (combiner " + std::to_string(contents.combiner()) + ")");
  }
}

}  // namespace

Layout flatten(MPI_Datatype type) {
  if (const Element known = known_layout(type)) return *known;
  Layout layout = flatten_constructed(type);
  MPI_Count lower_bound = 0;
  MPI_Count extent = 0;
  check_mpi(MPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x");
  layout.set_extent(extent);
  return layout;
}

}  // namespace rondo::internal
