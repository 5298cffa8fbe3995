// The ring (Thakur, Rabenseifner, Gropp 2005, sections 4.1 and 4.4): in p - 1 rounds every rank passes on the sum of a
// part, which ends at the rank to which it belongs. In an allreduce, p - 1 more rounds hand the results around.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/partial_results.hpp"

namespace rondo::internal::dense_reduction {

void build_ring(const Problem& problem, ScheduleBuilder& builder) {
  const int p = problem.size;
  const int next = problem.rank_at(1);
  const int before = problem.rank_at(-1);
  const bool gathers = problem.kind == Kind::allreduce;
  builder.reserve_tags(static_cast<std::uint32_t>((gathers ? 2 : 1) * (p - 1)));
  if (problem.is_done()) return;
  PartialResults results(problem, p, builder);
  std::uint32_t tag = 0;
  for (int round = 1; round < p; ++round) {
    const Parts sent{problem.rank_at(-round)};
    const Parts received{problem.rank_at(-round - 1)};
    builder.begin_phase();
    results.add({next, sent, before, received, tag++}, round == p - 1);
  }
  results.finish(problem.rank);
  for (int round = 0; gathers && round < p - 1; ++round) {
    const Parts sent{problem.rank_at(-round)};
    const Parts received{problem.rank_at(-round - 1)};
    builder.begin_phase();
    results.replace({next, sent, before, received, tag++});
  }
}

Prediction predict_ring(const Problem& problem) {
  Prediction prediction;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0) return prediction;
  const CostModel& costs = problem.costs;
  const std::int64_t rounds = problem.size - 1;
  const std::int64_t each = bytes / problem.size;
  for (std::int64_t i = 0; i < (problem.kind == Kind::allreduce ? 2 : 1) * rounds; ++i) {
    costs.add_phase(prediction);
    costs.add_message(prediction, 1, each);
  }
  costs.add_reductions(prediction, rounds, rounds * each);
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
