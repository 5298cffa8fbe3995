// Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (arXiv 2410.14234, 2024), algorithms 1 and 2,
// along a circulant graph. Distances are p halved and rounded up until they are 1. Before a round of distance s, after
// one of s', a rank has sums of the parts for the s' ranks that begin with itself. It sends those from the s-th on to
// the rank s after it, and adds the arriving sums to its first ones. After ceil(log2 p) rounds and p - 1 sent parts it
// has the result of its part. An allreduce goes through the same distances backwards, with results.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/partial_results.hpp"
#include "collectives/topology/circulant_graph.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal::dense_reduction {

void build_circulant(const Problem& problem, ScheduleBuilder& builder) {
  const int p = problem.size;
  const int rank = problem.rank;
  const std::vector<int> skips = circulant_skips(p);  // ascending, the last is p
  const std::size_t rounds = skips.size() - 1;
  const bool gathers = problem.kind == Kind::allreduce;
  builder.reserve_tags(static_cast<std::uint32_t>((gathers ? 2 : 1) * rounds));
  if (problem.is_done()) return;
  PartialResults results(problem, p, builder);
  std::uint32_t tag = 0;
  for (std::size_t k = rounds; k-- > 0;) {
    const int distance = skips[k];
    const int before = skips[k + 1];
    const Parts sent = parts_in_a_row(rank + distance, rank + before, p);
    const Parts received = parts_in_a_row(rank, rank + before - distance, p);
    builder.begin_phase();
    results.add({problem.rank_at(distance), sent, problem.rank_at(-distance), received, tag++}, distance == 1);
  }
  results.finish(rank);
  if (!gathers) return;
  for (std::size_t k = 0; k < rounds; ++k) {
    const int distance = skips[k];
    const int before = skips[k + 1];
    const Parts sent = parts_in_a_row(rank, rank + before - distance, p);
    const Parts received = parts_in_a_row(rank + distance, rank + before, p);
    builder.begin_phase();
    results.replace({problem.rank_at(-distance), sent, problem.rank_at(distance), received, tag++});
  }
}

Prediction predict_circulant(const Problem& problem) {
  Prediction prediction;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0) return prediction;
  const CostModel& costs = problem.costs;
  const std::vector<int> skips = circulant_skips(problem.size);
  for (std::size_t k = skips.size() - 1; k-- > 0;) {
    const std::int64_t parts = skips[k + 1] - skips[k];
    const std::int64_t each = bytes / problem.size * parts;
    costs.add_reductions(prediction, parts, each);
    for (int way = 0; way < (problem.kind == Kind::allreduce ? 2 : 1); ++way) {
      costs.add_phase(prediction);
      costs.add_message(prediction, parts, each);
    }
  }
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
