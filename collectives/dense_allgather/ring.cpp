// Ring allgather: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
// IJHPCA 19(1), 2005, section 4.1. In round i a rank passes the block of the rank i before it on to the next one.
#include "collectives/dense_allgather/algorithms.hpp"

namespace rondo::internal::dense_allgather {

void build_ring(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve_tasks(2 * static_cast<std::size_t>(problem.size));
  const Blocks blocks(problem, builder);
  const int next = problem.rank_at(1);
  const int before = problem.rank_at(-1);
  BlockId passing = blocks.own;
  for (int i = 0; i + 1 < problem.size; ++i) {
    const int source = problem.rank_at(-i - 1);
    const BlockId coming = blocks.recv[static_cast<std::size_t>(source)];
    const auto tag = static_cast<std::uint32_t>(i);
    builder.begin_phase();
    builder.begin_exchange();
    if (builder.bytes(passing) > 0) builder.send(next, tag, {&passing, 1});
    if (builder.bytes(coming) > 0) builder.receive(before, tag, {&coming, 1});
    passing = coming;
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(static_cast<std::uint32_t>(problem.size));
}

Prediction predict_ring(const Problem& problem) {
  const std::int64_t bytes = problem.largest();
  Prediction prediction;
  for (int i = 1; i < problem.size && bytes > 0; ++i) {
    problem.costs.add_phase(prediction);
    problem.costs.add_message(prediction, 1, bytes, SentData::warm);
  }
  return prediction;
}

}  // namespace rondo::internal::dense_allgather
