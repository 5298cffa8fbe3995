#include "collectives/cart_alltoall/problem.hpp"

#include <algorithm>
#include <limits>

namespace rondo::internal::alltoall {

Blocks::Blocks(const Problem& problem, ScheduleBuilder& builder, std::size_t in_transit) {
  builder.reserve_blocks(problem.send.size() + problem.recv.size() + in_transit);
  send.reserve(problem.send.size());
  recv.reserve(problem.recv.size());
  for (const BlockShape& shape : problem.send) send.push_back(builder.block(Space::send, shape.offset, *shape.layout));
  for (const BlockShape& shape : problem.recv) recv.push_back(builder.block(Space::recv, shape.offset, *shape.layout));
}

std::vector<TargetGroup> group_by_target(const Problem& problem) {
  const FoldedNeighborhood& folded = problem.facts.folded();
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> group_of(folded.size(), kNone);
  std::vector<TargetGroup> groups;
  for (std::size_t i = 0; i < folded.vector_of().size(); ++i) {
    const std::uint32_t v = folded.vector_of()[i];
    if (group_of[v] == kNone) {
      group_of[v] = groups.size();
      const auto vector = folded[v];
      groups.push_back({problem.grid.relative_rank(vector),
                        problem.grid.relative_rank(vector, -1),
                        std::ranges::all_of(vector, [](int residue) { return residue == 0; }),
                        {}});
    }
    groups[group_of[v]].members.push_back(static_cast<int>(i));
  }
  return groups;
}

void copy_to_self(const Blocks& blocks, std::span<const int> members, ScheduleBuilder& builder) {
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

std::vector<std::int64_t> travelling_bytes(const Problem& problem) {
  const Grid& grid = problem.grid;
  const Neighborhood& hood = problem.facts.neighborhood();
  std::vector<std::int64_t> bytes(problem.sizes.begin(), problem.sizes.end());
  for (int i = 0; i < hood.size(); ++i) {
    if (!grid.reaches(hood[i])) bytes[static_cast<std::size_t>(i)] = 0;
  }
  return bytes;
}

}  // namespace rondo::internal::alltoall
