// The neighborhood collectives as MPI defines them (MPI 3.1, sections 7.6.1 and 7.6.2): a send along each outgoing
// edge, a receive along each incoming one. All messages are under way from the start, so that no rank depends on what
// another does after it has started.
#include "collectives/edges/direct.hpp"

#include <rondo/error.hpp>

#include <algorithm>
#include <vector>

namespace rondo::internal::edges {
namespace {

std::vector<BlockId> blocks_in(Space space, std::span<const BlockShape> shapes, ScheduleBuilder& builder) {
  std::vector<BlockId> blocks;
  blocks.reserve(shapes.size());
  for (const BlockShape& shape : shapes) blocks.push_back(builder.block(space, shape.offset, *shape.layout));
  return blocks;
}

}  // namespace

void build_direct(const Problem& problem, ScheduleBuilder& builder) {
  const Lists& lists = problem.lists;
  builder.reserve_blocks(problem.send.size() + problem.recv.size());
  builder.reserve_tasks(lists.targets.size() + lists.sources.size() + 1);
  const std::vector<BlockId> send = blocks_in(Space::send, problem.send, builder);
  const std::vector<BlockId> recv = blocks_in(Space::recv, problem.recv, builder);
  const bool one_for_all = send.size() != lists.targets.size();
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (std::size_t i = 0; i < lists.targets.size(); ++i) {
    const Edge& edge = lists.targets[i];
    const BlockId outgoing = send[one_for_all ? 0 : i];
    if (edge.rank == kNoRank || builder.bytes(outgoing) == 0) continue;
    if (edge.rank != lists.rank) {
      builder.send(edge.rank, edge.tag, {&outgoing, 1});
      continue;
    }
    const auto incoming = std::ranges::find_if(
        lists.sources, [&](const Edge& source) { return source.rank == lists.rank && source.tag == edge.tag; });
    if (incoming == lists.sources.end())
      throw Error(MPI_ERR_TOPOLOGY, "comm: the process has an edge to itself but no matching edge from itself");
    from.push_back(outgoing);
    to.push_back(recv[static_cast<std::size_t>(incoming - lists.sources.begin())]);
  }
  for (std::size_t i = 0; i < lists.sources.size(); ++i) {
    const Edge& edge = lists.sources[i];
    if (edge.rank != kNoRank && edge.rank != lists.rank && builder.bytes(recv[i]) > 0)
      builder.receive(edge.rank, edge.tag, {&recv[i], 1});
  }
  if (!from.empty()) builder.copy(from, to);
  builder.reserve_tags(problem.tags);
}

}  // namespace rondo::internal::edges
