/// @file
/// SlotPlan: which messages between two ranks may go through slots, and where these lie.
#ifndef RONDO_RUNTIME_ROUTES_SLOT_PLAN_HPP
#define RONDO_RUNTIME_ROUTES_SLOT_PLAN_HPP

#include "runtime/schedule/message_form_costs.hpp"
#include "runtime/schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A region is the receiver's memory for the messages of one partner: first a line in which the partner says that it
/// has closed its end, then the counts of consumed messages, one for each, then the slots.
struct PlannedMessage {
  std::uint32_t number;  ///< in Schedule::messages()
  std::uint32_t tag;
  std::int64_t bytes;
  bool has_slot;              ///< false: there is no room for messages of this length
  std::size_t consumed = 0;   ///< offset of its count in the region
  std::size_t slot = 0;       ///< offset of its first slot
  std::size_t slot_size = 0;  ///< the others follow
  std::uint32_t slots = 2;
};

/// The messages of one direction that have a tag of their own between the two ranks and are short enough, by tag. The
/// other end comes to the same places by itself.
struct PlannedDirection {
  std::vector<PlannedMessage> messages;
  bool answered = false;        ///< each start has some message in the other direction
  std::size_t region_size = 0;  ///< 0: there is nothing for it
  /// Equal at both ends where they agree on all of these messages; 0 where there is none.
  std::uint64_t print = 0;
};

struct SlotPlan {
  int peer = -1;
  PlannedDirection sends;
  PlannedDirection receives;
  // Whether each start has some message in that direction, by whatever way: then its sender needs no other news of what
  // was consumed (SlotSender).
  bool sends_any = false;
  bool receives_any = false;
};

/// Gives the messages of at most `longest` bytes their places, and the others none.
void place(PlannedDirection& direction, std::int64_t longest) noexcept;

/// One for each partner of a schedule, by rank. `rank`: the own one, which is no partner.
[[nodiscard]] std::vector<SlotPlan> plan_slots(const Schedule& schedule, int rank);

}  // namespace rondo::internal

#endif
