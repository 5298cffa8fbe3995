/// @file
/// Shape: where in a local array the elements of its halo lie, and where on the neighbors they come from.
#ifndef RONDO_COLLECTIVES_HALO_SHAPE_HPP
#define RONDO_COLLECTIVES_HALO_SHAPE_HPP

#include <rondo/halo.hpp>

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal::halo {

/// One dimension of a local array. Its indices are first `low` of the halo, then the process's own, then `high` of the
/// halo.
struct Axis {
  std::int64_t inside;  ///< elements that the process owns
  int low;              ///< depths of the halo, in elements
  int high;

  [[nodiscard]] std::int64_t size() const noexcept { return low + inside + high; }
};

/// A set of the sides of an axis, as bits: low halo, inside, high halo.
using Sides = std::uint8_t;
inline constexpr Sides kLow = 1;
inline constexpr Sides kInside = 2;
inline constexpr Sides kHigh = 4;
inline constexpr Sides kAnywhere = kLow | kInside | kHigh;
/// Returns the side of an axis in direction -1, 0 or 1: low, inside or high.
[[nodiscard]] constexpr Sides side_towards(int direction) noexcept {
  return direction < 0 ? kLow : direction > 0 ? kHigh : kInside;
}

/// A part of a local array: a set of sides for each axis. It is a face, an edge, a corner, or several of them at once.
/// If the stencil is a star, a zone has only the elements that belong to the stencil.
using Zone = std::vector<Sides>;

/// A local array with its halo. The elements of a zone come in the order of memory. The elements of equal zones of two
/// processes correspond if the processes' shapes agree except along the axes on which they are neighbors.
class Shape {
 public:
  /// Makes an array. Depths and sizes must be at least 0. `strides`: bytes from one element to the next along each
  /// axis; empty: elements lie without gaps, in the storage order. With strides, the storage order only decides the
  /// order in which elements are sent. Throws Error (MPI_ERR_ARG) if the array has more bytes than can be counted, or a
  /// star's depths have no common multiple that can be counted.
  Shape(std::vector<Axis> axes, Stencil stencil, StorageOrder order, std::shared_ptr<const Layout> element,
        std::vector<std::int64_t> strides = {});

  [[nodiscard]] int axes() const noexcept { return static_cast<int>(axes_.size()); }
  [[nodiscard]] const Axis& operator[](int axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] Stencil stencil() const noexcept { return stencil_; }
  [[nodiscard]] StorageOrder order() const noexcept { return order_; }
  /// Returns the axes, from the one along which neighbors are farthest apart in memory to the one along which they are
  /// adjacent.
  [[nodiscard]] std::span<const int> slowest_first() const noexcept { return slowest_first_; }
  [[nodiscard]] const Layout& element() const noexcept { return *element_; }
  /// Returns the element's layout as it was given to the constructor.
  [[nodiscard]] const std::shared_ptr<const Layout>& shared_element() const noexcept { return element_; }
  /// Returns the bytes from one element to the next along an axis.
  [[nodiscard]] std::int64_t stride(int axis) const { return strides_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::span<const std::int64_t> strides() const noexcept { return strides_; }
  /// Returns this array without a halo: all its elements are inside.
  [[nodiscard]] Shape without_halo() const;

  /// Returns the number of elements of a zone.
  [[nodiscard]] std::int64_t count(const Zone& zone) const;
  /// Adds the elements of a zone to `layout`, from the array's address on.
  void append(const Zone& zone, Layout& layout) const;
  /// Adds the elements of this array that the process at minus `step` (a direction for each of the first axes) has in
  /// `zone`, and that are to be sent there. `offset`: offset of the array's address, in bytes.
  void append_for_neighbor(const Zone& zone, std::span<const int> step, Layout& layout, std::int64_t offset = 0) const;

 private:
  struct Segment {
    std::int64_t begin;  ///< index of the first element
    std::int64_t count;
    Sides side;
  };
  class Walk;

  void set_dense_strides();

  std::vector<Axis> axes_;
  Stencil stencil_;
  StorageOrder order_;
  std::vector<int> slowest_first_;
  std::shared_ptr<const Layout> element_;
  std::shared_ptr<const Layout> spaced_element_;  ///< the element with the fastest axis's stride as its extent
  std::vector<std::int64_t> strides_;
  std::int64_t unit_ = 1;  ///< of a star: common multiple of its depths, the excess of its outermost elements
};

}  // namespace rondo::internal::halo

#endif
