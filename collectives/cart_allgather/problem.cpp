#include "collectives/cart_allgather/problem.hpp"

#include <algorithm>

namespace rondo::internal::allgather {

std::int64_t largest_block(const Problem& problem) { return std::ranges::max(problem.sizes); }

BlockId block_to_send(const Problem& problem, BlockId own, std::size_t messages, ScheduleBuilder& builder) {
  if (messages < 2 || problem.send.layout->size() == 0 || !builder.is_staged({&own, 1})) return own;
  const BlockId row = builder.transit(problem.send.layout->size());
  builder.copy({&own, 1}, {&row, 1});
  return row;
}

void copy_to_self(const Problem& problem, BlockId own, std::span<const int> ends, ScheduleBuilder& builder) {
  if (ends.empty() || problem.send.layout->size() == 0) return;
  const std::vector<BlockId> from(ends.size(), own);
  std::vector<BlockId> to;
  for (const int end : ends) {
    const BlockShape& block = problem.recv[static_cast<std::size_t>(end)];
    to.push_back(builder.block(Space::recv, block.offset, *block.layout));
  }
  builder.copy(from, to);
}

}  // namespace rondo::internal::allgather
