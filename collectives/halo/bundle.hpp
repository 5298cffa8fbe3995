/// @file
/// Bundle: the arrays whose halos are exchanged together.
#ifndef RONDO_COLLECTIVES_HALO_BUNDLE_HPP
#define RONDO_COLLECTIVES_HALO_BUNDLE_HPP

#include "collectives/halo/shape.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal::halo {

/// One array of a bundle. `offset`: where it begins, in bytes from the address for which the exchange's buffer stands.
struct PlacedShape {
  std::shared_ptr<const Shape> shape;
  std::int64_t offset;
};

/// Arrays on one grid, at least one, each with its own sizes, depths, storage order and elements. Zones and steps have
/// an entry for each dimension of the grid; along further dimensions no array has a halo. The elements of a zone come
/// array by array.
class Bundle {
 public:
  /// Bundles arrays on a grid of `dimensions` dimensions.
  Bundle(int dimensions, std::vector<PlacedShape> arrays);
  /// Bundles one array, which lies where the buffer begins.
  Bundle(int dimensions, std::shared_ptr<const Shape> array) : Bundle(dimensions, {{std::move(array), 0}}) {}

  [[nodiscard]] std::span<const PlacedShape> arrays() const noexcept { return arrays_; }
  /// Returns a shape with the greatest depths of all arrays along each dimension of the grid, in the first array's
  /// order. This shape decides which messages there are, and has no elements inside.
  [[nodiscard]] const Shape& hull() const noexcept { return hull_; }

  /// Returns the number of elements of a zone in all arrays. The functions count(), append() and append_for_neighbor()
  /// of Shape do the same for one array.
  [[nodiscard]] std::int64_t count(const Zone& zone) const;
  /// Returns the bytes of the elements of a zone in all arrays.
  [[nodiscard]] std::int64_t bytes(const Zone& zone) const;
  void append(const Zone& zone, Layout& layout) const;
  void append_for_neighbor(const Zone& zone, std::span<const int> step, Layout& layout) const;

 private:
  std::vector<PlacedShape> arrays_;
  Shape hull_;
};

}  // namespace rondo::internal::halo

#endif
