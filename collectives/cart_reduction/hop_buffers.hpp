/// @file
/// HopBuffers: the places in memory of a hop's nodes on one process, and the steps that combine them.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_HOP_BUFFERS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_HOP_BUFFERS_HPP

#include "collectives/cart_reduction/hop.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// The number of a place in memory that holds a vector.
using PlaceId = std::uint32_t;

/// The places in memory of the nodes of a hop. A node with one live operand, counted once, shares its place. Otherwise
/// the operands are combined in the place of the first one, if it is not the process's own value and is not needed any
/// more, or in a copy of it. Places of leaves come first, in the order of the leaves. Local.
class HopBuffers {
 public:
  /// A step of the computation: into = from OP into, or a copy into a place that nothing has used before.
  struct Step {
    PlaceId from;
    PlaceId into;
    bool copies;
  };

  /// Plans the places. `live`: for each node, whether the process has it. O(operands * log).
  HopBuffers(const Hop& hop, std::span<const char> live);

  [[nodiscard]] PlaceId places() const noexcept { return places_; }
  /// Returns the place of a node. The process must have the node (`live`).
  [[nodiscard]] PlaceId place_of(Hop::NodeId node) const { return slots_[slot_of_[node]].place; }

  /// Returns the number of batches, which are done in order: one for each stage and step, with all values that arrive
  /// by this step. Copies come first in a batch.
  [[nodiscard]] std::size_t batches() const noexcept { return first_of_batch_.size() - 1; }
  [[nodiscard]] std::span<const Step> batch(std::size_t index) const {
    return std::span(steps_).subspan(first_of_batch_[index], first_of_batch_[index + 1] - first_of_batch_[index]);
  }

 private:
  /// A slot is a vector. Several slots may use one place, one after the other.
  struct Slot {
    PlaceId place = 0;
    std::uint32_t uses = 0;  ///< uses that are still to come
    bool ours = true;        ///< whether its last use may overwrite the place
  };
  void plan(const Hop& hop, std::size_t level, std::span<const char> live);
  std::uint32_t add_slot();

  std::vector<std::uint32_t> slot_of_;  ///< the slot of each node
  std::vector<Slot> slots_;
  PlaceId places_ = 0;
  std::vector<Step> steps_;
  std::vector<std::size_t> first_of_batch_{0};
};

}  // namespace rondo::internal::reduction

#endif
