// Recursive doubling (Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005, section 4.5.1), for any p: of the first 2(p - 2^k) ranks, every second one gives its vector to the next and
// gets the result from it; the others, in the order of the ranks, exchange what they have with partners at distances 1,
// 2, 4, ... Who combines has what ranks in a row have, and what lower ones have goes left.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/contribution.hpp"
#include "collectives/dense_reduction/folded_ranks.hpp"

#include <optional>
#include <vector>

namespace rondo::internal::dense_reduction {
namespace {

/// What a rank has, in the hands of those that combine.
class Accumulator {
 public:
  Accumulator(const Problem& problem, ScheduleBuilder& builder)
      : builder_(builder), mine_(problem, builder), at_(mine_.own), ours_(problem.in_place) {}

  [[nodiscard]] const BlockId& at() const noexcept { return at_; }
  [[nodiscard]] const BlockId& result() const noexcept { return mine_.result; }

  /// Exchanges it with a partner, or, from `gives` on, only takes. `is_last`: in no later step it is what a higher rank
  /// has that comes, so that the result is where this step leaves it.
  void combine(int partner, bool partner_is_lower, bool sends, std::uint32_t tag, bool is_last) {
    const bool into_result = is_last && !partner_is_lower;
    const BlockId arriving = into_result ? mine_.result : builder_.operand();
    builder_.begin_exchange();
    if (sends) builder_.send(partner, tag, {&at_, 1});
    builder_.receive(partner, tag, {&arriving, 1});
    builder_.end_exchange();
    if (!partner_is_lower) {
      builder_.reduce(at_, arriving);
      at_ = arriving;
    } else {
      if (!ours_) {
        const BlockId copy = is_last ? mine_.result : builder_.operand();
        builder_.copy({&at_, 1}, {&copy, 1});
        at_ = copy;
      }
      builder_.reduce(arriving, at_);
    }
    ours_ = true;
  }
  void finish() {
    if (at_.index != mine_.result.index) builder_.copy({&at_, 1}, {&mine_.result, 1});
  }

 private:
  ScheduleBuilder& builder_;
  Contribution mine_;
  BlockId at_;
  bool ours_;  ///< may be combined into
};

}  // namespace

void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder) {
  const FoldedRanks ranks(problem.size);
  builder.reserve_tags(ranks.rounds() + 2);
  if (problem.is_done()) return;
  Accumulator accumulator(problem, builder);
  const std::uint32_t last_tag = ranks.rounds() + 1;
  if (ranks.gives(problem.rank)) {
    builder.send(problem.rank + 1, 0, {&accumulator.at(), 1});
    builder.receive(problem.rank + 1, last_tag, {&accumulator.result(), 1});
    return;
  }
  const int place = ranks.place_of(problem.rank);
  // The last step in which the partner is higher; the ones after it leave the result where it is.
  int last_higher = -1;
  for (int distance = 1; distance < ranks.size(); distance *= 2) {
    if ((place & distance) == 0) last_higher = distance;
  }
  if (ranks.takes(problem.rank)) accumulator.combine(problem.rank - 1, true, false, 0, last_higher == -1);
  std::uint32_t tag = 1;
  for (int distance = 1; distance < ranks.size(); distance *= 2) {
    builder.begin_phase();
    const bool partner_is_lower = (place & distance) != 0;
    accumulator.combine(ranks.rank_at(place ^ distance), partner_is_lower, true, tag++, distance >= last_higher);
  }
  accumulator.finish();
  if (!ranks.takes(problem.rank)) return;
  builder.begin_phase();
  builder.send(problem.rank - 1, last_tag, {&accumulator.result(), 1});
}

Prediction predict_recursive_doubling(const Problem& problem) {
  Prediction prediction;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0 || problem.size == 1) return prediction;
  const FoldedRanks ranks(problem.size);
  const int rounds = static_cast<int>(ranks.rounds()) + (ranks.folds() ? 2 : 0);
  for (int round = 0; round < rounds; ++round) {
    problem.costs.add_phase(prediction);
    problem.costs.add_message(prediction, 1, bytes);
  }
  const std::int64_t reductions = ranks.rounds() + (ranks.folds() ? 1 : 0);
  problem.costs.add_reductions(prediction, reductions, reductions * bytes);
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
