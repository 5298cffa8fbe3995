/// @file
/// WireLayout: the places of a message's data that are not one piece of memory.
#ifndef RONDO_RUNTIME_SCHEDULE_WIRE_LAYOUT_HPP
#define RONDO_RUNTIME_SCHEDULE_WIRE_LAYOUT_HPP

#include "datatypes/layout/layout.hpp"
#include "datatypes/making/type_recipe.hpp"
#include "datatypes/making/wire_type.hpp"
#include "runtime/schedule/task.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// A WireLayout describes the data that a message sends or receives, in their order: parts of one or of several spaces,
/// as in the zero-copy Bruck algorithm. Adjacent blocks of a space are one piece (section 3.3 of that paper: "collapse
/// consecutive elements"). Single blocks are remembered only if the datatype is made of them.
class WireLayout {
 public:
  struct Part {
    Space space;
    Layout layout;
  };

  void append(Space space, const Layout& layout, std::int64_t displacement) {
    if (parts_.empty() || parts_.back().space != space) parts_.push_back({space, {}});
    parts_.back().layout.append(layout, displacement);
    if (recipe_.constructor != TypeConstructor::runs) blocks_.push_back({space, displacement, element(layout)});
  }
  /// Sets how the datatype is made. Call before anything is appended.
  void set_recipe(const TypeRecipe& recipe) { recipe_ = recipe; }
  [[nodiscard]] const TypeRecipe& recipe() const noexcept { return recipe_; }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }
  [[nodiscard]] bool in_one_space() const noexcept { return parts_.size() == 1; }
  /// Returns all parts as one layout, for spaces that begin at `bases`.
  [[nodiscard]] Layout at(const std::array<std::byte*, kSpaces>& bases) const {
    Layout layout;
    for (const Part& part : parts_) {
      const auto base = reinterpret_cast<std::intptr_t>(bases[static_cast<std::size_t>(part.space)]);
      layout.append(part.layout, static_cast<std::int64_t>(base));
    }
    return layout;
  }
  /// Returns the datatype of the data of a message in one space, relative to the beginning of that space.
  [[nodiscard]] WireType type_in_space() const {
    return recipe_.constructor == TypeConstructor::runs ? WireType(parts_.front().layout) : type_at({});
  }
  /// Returns the datatype of all parts, relative to MPI_BOTTOM, for spaces that begin at `bases`.
  [[nodiscard]] WireType type_at(const std::array<std::byte*, kSpaces>& bases) const {
    if (recipe_.constructor == TypeConstructor::runs) return WireType(at(bases));
    std::vector<PlacedLayout> placed;
    placed.reserve(blocks_.size());
    for (const Block& block : blocks_) {
      const auto base = reinterpret_cast<std::intptr_t>(bases[static_cast<std::size_t>(block.space)]);
      placed.push_back({block.displacement + static_cast<std::int64_t>(base), &elements_[block.element]});
    }
    return WireType(recipe_, placed);
  }

 private:
  struct Block {
    Space space;
    std::int64_t displacement;
    std::size_t element;
  };
  /// Returns the number of a layout among the layouts of the blocks, which are few.
  std::size_t element(const Layout& layout) {
    const auto number = static_cast<std::size_t>(std::ranges::find(elements_, layout) - elements_.begin());
    if (number == elements_.size()) elements_.push_back(layout);
    return number;
  }

  std::vector<Part> parts_;
  TypeRecipe recipe_;
  std::vector<Block> blocks_;
  std::vector<Layout> elements_;
};

}  // namespace rondo::internal

#endif
