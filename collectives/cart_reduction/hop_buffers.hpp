/// @file
/// HopBuffers: which node of a hop lies where on one process, and what is combined into what.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_HOP_BUFFERS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_HOP_BUFFERS_HPP

#include "collectives/cart_reduction/hop.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// Number of a vector's place in memory.
using PlaceId = std::uint32_t;

/// A node that is one vector as it is shares its place. Else its operands are combined in the place of the first one,
/// if that has arrived and nobody needs it any more, or in a copy of it. Places of leaves come first, in their order.
/// Local.
class HopBuffers {
 public:
  /// into = from OP into; or a copy into a place that nothing has used before.
  struct Step {
    PlaceId from;
    PlaceId into;
    bool copies;
  };

  /// `live`: for each node, whether the process has it. O(operands * log).
  HopBuffers(const Hop& hop, std::span<const char> live);

  [[nodiscard]] PlaceId places() const noexcept { return places_; }
  /// Of a node that the process has.
  [[nodiscard]] PlaceId place_of(Hop::NodeId node) const { return slots_[slot_of_[node]].place; }

  /// What is done, in this order: a batch for each stage and step, which all that comes by one step belongs to; copies
  /// first.
  [[nodiscard]] std::size_t batches() const noexcept { return first_of_batch_.size() - 1; }
  [[nodiscard]] std::span<const Step> batch(std::size_t index) const {
    return std::span(steps_).subspan(first_of_batch_[index], first_of_batch_[index + 1] - first_of_batch_[index]);
  }

 private:
  /// A vector. Several may be in one place one after the other.
  struct Slot {
    PlaceId place = 0;
    std::uint32_t uses = 0;  ///< that are still to come
    bool ours = true;        ///< may be overwritten by its last use
  };
  void plan(const Hop& hop, std::size_t level, std::span<const char> live);
  std::uint32_t add_slot();

  std::vector<std::uint32_t> slot_of_;  ///< of each node
  std::vector<Slot> slots_;
  PlaceId places_ = 0;
  std::vector<Step> steps_;
  std::vector<std::size_t> first_of_batch_{0};
};

}  // namespace rondo::internal::reduction

#endif
