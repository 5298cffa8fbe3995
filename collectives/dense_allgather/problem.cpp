#include "collectives/dense_allgather/problem.hpp"

#include <algorithm>

namespace rondo::internal::dense_allgather {

std::int64_t Problem::largest() const {
  std::int64_t bytes = 0;
  for (const BlockShape& block : recv) bytes = std::max(bytes, block.layout->size());
  return bytes;
}

std::int64_t most_bytes_of(const Problem& problem, std::int64_t blocks) {
  const auto bytes_of = [&](std::int64_t rank) { return problem.bytes_of(static_cast<int>(rank % problem.size)); };
  std::int64_t bytes = 0;
  for (std::int64_t rank = 0; rank < blocks; ++rank) bytes += bytes_of(rank);
  std::int64_t most = bytes;
  for (std::int64_t rank = 0; rank < problem.size; ++rank) {
    bytes += bytes_of(rank + blocks) - bytes_of(rank);
    most = std::max(most, bytes);
  }
  return most;
}

Blocks::Blocks(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve_blocks(static_cast<std::size_t>(problem.size) + 2);
  recv.reserve(static_cast<std::size_t>(problem.size));
  for (const BlockShape& shape : problem.recv) recv.push_back(builder.block(Space::recv, shape.offset, *shape.layout));
  if (!problem.in_place) {
    own = builder.block(Space::send, problem.send.offset, *problem.send.layout);
    return;
  }
  builder.set_in_place();
  own = recv[static_cast<std::size_t>(problem.rank)];
  builder.set_filled(own);
}

void copy_to_self(const Problem& problem, const Blocks& blocks, ScheduleBuilder& builder) {
  if (problem.in_place || builder.bytes(blocks.own) == 0) return;
  builder.copy({&blocks.own, 1}, {&blocks.recv[static_cast<std::size_t>(problem.rank)], 1});
}

}  // namespace rondo::internal::dense_allgather
