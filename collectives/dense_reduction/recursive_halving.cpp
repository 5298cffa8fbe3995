// Recursive halving (Thakur, Rabenseifner, Gropp 2005, section 4.4), for any p. Of each folded pair of ranks the higher
// one works for both, and hands the lower one's part over.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/halving.hpp"
#include "collectives/selection/nearness.hpp"

namespace rondo::internal::dense_reduction {

void build_recursive_halving(const Problem& problem, ScheduleBuilder& builder) {
  const FoldedRanks ranks(problem.size);
  const std::uint32_t last_tag = ranks.rounds() + 1;
  builder.reserve_tags(last_tag + 1);
  if (problem.is_done()) return;
  const int p = problem.size;
  const Parts all = parts_in_a_row(0, p, p);
  const Parts none;
  PartialResults results(problem, p, builder);
  if (ranks.gives(problem.rank)) {
    const int partner = problem.rank + 1;
    const Parts own{problem.rank};
    results.add({partner, all, partner, none, 0}, false);
    results.replace({partner, none, partner, own, last_tag});
    return;
  }
  const int before = problem.rank - 1;
  if (ranks.takes(problem.rank)) results.add({before, none, before, all, 0}, false);
  halve(
      ranks, problem.rank, p, [&](int place) { return ranks.first_rank_at(place); }, results, builder);
  results.finish(problem.rank);
  if (!ranks.takes(problem.rank)) return;
  const Parts given{before};
  builder.begin_phase();
  results.replace({before, given, before, none, last_tag});
}

Prediction predict_recursive_halving(const Problem& problem) {
  Prediction prediction;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0 || problem.size == 1) return prediction;
  const FoldedRanks ranks(problem.size);
  const CostModel& costs = problem.costs;
  const std::int64_t each = bytes / problem.size;
  if (ranks.folds()) {
    costs.add_phase(prediction);
    costs.add_message(prediction, problem.size, bytes);
    costs.add_reductions(prediction, problem.size, bytes);
    costs.add_phase(prediction);
    costs.add_message(prediction, 1, each);
  }
  const int of_place = ranks.folds() ? 2 : 1;
  for (int distance = ranks.size() / 2; distance > 0; distance /= 2) {
    const std::int64_t parts = std::int64_t{distance} * of_place;
    const Nearness nearness = ranks.folds() ? Nearness::far : nearness_of_pairs(problem.nodes, distance);
    costs.add_phase(prediction, nearness);
    costs.add_message(prediction, parts, parts * each, SentData::cold, nearness);
    costs.add_reductions(prediction, parts, parts * each);
  }
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
