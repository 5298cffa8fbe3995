#include "collectives/alltoall_problem.hpp"

#include <unordered_map>

namespace rondo {

AlltoallBlocks::AlltoallBlocks(const AlltoallProblem& problem, ScheduleBuilder& builder) {
  send.reserve(problem.send.size());
  recv.reserve(problem.recv.size());
  for (const BlockShape& shape : problem.send) send.push_back(builder.block(Space::send, shape.offset, *shape.layout));
  for (const BlockShape& shape : problem.recv) recv.push_back(builder.block(Space::recv, shape.offset, *shape.layout));
}

std::vector<TargetGroup> group_by_target(const AlltoallProblem& problem) {
  std::vector<TargetGroup> groups;
  std::unordered_map<int, std::size_t> group_of;
  for (int i = 0; i < problem.neighborhood.size(); ++i) {
    const auto offset = problem.neighborhood[i];
    const int target = problem.grid.relative_rank(offset);
    const auto [entry, added] = group_of.try_emplace(target, groups.size());
    if (added) {
      groups.push_back({target, problem.grid.relative_rank(offset, -1), target == problem.grid.rank(), {}});
    }
    groups[entry->second].members.push_back(i);
  }
  return groups;
}

void copy_to_self(const AlltoallBlocks& blocks, std::span<const int> members, ScheduleBuilder& builder) {
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (const int member : members) {
    const auto i = static_cast<std::size_t>(member);
    if (builder.bytes(blocks.send[i]) == 0) continue;
    from.push_back(blocks.send[i]);
    to.push_back(blocks.recv[i]);
  }
  if (!from.empty()) builder.copy(from, to);
}

}  // namespace rondo
