#include "collectives/dense_reduction/contribution.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal::dense_reduction {

Contribution::Contribution(const Problem& problem, ScheduleBuilder& builder) {
  const std::size_t own_part = problem.kind == Kind::allreduce ? 0 : static_cast<std::size_t>(problem.rank);
  if (problem.in_place) builder.set_in_place();
  result = builder.block(Space::recv, problem.recv.offset, *problem.recv.layout);
  const bool has_result = builder.bytes(result) > 0;
  if (has_result) builder.set_reduction(problem.op.of(problem.own_count()));
  if (!problem.in_place) {
    for (const BlockShape& shape : problem.send)
      send.push_back(builder.block(Space::send, shape.offset, *shape.layout));
    own = send[own_part];
    return;
  }
  if (has_result) builder.set_filled(result);
  const std::span<const BlockId> received(&result, has_result ? 1 : 0);
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (std::size_t j = 0; j < problem.send.size(); ++j) {
    const BlockShape& shape = problem.send[j];
    const std::int64_t bytes = shape.layout->size();
    if (bytes == 0) {
      send.push_back(result);  // a placeholder: a part without bytes is never sent
      continue;
    }
    // A part may lie where the result does: its view names the result's block, which then waits for the read.
    const bool is_result = problem.kind == Kind::allreduce;
    from.push_back(is_result ? result : builder.view(shape.offset, *shape.layout, received));
    to.push_back(send.emplace_back(j == own_part ? builder.operand() : builder.transit(bytes)));
  }
  own = send[own_part];
  if (!from.empty()) builder.copy(from, to);
}

}  // namespace rondo::internal::dense_reduction
