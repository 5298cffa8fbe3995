#include "runtime/execution/slot_plan.hpp"

#include "runtime/base/mix.hpp"
#include "runtime/shared_memory/slot.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace rondo::internal {
namespace {

struct Candidate {
  std::uint32_t tag;
  std::uint32_t number;
  std::int64_t bytes;
};

/// `answered`: whether each start has a message in the other direction.
PlannedDirection plan_direction(std::vector<Candidate> candidates, bool answered) {
  // MPI matches messages of one tag in the order in which they are posted, which depends on timing for all we know.
  std::ranges::sort(candidates, {}, &Candidate::tag);
  std::vector<Candidate> taken;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool alone = (i == 0 || candidates[i - 1].tag != candidates[i].tag) &&
                       (i + 1 == candidates.size() || candidates[i + 1].tag != candidates[i].tag);
    if (alone && candidates[i].bytes <= kLongestInSlot) taken.push_back(candidates[i]);
  }
  PlannedDirection direction;
  if (taken.empty()) return direction;
  constexpr std::size_t kClosedLine = kCacheLine;
  const std::size_t counts = (taken.size() * sizeof(SharedWord) + kCacheLine - 1) / kCacheLine * kCacheLine;
  std::size_t consumed = kClosedLine;
  std::size_t slot = kClosedLine + counts;
  std::uint64_t print = mix(1, answered ? 1 : 0);
  for (const Candidate& message : taken) {
    const std::size_t size = slot_size(static_cast<std::size_t>(message.bytes));
    direction.messages.push_back({message.number, consumed, slot, size});
    consumed += sizeof(SharedWord);
    slot += 2 * size;
    print = mix(mix(print, message.tag), static_cast<std::uint64_t>(message.bytes));
  }
  direction.region_size = slot;
  direction.print = print == 0 ? 1 : print;
  return direction;
}

}  // namespace

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
