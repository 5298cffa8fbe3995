#include "collectives/halo/user_blocks.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace rondo::internal::halo {
namespace {

/// Maps the number of a halo's block to its direction.
class Directions {
 public:
  explicit Directions(const Shape& shape) {
    for (int axis = 0; axis < shape.axes(); ++axis) {
      if (shape[axis].low == 0 && shape[axis].high == 0) continue;
      axes_.push_back(static_cast<std::size_t>(axis));
      vectors_ *= 3;
    }
  }
  /// Returns the number of directions.
  [[nodiscard]] int size() const { return vectors_ - 1; }
  /// Returns the vector of a number: -1, 0 or 1 for each of `axes`. The zero vector, in the middle, has no number.
  [[nodiscard]] std::vector<int> operator()(int number, int axes) const {
    int digits = number < vectors_ / 2 ? number : number + 1;
    std::vector<int> direction(static_cast<std::size_t>(axes));
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      direction[*axis] = digits % 3 - 1;
      digits /= 3;
    }
    return direction;
  }

 private:
  std::vector<std::size_t> axes_;  ///< axes that have a halo
  int vectors_ = 1;                ///< number of vectors, including the zero vector
};

Zone zone_towards(const std::vector<int>& direction) {
  Zone zone;
  for (const int along : direction) zone.push_back(side_towards(along));
  return zone;
}

}  // namespace

UserBlocks user_blocks(std::shared_ptr<const Bundle> arrays) {
  const int axes = arrays->hull().axes();
  const Directions directions(arrays->hull());
  UserBlocks blocks{directions.size(), directions.size()};
  blocks.received_block = [arrays, axes, directions](int i) {
    UserBlock block{};
    arrays->append(zone_towards(directions(i, axes)), block.layout);
    return block;
  };
  blocks.sent_block = [arrays = std::move(arrays), axes, directions](int i) {
    // Seen from that neighbor, this process lies in the opposite direction.
    std::vector<int> step = directions(i, axes);
    for (int& along : step) along = -along;
    UserBlock block{};
    arrays->append_for_neighbor(zone_towards(step), step, block.layout);
    return block;
  };
  return blocks;
}

}  // namespace rondo::internal::halo
