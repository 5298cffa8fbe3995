#include "collectives/binding/message_balance.hpp"

#include "runtime/base/mix.hpp"

namespace rondo::internal {

std::uint64_t message_balance(const Schedule& schedule, int rank) {
  std::uint64_t balance = 0;
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    const bool sends = task.kind == TaskKind::send;
    const int source = sends ? rank : task.peer;
    const int target = sends ? task.peer : rank;
    std::uint64_t hash = 1;
    for (const std::uint64_t word : {static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target),
                                     std::uint64_t{task.tag}, static_cast<std::uint64_t>(task.bytes), std::uint64_t{0}})
      hash = mix(hash, word);
    balance += sends ? hash : 0 - hash;
  }
  return balance;
}

}  // namespace rondo::internal
