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

/// One dimension of a local array. Indices along it: first `low` of the halo, then the process's own, then `high` of
/// the halo.
struct Axis {
  std::int64_t inside;  ///< elements of the process's own
  int low;              ///< depths of the halo, in elements
  int high;

  [[nodiscard]] std::int64_t size() const noexcept { return low + inside + high; }
};

/// Where elements lie along one axis; as bits, a set of such places.
using Sides = std::uint8_t;
inline constexpr Sides kLow = 1;
inline constexpr Sides kInside = 2;
inline constexpr Sides kHigh = 4;
inline constexpr Sides kAnywhere = kLow | kInside | kHigh;
/// The side in direction -1, 0 or 1.
[[nodiscard]] constexpr Sides side_towards(int direction) noexcept {
  return direction < 0 ? kLow : direction > 0 ? kHigh : kInside;
}

/// A part of a local array: a set of sides for each axis. A face, an edge, a corner, or several of them at once; of a
/// star, the elements among those that belong to the stencil.
using Zone = std::vector<Sides>;

/// A local array with its halo. The elements of a zone come in the order of memory; those of equal zones of two
/// processes correspond where the processes' shapes agree but along the axes on which they are neighbors.
class Shape {
 public:
  /// Depths and sizes at least 0. `strides`: bytes from one element to the next along each axis; empty: elements lie
  /// without gaps, in the storage order. With strides this order says only in which one elements are sent. Throws
  /// Error, MPI_ERR_ARG, when the array has more bytes than can be counted, or a star's depths no common multiple that
  /// can.
  Shape(std::vector<Axis> axes, Stencil stencil, StorageOrder order, std::shared_ptr<const Layout> element,
        std::vector<std::int64_t> strides = {});

  [[nodiscard]] int axes() const noexcept { return static_cast<int>(axes_.size()); }
  [[nodiscard]] const Axis& operator[](int axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] Stencil stencil() const noexcept { return stencil_; }
  [[nodiscard]] StorageOrder order() const noexcept { return order_; }
  /// From the one along which neighbors are farthest apart in memory to the one along which they are next to each
  /// other.
  [[nodiscard]] std::span<const int> slowest_first() const noexcept { return slowest_first_; }
  [[nodiscard]] const Layout& element() const noexcept { return *element_; }
  /// The same, as it was given.
  [[nodiscard]] const std::shared_ptr<const Layout>& shared_element() const noexcept { return element_; }
  /// Bytes from one element to the next along an axis.
  [[nodiscard]] std::int64_t stride(int axis) const { return strides_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::span<const std::int64_t> strides() const noexcept { return strides_; }
  /// The same array, all of whose elements are inside.
  [[nodiscard]] Shape without_halo() const;

  /// Number of elements of a zone.
  [[nodiscard]] std::int64_t count(const Zone& zone) const;
  /// Adds the elements of a zone to `layout`, from the array's address on.
  void append(const Zone& zone, Layout& layout) const;
  /// Adds those elements of this array that the process at minus `step` (a direction for each of the first axes) has in
  /// `zone`: what is to be sent there. `offset`: of the array's address.
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
  std::shared_ptr<const Layout> spaced_element_;  ///< whose extent is the fastest axis's stride
  std::vector<std::int64_t> strides_;
  std::int64_t unit_ = 1;  ///< of a star: what the excess of its outermost elements counts
};

}  // namespace rondo::internal::halo

#endif
