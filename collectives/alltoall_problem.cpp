#include "collectives/alltoall_problem.hpp"

#include "collectives/path_expansion.hpp"

#include <limits>

namespace rondo {

AlltoallBlocks::AlltoallBlocks(const AlltoallProblem& problem, ScheduleBuilder& builder) {
  send.reserve(problem.send.size());
  recv.reserve(problem.recv.size());
  for (const BlockShape& shape : problem.send) send.push_back(builder.block(Space::send, shape.offset, *shape.layout));
  for (const BlockShape& shape : problem.recv) recv.push_back(builder.block(Space::recv, shape.offset, *shape.layout));
}

std::vector<TargetGroup> group_by_target(const AlltoallProblem& problem) {
  const PathExpansion expansion = expand_directly(problem.grid, problem.neighborhood);
  const ExpansionStage& stage = expansion.stages().front();
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  // The last is of those that stay.
  std::vector<std::size_t> group_of(expansion.steps(stage) + std::size_t{1}, kNone);
  std::vector<TargetGroup> groups;
  for (std::size_t i = 0; i < stage.step_of.size(); ++i) {
    const StepId step = stage.step_of[i];
    const bool stays = step == kStays;
    std::size_t& group = group_of[stays ? group_of.size() - 1 : step];
    if (group == kNone) {
      group = groups.size();
      const int self = problem.grid.rank();
      groups.push_back({stays ? self : problem.grid.relative_rank(expansion.step(stage, step)),
                        stays ? self : problem.grid.relative_rank(expansion.step(stage, step), -1),
                        stays,
                        {}});
    }
    groups[group].members.push_back(static_cast<int>(i));
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

std::vector<std::int64_t> travelling_bytes(const AlltoallProblem& problem) {
  const Grid& grid = problem.grid;
  std::vector<std::int64_t> bytes(problem.sizes.begin(), problem.sizes.end());
  for (int i = 0; i < problem.neighborhood.size(); ++i) {
    if (!grid.reaches(problem.neighborhood[i])) bytes[static_cast<std::size_t>(i)] = 0;
  }
  return bytes;
}

}  // namespace rondo
