#include "collectives/proof/halo_definition.hpp"

#include <rondo/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace rondo::internal {
namespace {

using Index = std::vector<std::int64_t>;

/// Returns whether the excesses, each as a fraction of its depth, add up to at most one.
bool within_star(const halo::Shape& shape, const Index& index) {
  // Exact, with one denominator, because depths are counts of elements in memory.
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  for (int axis = 0; axis < shape.axes(); ++axis) {
    const halo::Axis& along = shape[axis];
    const std::int64_t i = index[static_cast<std::size_t>(axis)];
    const std::int64_t excess = i < along.low ? along.low - i : i - (along.low + along.inside) + 1;
    if (excess <= 0) continue;
    const std::int64_t depth = i < along.low ? along.low : along.high;
    numerator = numerator * depth + excess * denominator;
    denominator *= depth;
  }
  return numerator <= denominator;
}

/// Moves on to the next element. Returns false after the last.
bool next(const halo::Shape& shape, Index& index) {
  for (int axis = shape.axes(); axis-- > 0;) {
    std::int64_t& i = index[static_cast<std::size_t>(axis)];
    if (++i < shape[axis].size()) return true;
    i = 0;
  }
  return false;
}

std::int64_t offset_of(const halo::Shape& shape, const Index& index) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < shape.axes(); ++axis) offset += index[static_cast<std::size_t>(axis)] * shape.stride(axis);
  return offset;
}

/// Returns in which direction along each axis an element lies outside.
std::vector<int> direction_of(const halo::Shape& shape, const Index& index) {
  std::vector<int> direction;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    const halo::Axis& along = shape[static_cast<int>(axis)];
    direction.push_back(index[axis] < along.low ? -1 : index[axis] >= along.low + along.inside ? 1 : 0);
  }
  return direction;
}

/// Finds the index of a halo's element in its owner's array. Returns false if the owner does not have it inside.
bool find_inside(const halo::Shape& shape, const Index& index, std::span<const int> direction,
                 const halo::Shape& owners, Index& there) {
  if (owners.axes() != shape.axes() || owners.element().size() != shape.element().size()) return false;
  there = index;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    const halo::Axis& here = shape[static_cast<int>(axis)];
    const halo::Axis& along = owners[static_cast<int>(axis)];
    // In the whole array, the owner's inside comes right after or right before this rank's inside.
    std::int64_t own = index[axis] - here.low;
    if (direction[axis] > 0) own -= here.inside;
    if (direction[axis] < 0) own += along.inside;
    if (own < 0 || own >= along.inside) return false;
    there[axis] = along.low + own;
  }
  return true;
}

std::vector<Run> pieces_at(const Layout& element, std::int64_t offset) {
  std::vector<Run> pieces;
  element.for_each_piece(
      [&](std::int64_t place, std::int64_t bytes) {
        pieces.push_back({place, bytes, 1, 0});
      },
      offset);
  return pieces;
}

/// Adds one element to `definition`, piece by piece, rather than by a layout of many, which is part of what is checked.
void add_element(int target, std::vector<Run> to, int source, std::vector<Run> from,
                 std::vector<Placement>& definition) {
  auto next = from.begin();
  for (Run& piece : to) {
    while (piece.length > 0) {
      const std::int64_t bytes = std::min(piece.length, next->length);
      definition.push_back({target, piece.offset, source, next->offset, bytes});
      piece = {piece.offset + bytes, piece.length - bytes, 1, 0};
      *next = {next->offset + bytes, next->length - bytes, 1, 0};
      if (next->length == 0) ++next;
    }
  }
}

}  // namespace

std::vector<Placement> halo_definition(const Grid& grid, std::span<const halo::Shape* const> shapes) {
  std::vector<Placement> definition;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const halo::Shape& shape = *shapes[static_cast<std::size_t>(rank)];
    const Grid seen_from = grid.seen_from(rank);
    const auto d = static_cast<std::size_t>(grid.dimensions());
    Index index(static_cast<std::size_t>(shape.axes()));
    Index there;
    bool more = true;
    for (int axis = 0; axis < shape.axes(); ++axis) more = more && shape[axis].size() > 0;
    for (; more; more = next(shape, index)) {
      const std::vector<int> direction = direction_of(shape, index);
      const auto across_grid = std::span(direction).first(d);
      if (std::ranges::count(direction, 0) == std::ssize(direction)) continue;  // inside
      if (std::ranges::count(across_grid, 0) == std::ssize(across_grid)) continue;
      if (shape.stencil() == Stencil::star && !within_star(shape, index)) continue;
      const int owner = seen_from.relative_rank(across_grid);
      if (owner == kNoRank) continue;
      const halo::Shape& owners = *shapes[static_cast<std::size_t>(owner)];
      if (!find_inside(shape, index, direction, owners, there)) {
        throw Error(MPI_ERR_TRUNCATE, "the halo of rank " + std::to_string(rank) +
                                          " has elements that are missing from the interior of rank " +
                                          std::to_string(owner) + ", or have a different size there");
      }
      add_element(rank, pieces_at(shape.element(), offset_of(shape, index)), owner,
                  pieces_at(owners.element(), offset_of(owners, there)), definition);
    }
  }
  return definition;
}

std::vector<Placement> halo_definition(const Grid& grid, std::span<const halo::Bundle* const> bundles) {
  std::vector<Placement> definition;
  for (std::size_t i = 0; i < bundles.front()->arrays().size(); ++i) {
    std::vector<const halo::Shape*> shapes;
    for (const halo::Bundle* bundle : bundles) shapes.push_back(bundle->arrays()[i].shape.get());
    const auto offset_on = [&](int rank) { return bundles[static_cast<std::size_t>(rank)]->arrays()[i].offset; };
    for (Placement line : halo_definition(grid, std::span<const halo::Shape* const>(shapes))) {
      line.target_offset += offset_on(line.target);
      line.source_offset += offset_on(line.source);
      definition.push_back(line);
    }
  }
  return definition;
}

}  // namespace rondo::internal
