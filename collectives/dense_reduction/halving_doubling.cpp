// Rabenseifner's allreduce (Thakur, Rabenseifner, Gropp 2005, section 4.5.2): a reduce-scatter by recursive halving,
// then an allgather by recursive doubling, each rank's part twice as long in each round. See FoldedRanks for any p.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/halving.hpp"
#include "collectives/selection/nearness.hpp"

namespace rondo::internal::dense_reduction {

void build_halving_doubling(const Problem& problem, ScheduleBuilder& builder) {
  const FoldedRanks ranks(problem.size);
  const std::uint32_t last_tag = 2 * ranks.rounds() + 1;
  builder.reserve_tags(last_tag + 1);
  if (problem.is_done()) return;
  const int parts = ranks.size();
  const Parts all = parts_in_a_row(0, parts, parts);
  const Parts none;
  PartialResults results(problem, parts, builder);
  if (ranks.gives(problem.rank)) {
    const int partner = problem.rank + 1;
    results.add({partner, all, partner, none, 0}, false);
    results.replace({partner, none, partner, all, last_tag});
    return;
  }
  const int before = problem.rank - 1;
  if (ranks.takes(problem.rank)) results.add({before, none, before, all, 0}, false);
  halve(
      ranks, problem.rank, parts, [](int place) { return place; }, results, builder);
  results.finish(ranks.place_of(problem.rank));
  const int place = ranks.place_of(problem.rank);
  std::uint32_t tag = ranks.rounds() + 1;
  for (int distance = 1; distance < ranks.size(); distance *= 2) {
    const int partner = place ^ distance;
    const auto parts_of = [&](int of) {
      const int begin = of & -distance;
      return parts_in_a_row(begin, begin + distance, parts);
    };
    const Parts sent = parts_of(place);
    const Parts received = parts_of(partner);
    builder.begin_phase();
    results.replace({ranks.rank_at(partner), sent, ranks.rank_at(partner), received, tag++});
  }
  if (!ranks.takes(problem.rank)) return;
  builder.begin_phase();
  results.replace({before, all, before, none, last_tag});
}

Prediction predict_halving_doubling(const Problem& problem) {
  Prediction prediction;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0 || problem.size == 1) return prediction;
  const FoldedRanks ranks(problem.size);
  const CostModel& costs = problem.costs;
  for (int i = 0; ranks.folds() && i < 2; ++i) {
    costs.add_phase(prediction);
    costs.add_message(prediction, ranks.size(), bytes);
  }
  if (ranks.folds()) costs.add_reductions(prediction, ranks.size(), bytes);
  for (int distance = ranks.size() / 2; distance > 0; distance /= 2) {
    const std::int64_t each = bytes / ranks.size() * distance;
    costs.add_reductions(prediction, distance, each);
    const Nearness nearness = ranks.folds() ? Nearness::far : nearness_of_pairs(problem.nodes, distance);
    for (int way = 0; way < 2; ++way) {
      costs.add_phase(prediction, nearness);
      costs.add_message(prediction, distance, each, SentData::cold, nearness);
    }
  }
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
