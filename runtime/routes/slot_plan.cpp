#include "runtime/routes/slot_plan.hpp"

#include "runtime/base/mix.hpp"
#include "runtime/shared_memory/slot.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace rondo::internal {
namespace {

struct Candidate {
  std::uint32_t tag;
  std::uint32_t number;
  std::int64_t bytes;
};

/// Plans the messages of one direction. `answered`: whether each start has a message in the other direction.
PlannedDirection plan_direction(std::vector<Candidate> candidates, bool answered) {
  // MPI matches messages of one tag in the order in which they are posted, which may depend on timing.
  std::ranges::sort(candidates, {}, &Candidate::tag);
  PlannedDirection direction;
  direction.answered = answered;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto& [tag, number, bytes] = candidates[i];
    const bool alone =
        (i == 0 || candidates[i - 1].tag != tag) && (i + 1 == candidates.size() || candidates[i + 1].tag != tag);
    if (alone && bytes <= kLongestInSlot) direction.messages.push_back({number, tag, bytes, true});
  }
  place(direction, kLongestInSlot);
  return direction;
}

/// Returns the number of slots of a message to which no message of the partner answers. The sender may be as many
/// starts ahead as there are slots: many slots for short messages, two for long ones.
std::uint32_t slots_one_way(std::size_t slot_size) noexcept {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kBytes = std::size_t{16} << 10U;
  return static_cast<std::uint32_t>(std::clamp(std::bit_floor(kBytes / slot_size), std::size_t{2}, kMost));
}

}  // namespace

void place(PlannedDirection& direction, std::int64_t longest) noexcept {
  constexpr std::size_t kClosedLine = kCacheLine;
  std::size_t count = 0;
  for (PlannedMessage& message : direction.messages) {
    message.has_slot = message.bytes <= longest;
    count += message.has_slot ? 1 : 0;
  }
  std::size_t consumed = kClosedLine;
  std::size_t slot = kClosedLine + (count * sizeof(SharedWord) + kCacheLine - 1) / kCacheLine * kCacheLine;
  std::uint64_t print = mix(1, direction.answered ? 1 : 0);
  for (PlannedMessage& message : direction.messages) {
    if (!message.has_slot) continue;
    message.consumed = consumed;
    message.slot = slot;
    message.slot_size = slot_size(static_cast<std::size_t>(message.bytes));
    consumed += sizeof(SharedWord);
    message.slots = direction.answered ? 2 : slots_one_way(message.slot_size);
    slot += message.slots * message.slot_size;
    print = mix(mix(print, message.tag), static_cast<std::uint64_t>(message.bytes));
  }
  direction.region_size = count == 0 ? 0 : slot;
  direction.print = count == 0 ? 0 : print == 0 ? 1 : print;
}

std::vector<SlotPlan> plan_slots(const Schedule& schedule, int rank) {
  struct Both {
    std::vector<Candidate> sends;
    std::vector<Candidate> receives;
  };
  std::map<int, Both> partners;
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    if (task.peer == rank) continue;
    Both& both = partners[task.peer];
    (task.kind == TaskKind::send ? both.sends : both.receives).push_back({task.tag, task.message, task.bytes});
  }
  std::vector<SlotPlan> plans;
  plans.reserve(partners.size());
  for (auto& [peer, both] : partners) {
    SlotPlan plan;
    plan.peer = peer;
    plan.sends_any = !both.sends.empty();
    plan.receives_any = !both.receives.empty();
    plan.sends = plan_direction(std::move(both.sends), plan.receives_any);
    plan.receives = plan_direction(std::move(both.receives), plan.sends_any);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace rondo::internal
