#include "datatypes/making/type_recipe.hpp"

#include "datatypes/making/mpi_constructors.hpp"
#include "datatypes/making/vector_constructors.hpp"
#include "datatypes/making/wire_type.hpp"
#include "datatypes/reading/owned_types.hpp"

#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

bool same_places(const Layout& one, const Layout& other) {
  return &one == &other || std::ranges::equal(one.items(), other.items());
}

/// Returns whether a layout is one piece without holes, so that MPI_BYTE suffices for an element.
bool is_one_piece(const Layout& layout) {
  return layout.pieces() == 1 && layout.items().size() == 1 && layout.items().front().body == nullptr;
}

/// A row of elements: the places of the elements of a shape, in bytes.
struct Row {
  std::int64_t origin;    ///< place of element 0
  std::int64_t distance;  ///< from one element to the next
};

/// Returns the row in which the blocks are the elements of the shape, or nothing if there is none.
std::optional<Row> find_row(const CircleShape& shape, std::span<const PlacedLayout> blocks) {
  std::vector<std::int64_t> elements;
  shape.for_each_block([&](int first, int length) {
    for (int i = 0; i < length; ++i) elements.push_back(first + i);
  });
  if (blocks.empty() || elements.size() != blocks.size()) return std::nullopt;
  Row row{0, is_one_piece(*blocks[0].layout) ? blocks[0].layout->size() : blocks[0].layout->extent()};
  if (elements.size() > 1) {
    const std::int64_t steps = elements[1] - elements[0];
    const std::int64_t bytes = blocks[1].offset - blocks[0].offset;
    if (bytes % steps != 0) return std::nullopt;
    row.distance = bytes / steps;
  }
  row.origin = blocks[0].offset - elements[0] * row.distance;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool at_its_place = blocks[i].offset == row.origin + elements[i] * row.distance;
    if (!at_its_place || !same_places(*blocks[0].layout, *blocks[i].layout)) return std::nullopt;
  }
  return row;
}

/// A maker of a datatype of blocks by a recipe.
class RecipeTypeMaker {
 public:
  [[nodiscard]] MPI_Datatype make(const TypeRecipe& recipe, std::span<const PlacedLayout> blocks) {
    switch (recipe.constructor) {
      case TypeConstructor::struct_of_elements:
        return owned_.release(make_struct_of(blocks, false));
      case TypeConstructor::struct_of_runs:
        return owned_.release(make_struct_of(blocks, true));
      case TypeConstructor::runs:
        break;
      default:
        if (const std::optional<Row> row = find_row(recipe.shape, blocks))
          return owned_.release(make_of_row(recipe, *row, *blocks.front().layout));
    }
    Layout layout;
    for (const PlacedLayout& block : blocks) layout.append(*block.layout, block.offset);
    return WireType(layout).release();
  }

 private:
  /// The unit of a row: `units` units of `type` are an element, and the next element follows them.
  struct Unit {
    MPI_Datatype type;
    std::int64_t units;
    std::int64_t first;  ///< place of the units in the element, in bytes
  };

  MPI_Datatype make_of_row(const TypeRecipe& recipe, const Row& row, const Layout& element) {
    const CircleShape& shape = recipe.shape;
    const Unit unit = unit_of(row, element, std::max(shape.circle, shape.stride));
    const std::int64_t origin = row.origin + unit.first;
    const auto units = [&](std::int64_t elements) { return as_int(elements * unit.units, "bytes in one piece"); };
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    switch (recipe.constructor) {
      case TypeConstructor::bounded_vector:
        return moved(owned_.keep(create_vector_bounded(units(shape.bound), units(shape.blocklength),
                                                       units(shape.stride), unit.type)),
                     origin + shape.start % shape.circle * row.distance);
      case TypeConstructor::circular_vector:
        return moved(owned_.keep(create_vector_circular(units(shape.circle), units(shape.start), units(shape.bound),
                                                        units(shape.blocklength), units(shape.stride), unit.type)),
                     origin);
      case TypeConstructor::indexed:
        shape.for_each_block([&](int first, int length) {
          lengths.push_back(units(length));
          displacements.push_back(origin + first * row.distance);
        });
        return owned_.keep(make_blocks(lengths, displacements, unit.type));
      default:
        shape.for_each_block([&](int first, int length) {
          for (int i = 0; i < length; ++i) displacements.push_back(origin + (first + i) * row.distance);
        });
        return owned_.keep(make_blocks(units(1), displacements, unit.type));
    }
  }
  /// Returns the unit of a row. The unit is a byte, and no datatype is made for the element, if the elements have no
  /// holes, follow each other without gaps, and their bytes fit an int. Otherwise the unit is one element: a new
  /// datatype, resized to the distance between elements.
  Unit unit_of(const Row& row, const Layout& element, std::int64_t most_elements) {
    if (is_one_piece(element) && row.distance == element.size() &&
        element.size() <= std::numeric_limits<int>::max() / most_elements)
      return {MPI_BYTE, element.size(), element.true_begin()};
    return {owned_.keep(make_resized(type_of(element), row.distance)), 1, 0};
  }
  MPI_Datatype moved(MPI_Datatype type, MPI_Aint displacement) {
    return displacement == 0 ? type : owned_.keep(make_blocks(1, {&displacement, 1}, type));
  }

  MPI_Datatype make_struct_of(std::span<const PlacedLayout> blocks, bool collapsed) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    for (std::size_t i = 0; i < blocks.size();) {
      const Layout& element = *blocks[i].layout;
      const std::int64_t length = collapsed ? length_of_run(blocks.subspan(i)) : 1;
      const bool bytes = is_one_piece(element) && length * element.size() <= std::numeric_limits<int>::max();
      lengths.push_back(static_cast<int>(bytes ? length * element.size() : length));
      displacements.push_back(blocks[i].offset + (bytes ? element.true_begin() : 0));
      types.push_back(bytes ? MPI_BYTE : repeatable(element));
      i += static_cast<std::size_t>(length);
    }
    return owned_.keep(make_struct(lengths, displacements, types));
  }
  /// Returns how many blocks from the first on are elements of one array.
  static std::int64_t length_of_run(std::span<const PlacedLayout> blocks) {
    const Layout& element = *blocks.front().layout;
    const std::int64_t distance = is_one_piece(element) ? element.size() : element.extent();
    std::size_t length = 1;
    while (length < blocks.size() && blocks[length].offset - blocks[length - 1].offset == distance &&
           same_places(*blocks[length].layout, element))
      ++length;
    return static_cast<std::int64_t>(length);
  }

  /// Makes the datatype of an element, whose extent does not matter.
  MPI_Datatype type_of(const Layout& element) {
    elements_.emplace_back(element);
    return elements_.back().get();
  }
  /// Returns an element's datatype with the element's extent, made once for all blocks that have its layout.
  MPI_Datatype repeatable(const Layout& element) {
    for (const auto& [layout, type] : repeatables_) {
      if (same_places(*layout, element) && layout->extent() == element.extent()) return type;
    }
    const std::int64_t extent = is_one_piece(element) ? element.size() : element.extent();
    const MPI_Datatype type = owned_.keep(make_resized(type_of(element), extent));
    repeatables_.emplace_back(&element, type);
    return type;
  }

  std::deque<WireType> elements_;
  std::vector<std::pair<const Layout*, MPI_Datatype>> repeatables_;
  OwnedTypes owned_;
};

}  // namespace

MPI_Datatype make_by_recipe(const TypeRecipe& recipe, std::span<const PlacedLayout> blocks) {
  return RecipeTypeMaker().make(recipe, blocks);
}

}  // namespace rondo::internal
