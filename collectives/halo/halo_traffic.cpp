#include "collectives/halo/halo_traffic.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace rondo::internal::halo {
namespace {

/// Returns an array like `shape`, except for the number of elements inside.
std::shared_ptr<const Shape> with_inside(const Shape& shape, std::span<const std::int64_t> inside) {
  std::vector<Axis> axes;
  for (int axis = 0; axis < shape.axes(); ++axis)
    axes.push_back({inside[static_cast<std::size_t>(axis)], shape[axis].low, shape[axis].high});
  return std::make_shared<const Shape>(std::move(axes), shape.stencil(), shape.order(), shape.shared_element());
}

}  // namespace

std::int64_t bytes_of(const Bundle& arrays, const Round& round) {
  std::int64_t bytes = 0;
  for (const Part& part : round.parts) {
    for (const Zone& zone : part.zones) bytes += arrays.bytes(zone);
  }
  return bytes;
}

void HaloTraffic::visit_rounds(int rank, int sign, const Visit& visit) const {
  const Grid grid = problem_.grid.seen_from(rank);
  const Numbers& bytes = bytes_at(grid);
  for (std::uint32_t number = 0; number < expansion_.rounds.size(); ++number) {
    const std::vector<int>& step = expansion_.rounds[number].parts.front().step;
    if (bytes[number] == 0 || leads_to_self(grid, step)) continue;
    const int other = grid.relative_rank(step, sign);
    if (other != kNoRank) visit(other, number, bytes[number]);
  }
}

const HaloTraffic::Numbers& HaloTraffic::bytes_at(const Grid& grid) const {
  const std::span<const PlacedShape> arrays = problem_.typical.arrays();
  Numbers inside;
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    for (int axis = 0; axis < arrays[array].shape->axes(); ++axis) {
      const bool distributed = axis < grid.dimensions();
      const int coordinate = distributed ? grid.coordinates()[static_cast<std::size_t>(axis)] : 0;
      inside.push_back((*problem_.inside)(array, axis, coordinate));
    }
  }
  const auto [found, is_new] = bytes_.try_emplace(std::move(inside));
  if (!is_new) return found->second;
  std::vector<PlacedShape> resized;
  std::span<const std::int64_t> left(found->first);
  for (const PlacedShape& placed : arrays) {
    const auto axes = static_cast<std::size_t>(placed.shape->axes());
    resized.push_back({with_inside(*placed.shape, left.first(axes)), 0});
    left = left.subspan(axes);
  }
  const Bundle bundle(grid.dimensions(), std::move(resized));
  for (const Round& round : expansion_.rounds) {
    found->second.push_back(bytes_of(bundle, round));
  }
  return found->second;
}

}  // namespace rondo::internal::halo
