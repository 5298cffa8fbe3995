// The direct algorithm of the zero-copy Bruck paper, section 2: each block is sent to its rank, p - 1 of them. In round
// i every rank sends to the one i after it and receives from the one i before it.
#include "collectives/dense_alltoall/algorithms.hpp"

namespace rondo::internal::dense {

void build_direct(const Problem& problem, int ports, ScheduleBuilder& builder) {
  if (ports > 0) builder.set_window(static_cast<std::uint32_t>(ports));
  builder.reserve_tasks(2 * static_cast<std::size_t>(problem.size));
  const Blocks blocks(problem, builder);
  for (int i = 1; i < problem.size; ++i) {
    const int target = problem.rank_at(i);
    const int source = problem.rank_at(-i);
    const BlockId outgoing = blocks.send[static_cast<std::size_t>(target)];
    const BlockId incoming = blocks.recv[static_cast<std::size_t>(source)];
    builder.begin_exchange();
    if (builder.bytes(outgoing) > 0) builder.send(target, 0, {&outgoing, 1});
    if (builder.bytes(incoming) > 0) builder.receive(source, 0, {&incoming, 1});
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(1);
}

Prediction predict_direct(const Problem& problem, int ports) {
  Prediction prediction;
  for (int i = 1; i < problem.size && problem.largest > 0; ++i) {
    const Nearness nearness = i <= problem.fewest_near ? Nearness::near : Nearness::far;
    problem.costs.add_message(prediction, 1, problem.largest, SentData::cold, nearness);
  }
  problem.costs.add_windows(prediction, ports);
  return prediction;
}

}  // namespace rondo::internal::dense
