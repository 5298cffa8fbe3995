#include "runtime/execution/claimable.hpp"

#include "runtime/execution/execution.hpp"
#include "runtime/execution/message_place.hpp"
#include "runtime/schedule/message_form_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

namespace rondo::internal {
namespace {

std::optional<ClaimableMessage> claimable(const Execution& execution, const Task& task, const AllocatedMemory& memory,
                                          std::int64_t shortest_piece) {
  const MessagePlace place(execution, execution.message(task.message));
  if (place.is_scattered && task.bytes <= kLongestInSlot && task.bytes / place.layout.pieces() < shortest_piece)
    return std::nullopt;
  ClaimableMessage message{task.message, task.tag, task.kind == TaskKind::send, task.bytes, {}, {}};
  const std::int64_t first = place.is_scattered ? place.layout.true_begin() : 0;
  const std::int64_t end = place.is_scattered ? place.layout.true_end() : task.bytes;
  std::optional<ArrayPlace> found = memory.find(place.address + first, static_cast<std::size_t>(end - first));
  if (!found) return std::nullopt;
  message.place = std::move(*found);
  if (place.is_scattered)
    message.layout.append(place.layout, -first);
  else
    message.layout = Layout::contiguous(task.bytes);
  if (!fits_notice(message.layout)) return std::nullopt;
  return message;
}

}  // namespace

std::map<int, std::vector<ClaimableMessage>> claimable_messages(const Execution& execution, int rank,
                                                                const AllocatedMemory& memory, std::int64_t shortest) {
  std::map<int, std::vector<ClaimableMessage>> partners;
  if (!memory.ever_shared()) return partners;
  const Schedule& schedule = execution.schedule();
  // MPI matches messages of one tag in the order in which they are posted, which may depend on timing.
  std::map<std::tuple<int, TaskKind, std::uint32_t>, int> of_a_tag;
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    ++of_a_tag[{task.peer, task.kind, task.tag}];
  }
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    if (task.peer == rank || task.bytes < shortest) continue;
    if (of_a_tag[{task.peer, task.kind, task.tag}] != 1) continue;
    if (std::optional<ClaimableMessage> message =
            claimable(execution, task, memory, std::min(shortest, kShortestPieceClaimed)))
      partners[task.peer].push_back(std::move(*message));
  }
  return partners;
}

}  // namespace rondo::internal
