// Coalesced alltoall: listing 4 of ICPP 2019 after offsets are folded onto the grid, so that all blocks for one
// process travel together. On a small torus many neighbors are the same process.
#include "collectives/blocks/message_cut.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"

#include <algorithm>

namespace rondo::internal::alltoall {
namespace {

/// Returns whether a block of `added` bytes joins the message `open`; otherwise it begins a new one. The result depends
/// only on the sizes of the blocks for one process and on its nearness, which both ends know.
bool joins(const CostModel& costs, Coalescing coalescing, const OpenMessage& open, std::int64_t added,
           Nearness nearness) {
  if (!open.has_room_for(added)) return false;
  if (coalescing == Coalescing::always) return true;
  const auto message = [&](std::int64_t bytes, std::int64_t blocks) {
    return costs.message(bytes, blocks, SentData::cold, nearness);
  };
  return message(open.bytes + added, open.blocks + 1) <= message(open.bytes, open.blocks) + message(added, 1);
}

}  // namespace

void exchange_coalesced(const Problem& problem, const Blocks& blocks, Coalescing coalescing, ScheduleBuilder& builder,
                        const std::function<bool(int)>& wanted) {
  std::vector<BlockId> message;
  // A message's tag is its first block's index.
  const auto for_each_message = [&](std::span<const int> members, std::span<const BlockId> side, const auto& emit) {
    const Nearness nearness = nearness_of(problem.near, problem.facts.neighborhood()[members.front()]);
    message.clear();
    OpenMessage open;
    std::uint32_t tag = 0;
    for (const int member : members) {
      const BlockId block = side[static_cast<std::size_t>(member)];
      const std::int64_t added = builder.bytes(block);
      if (added == 0) continue;
      if (!joins(problem.costs, coalescing, open, added, nearness)) {
        if (!message.empty()) emit(tag, message);
        message.clear();
        open = {};
        tag = static_cast<std::uint32_t>(member);
      }
      message.push_back(block);
      open.add(added);
    }
    if (!message.empty()) emit(tag, message);
  };
  for (const TargetGroup& group : group_by_target(problem)) {
    if (group.to_self) {
      copy_to_self(blocks, group.members, builder);
      continue;
    }
    if (group.target != kNoRank && wanted(group.target)) {
      for_each_message(group.members, blocks.send, [&](std::uint32_t tag, std::span<const BlockId> outgoing) {
        builder.send(group.target, tag, outgoing);
      });
    }
    if (group.source != kNoRank && wanted(group.source)) {
      for_each_message(group.members, blocks.recv, [&](std::uint32_t tag, std::span<const BlockId> incoming) {
        builder.receive(group.source, tag, incoming);
      });
    }
  }
}

void build_coalesced(const Problem& problem, ScheduleBuilder& builder, Coalescing coalescing) {
  exchange_coalesced(problem, Blocks(problem, builder), coalescing, builder, [](int) { return true; });
  builder.reserve_tags(static_cast<std::uint32_t>(problem.facts.neighborhood().size()));
}

Prediction predict_coalesced(const Problem& problem, Coalescing coalescing) {
  const FoldedNeighborhood& folded = problem.facts.folded();
  const std::vector<std::int64_t> bytes = travelling_bytes(problem);
  std::vector<OpenMessage> open(folded.size());
  std::size_t to_self = 0;  // index of the zero vector, if any
  while (to_self < open.size() && std::ranges::any_of(folded[to_self], [](int residue) { return residue != 0; }))
    ++to_self;
  Prediction prediction;
  const auto close = [&](std::uint32_t v) {
    const OpenMessage& message = open[v];
    const Nearness nearness = nearness_of(problem.near, folded[v]);
    if (message.blocks > 0)
      add_message(prediction, problem.costs, problem.near, folded[v], message.blocks, message.bytes);
    if (message.blocks > 1) problem.costs.add_copies(prediction, 2 * message.blocks, 2 * message.bytes, nearness);
    open[v] = {};
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t v = folded.vector_of()[i];
    if (bytes[i] == 0 || v == to_self) continue;
    if (!joins(problem.costs, coalescing, open[v], bytes[i], nearness_of(problem.near, folded[v]))) close(v);
    open[v].add(bytes[i]);
  }
  for (std::uint32_t v = 0; v < open.size(); ++v) close(v);
  if (prediction.rounds > 0) problem.costs.add_phase(prediction);
  return prediction;
}

}  // namespace rondo::internal::alltoall
