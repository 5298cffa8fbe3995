// Direct allgather: the algorithm "spreading simple" of Bruck et al., "Efficient Algorithms for All-to-All
// Communications in Multiport Message-Passing Systems", IEEE TPDS 8(11), 1997, section 1: every block goes straight to
// every rank. In round i each rank sends to the one i after it and receives from the one i before it.
#include "collectives/dense_allgather/algorithms.hpp"

namespace rondo::internal::dense_allgather {

void build_direct(const Problem& problem, int ports, ScheduleBuilder& builder) {
  if (ports > 0) builder.set_window(static_cast<std::uint32_t>(ports));
  builder.reserve_tasks(2 * static_cast<std::size_t>(problem.size));
  const Blocks blocks(problem, builder);
  BlockId sent = blocks.own;
  if (problem.size > 2 && builder.bytes(sent) > 0 && builder.is_staged({&sent, 1})) {  // packed once for all
    sent = builder.transit(builder.bytes(sent));
    builder.copy({&blocks.own, 1}, {&sent, 1});
  }
  for (int i = 1; i < problem.size; ++i) {
    const int source = problem.rank_at(-i);
    builder.begin_exchange();
    if (builder.bytes(sent) > 0) builder.send(problem.rank_at(i), 0, {&sent, 1});
    if (problem.bytes_of(source) > 0) builder.receive(source, 0, {&blocks.recv[static_cast<std::size_t>(source)], 1});
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(1);
}

Prediction predict_direct(const Problem& problem, int ports) {
  const std::int64_t bytes = problem.largest();
  Prediction prediction;
  for (int i = 1; i < problem.size && bytes > 0; ++i) {
    const Nearness nearness = i <= problem.fewest_near ? Nearness::near : Nearness::far;
    problem.costs.add_message(prediction, 1, bytes, SentData::warm, nearness);
  }
  problem.costs.add_windows(prediction, ports);
  return prediction;
}

}  // namespace rondo::internal::dense_allgather
