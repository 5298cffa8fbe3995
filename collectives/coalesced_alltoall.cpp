// Coalesced alltoall: listing 4 of ICPP 2019 after offsets are folded onto the grid, so that all blocks for one
// process travel together. On a small torus many neighbors are the same process.
#include "collectives/alltoall_algorithms.hpp"

namespace rondo {
namespace {

using Message = std::vector<BlockId>;

/// Splits the blocks for one process into messages. Decided from the sizes of these blocks alone, which both ends know.
class Splitter {
 public:
  Splitter(const AlltoallProblem& problem, Coalescing coalescing) : costs_(problem.costs), coalescing_(coalescing) {}

  /// Calls `emit(tag, blocks)` for each message; the tag is the first block's index.
  template <typename Emit>
  void split(std::span<const int> members, std::span<const BlockId> blocks, const ScheduleBuilder& builder,
             Emit emit) const {
    Message message;
    std::int64_t bytes = 0;
    std::uint32_t tag = 0;
    for (const int member : members) {
      const BlockId block = blocks[static_cast<std::size_t>(member)];
      const std::int64_t added = builder.bytes(block);
      if (added == 0) continue;
      if (!message.empty() && !joins(bytes, static_cast<std::int64_t>(message.size()), added)) {
        emit(tag, message);
        message.clear();
        bytes = 0;
      }
      if (message.empty()) tag = static_cast<std::uint32_t>(member);
      message.push_back(block);
      bytes += added;
    }
    if (!message.empty()) emit(tag, message);
  }

 private:
  [[nodiscard]] bool joins(std::int64_t bytes, std::int64_t blocks, std::int64_t added) const {
    if (bytes + added > kLongestMessage) return false;
    if (coalescing_ == Coalescing::always) return true;
    return costs_.message(bytes + added, blocks + 1) <= costs_.message(bytes, blocks) + costs_.message(added, 1);
  }

  const CostModel& costs_;
  Coalescing coalescing_;
};

}  // namespace

void build_coalesced_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder, Coalescing coalescing) {
  const AlltoallBlocks blocks(problem, builder);
  const Splitter splitter(problem, coalescing);
  for (const TargetGroup& group : group_by_target(problem)) {
    if (group.to_self) {
      copy_to_self(blocks, group.members, builder);
      continue;
    }
    splitter.split(group.members, blocks.send, builder,
                   [&](std::uint32_t tag, const Message& outgoing) { builder.send(group.target, tag, outgoing); });
    splitter.split(group.members, blocks.recv, builder,
                   [&](std::uint32_t tag, const Message& incoming) { builder.receive(group.source, tag, incoming); });
  }
  builder.reserve_tags(static_cast<std::uint32_t>(problem.neighborhood.size()));
}

}  // namespace rondo
