// Coalesced alltoall: listing 4 of ICPP 2019 after offsets are folded onto the grid, so that all blocks for one
// process travel together. On a small torus many neighbors are the same process.
#include "collectives/alltoall_algorithms.hpp"

namespace rondo {
namespace {

/// Splits the blocks for one process into messages. Decided from the sizes of these blocks alone, which both ends know.
class Splitter {
 public:
  Splitter(const CostModel& costs, Coalescing coalescing) : costs_(costs), coalescing_(coalescing) {}

  /// Calls `emit(members, bytes)` for each message; `bytes_of(member)` is a block's size, and one of none is left out.
  template <typename BytesOf, typename Emit>
  void split(std::span<const int> members, BytesOf bytes_of, Emit emit) const {
    std::vector<int> message;
    std::int64_t bytes = 0;
    for (const int member : members) {
      const std::int64_t added = bytes_of(static_cast<std::size_t>(member));
      if (added == 0) continue;
      if (!message.empty() && !joins(bytes, static_cast<std::int64_t>(message.size()), added)) {
        emit(std::span<const int>(message), bytes);
        message.clear();
        bytes = 0;
      }
      message.push_back(member);
      bytes += added;
    }
    if (!message.empty()) emit(std::span<const int>(message), bytes);
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
  const Splitter splitter(problem.costs, coalescing);
  // A message's tag is its first block's index.
  const auto for_each_message = [&](std::span<const int> members, std::span<const BlockId> side, const auto& emit) {
    splitter.split(
        members, [&](std::size_t i) { return builder.bytes(side[i]); },
        [&](std::span<const int> message, std::int64_t) {
          std::vector<BlockId> ids;
          for (const int member : message) ids.push_back(side[static_cast<std::size_t>(member)]);
          emit(static_cast<std::uint32_t>(message.front()), ids);
        });
  };
  for (const TargetGroup& group : group_by_target(problem)) {
    if (group.to_self) {
      copy_to_self(blocks, group.members, builder);
      continue;
    }
    for_each_message(group.members, blocks.send, [&](std::uint32_t tag, std::span<const BlockId> outgoing) {
      builder.send(group.target, tag, outgoing);
    });
    for_each_message(group.members, blocks.recv, [&](std::uint32_t tag, std::span<const BlockId> incoming) {
      builder.receive(group.source, tag, incoming);
    });
  }
  builder.reserve_tags(static_cast<std::uint32_t>(problem.neighborhood.size()));
}

Prediction predict_coalesced_alltoall(const AlltoallProblem& problem, Coalescing coalescing) {
  const Splitter splitter(problem.costs, coalescing);
  const std::vector<std::int64_t> bytes = travelling_bytes(problem);
  Prediction prediction;
  for (const TargetGroup& group : group_by_target(problem)) {
    if (group.to_self) continue;
    splitter.split(
        group.members, [&](std::size_t i) { return bytes[i]; },
        [&](std::span<const int> message, std::int64_t total) {
          const auto blocks = static_cast<std::int64_t>(message.size());
          problem.costs.add_message(prediction, blocks, total);
          if (blocks > 1) problem.costs.add_copies(prediction, 2 * blocks, 2 * total);
        });
  }
  if (prediction.rounds > 0) problem.costs.add_phase(prediction);
  return prediction;
}

}  // namespace rondo
