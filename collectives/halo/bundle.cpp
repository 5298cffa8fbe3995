#include "collectives/halo/bundle.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rondo::internal::halo {
namespace {

Shape hull_of(int dimensions, std::span<const PlacedShape> arrays) {
  const auto d = static_cast<std::size_t>(dimensions);
  std::vector<Axis> axes(d, Axis{0, 0, 0});
  for (int k = 0; k < dimensions; ++k) {
    Axis& axis = axes[static_cast<std::size_t>(k)];
    for (const PlacedShape& array : arrays) {
      axis.low = std::max(axis.low, (*array.shape)[k].low);
      axis.high = std::max(axis.high, (*array.shape)[k].high);
    }
  }
  // The hull lies nowhere, so that it cannot be too large.
  return {std::move(axes), Stencil::box, arrays.front().shape->order(), std::make_shared<const Layout>(),
          std::vector<std::int64_t>(d, 0)};
}

/// Returns a zone of the grid as a zone of an array, which may have more dimensions.
Zone in(const Shape& shape, const Zone& zone) {
  Zone its = zone;
  its.resize(static_cast<std::size_t>(shape.axes()), kInside);
  return its;
}

}  // namespace

Bundle::Bundle(int dimensions, std::vector<PlacedShape> arrays)
    : arrays_(std::move(arrays)), hull_(hull_of(dimensions, arrays_)) {}

std::int64_t Bundle::count(const Zone& zone) const {
  std::int64_t sum = 0;
  for (const PlacedShape& array : arrays_) sum += array.shape->count(in(*array.shape, zone));
  return sum;
}

std::int64_t Bundle::bytes(const Zone& zone) const {
  std::int64_t sum = 0;
  for (const PlacedShape& array : arrays_)
    sum += array.shape->count(in(*array.shape, zone)) * array.shape->element().size();
  return sum;
}

void Bundle::append(const Zone& zone, Layout& layout) const { append_for_neighbor(zone, {}, layout); }

void Bundle::append_for_neighbor(const Zone& zone, std::span<const int> step, Layout& layout) const {
  for (const PlacedShape& array : arrays_)
    array.shape->append_for_neighbor(in(*array.shape, zone), step, layout, array.offset);
}

}  // namespace rondo::internal::halo
