// Recursive doubling (Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005, section 4.5.1), for any p. Of the first 2(p - 2^k) ranks, every second one gives its vector to the next rank
// and gets the result from it. The other ranks, in their order, exchange running results with partners at distances 1,
// 2, 4, ... Each running result is that of consecutive ranks, and the operand of lower ranks goes left.
#include "collectives/dense_reduction/accumulator.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/folded_ranks.hpp"
#include "collectives/selection/nearness.hpp"

#include <numeric>
#include <vector>

namespace rondo::internal::dense_reduction {

void Accumulator::combine(const Step& step) {
  const BlockId arriving = step.is_last && !step.partner_is_lower ? mine_.result : builder_.operand();
  builder_.begin_exchange();
  if (step.sends) builder_.send(step.partner, step.tag, {&at_, 1});
  builder_.receive(step.partner, step.tag, {&arriving, 1});
  builder_.end_exchange();
  if (!step.partner_is_lower) {
    builder_.reduce(at_, arriving);
    at_ = arriving;
  } else {
    if (!ours_) {
      const BlockId copy = step.is_last ? mine_.result : builder_.operand();
      builder_.copy({&at_, 1}, {&copy, 1});
      at_ = copy;
    }
    builder_.reduce(arriving, at_);
  }
  ours_ = true;
}

void double_up(std::span<const int> ranks, int place, std::uint32_t tag, Accumulator& accumulator,
               ScheduleBuilder& builder) {
  const FoldedRanks folded(static_cast<int>(ranks.size()));
  const auto rank_at = [&](int number) { return ranks[static_cast<std::size_t>(number)]; };
  const std::uint32_t last_tag = tag + folded.rounds() + 1;
  if (folded.gives(place)) {
    builder.send(rank_at(place + 1), tag, {&accumulator.at(), 1});
    builder.receive(rank_at(place + 1), last_tag, {&accumulator.result(), 1});
    return;
  }
  const int here = folded.place_of(place);
  // The last distance at which the partner is higher; the steps after it leave the result where it is.
  int last_higher = 0;
  for (int distance = 1; distance < folded.size(); distance *= 2) {
    if ((here & distance) == 0) last_higher = distance;
  }
  if (folded.takes(place)) accumulator.combine({rank_at(place - 1), true, false, tag, last_higher == 0});
  for (int distance = 1; distance < folded.size(); distance *= 2) {
    builder.begin_phase();
    const bool partner_is_lower = (here & distance) != 0;
    accumulator.combine(
        {rank_at(folded.rank_at(here ^ distance)), partner_is_lower, true, ++tag, distance >= last_higher});
  }
  accumulator.finish();
  if (!folded.takes(place)) return;
  builder.begin_phase();
  builder.send(rank_at(place - 1), last_tag, {&accumulator.result(), 1});
}

std::uint32_t doubling_tags(int ranks) { return FoldedRanks(ranks).rounds() + 2; }

void predict_doubling(const CostModel& costs, int ranks, std::int64_t bytes, Prediction& prediction,
                      const NodeMembers* nodes) {
  const FoldedRanks folded(ranks);
  const std::uint32_t rounds = folded.rounds() + (folded.folds() ? 2 : 0);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Nearness nearness = folded.folds() ? Nearness::far : nearness_of_pairs(nodes, 1 << round);
    costs.add_phase(prediction, nearness);
    costs.add_message(prediction, 1, bytes, SentData::cold, nearness);
  }
  const std::int64_t reductions = folded.rounds() + (folded.folds() ? 1 : 0);
  costs.add_reductions(prediction, reductions, reductions * bytes);
}

void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve_tags(doubling_tags(problem.size));
  if (problem.is_done()) return;
  std::vector<int> ranks(static_cast<std::size_t>(problem.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Accumulator accumulator(problem, builder);
  double_up(ranks, problem.rank, 0, accumulator, builder);
}

Prediction predict_recursive_doubling(const Problem& problem) {
  Prediction prediction;
  if (problem.bytes() == 0 || problem.size == 1) return prediction;
  predict_doubling(problem.costs, problem.size, problem.bytes(), prediction, problem.nodes);
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
