/// @file
/// SlotPlan: the messages between two ranks that may go through slots, and the places of these slots.
#ifndef RONDO_RUNTIME_ROUTES_SLOT_PLAN_HPP
#define RONDO_RUNTIME_ROUTES_SLOT_PLAN_HPP

#include "runtime/schedule/message_form_costs.hpp"
#include "runtime/schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A PlannedMessage is a message with its place in a region. A region is the receiver's memory for the messages of one
/// partner: first a line in which the partner says that it has closed its end, then the counts of consumed messages,
/// one for each message, then the slots.
struct PlannedMessage {
  std::uint32_t number;  ///< number in Schedule::messages()
  std::uint32_t tag;
  std::int64_t bytes;
  bool has_slot;              ///< false: there is no room for messages of this length
  std::size_t consumed = 0;   ///< offset of the message's count in the region
  std::size_t slot = 0;       ///< offset of the message's first slot in the region
  std::size_t slot_size = 0;  ///< bytes of each slot; the slots follow each other
  std::uint32_t slots = 2;
};

/// The messages of one direction whose tag is unique between the two ranks and which are short enough, ordered by tag.
/// The other end computes the same places by itself.
struct PlannedDirection {
  std::vector<PlannedMessage> messages;
  bool answered = false;        ///< each start has some message in the other direction
  std::size_t region_size = 0;  ///< 0: no message needs a region
  /// A hash that is equal at both ends if they agree on all of these messages; 0 if there is no message.
  std::uint64_t print = 0;
};

struct SlotPlan {
  int peer = -1;
  PlannedDirection sends;
  PlannedDirection receives;
  // Whether each start has some message in that direction, by whatever way. If so, the sender of the other direction
  // needs no count of consumed messages (SlotSender).
  bool sends_any = false;
  bool receives_any = false;
};

/// Assigns places to the messages of at most `longest` bytes, and no places to the others.
void place(PlannedDirection& direction, std::int64_t longest) noexcept;

/// Returns, for each partner of a schedule, which messages with that partner may go through slots. The plans are in
/// the order of the partners' ranks. `rank`: the rank of this process. Messages to itself get no plan.
[[nodiscard]] std::vector<SlotPlan> plan_slots(const Schedule& schedule, int rank);

}  // namespace rondo::internal

#endif
