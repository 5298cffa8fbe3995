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

/// One of them. `offset`: where it begins, in bytes from the address that the exchange's buffer stands for.
struct PlacedShape {
  std::shared_ptr<const Shape> shape;
  std::int64_t offset;
};

/// Arrays on one grid, at least one, each with sizes, depths, a storage order and elements of its own. Zones and steps
/// have an entry for each dimension of the grid: along further ones no array has a halo. What is in a zone comes array
/// by array.
class Bundle {
 public:
  /// `dimensions`: of the grid.
  Bundle(int dimensions, std::vector<PlacedShape> arrays);
  /// One array where the buffer begins.
  Bundle(int dimensions, std::shared_ptr<const Shape> array) : Bundle(dimensions, {{std::move(array), 0}}) {}

  [[nodiscard]] std::span<const PlacedShape> arrays() const noexcept { return arrays_; }
  /// An array with the greatest depths of all along each dimension of the grid, in the first one's order: what decides
  /// which messages there are. It has nothing inside.
  [[nodiscard]] const Shape& hull() const noexcept { return hull_; }

  /// As those of Shape, for all arrays.
  [[nodiscard]] std::int64_t count(const Zone& zone) const;
  /// What the elements of a zone have together.
  [[nodiscard]] std::int64_t bytes(const Zone& zone) const;
  void append(const Zone& zone, Layout& layout) const;
  void append_for_neighbor(const Zone& zone, std::span<const int> step, Layout& layout) const;

 private:
  std::vector<PlacedShape> arrays_;
  Shape hull_;
};

}  // namespace rondo::internal::halo

#endif
