#include "collectives/dense_alltoall/problem.hpp"

namespace rondo::internal::dense {

Blocks::Blocks(const Problem& problem, ScheduleBuilder& builder, std::size_t more) {
  const auto p = static_cast<std::size_t>(problem.size);
  builder.reserve_blocks((problem.in_place ? 3 : 2) * p + more);
  send.reserve(p);
  recv.reserve(p);
  for (const BlockShape& shape : problem.recv) recv.push_back(builder.block(Space::recv, shape.offset, *shape.layout));
  if (!problem.in_place) {
    for (const BlockShape& shape : problem.send)
      send.push_back(builder.block(Space::send, shape.offset, *shape.layout));
    return;
  }
  builder.set_in_place();
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (std::size_t j = 0; j < p; ++j) {
    const std::int64_t bytes = builder.bytes(recv[j]);
    if (j == static_cast<std::size_t>(problem.rank) || bytes == 0) {
      send.push_back(recv[j]);  // goes nowhere
      continue;
    }
    builder.set_filled(recv[j]);
    from.push_back(recv[j]);
    to.push_back(send.emplace_back(builder.transit(bytes)));
  }
  if (!from.empty()) builder.copy(from, to);
}

std::vector<BlockId> Blocks::sent_backwards(const Problem& problem) const {
  std::vector<BlockId> blocks;
  blocks.reserve(send.size());
  for (int j = 0; j < problem.size; ++j) blocks.push_back(send[static_cast<std::size_t>(problem.rank_at(-j))]);
  return blocks;
}

void copy_to_self(const Problem& problem, const Blocks& blocks, ScheduleBuilder& builder) {
  const auto own = static_cast<std::size_t>(problem.rank);
  if (problem.in_place || builder.bytes(blocks.send[own]) == 0) return;
  builder.copy({&blocks.send[own], 1}, {&blocks.recv[own], 1});
}

}  // namespace rondo::internal::dense
