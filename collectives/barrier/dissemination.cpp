// The dissemination barrier: Hensgen, Finkel and Manber, "Two Algorithms for Barrier Synchronization", International
// Journal of Parallel Programming 17(1), 1988, section 3, in radix k: Hoefler, Mehlan, Mietke and Rehm, "Fast Barrier
// Synchronization for InfiniBand", IPDPS 2006, section 3 (n-way dissemination). After round i a rank has heard, through
// others, of the k^(i+1) - 1 ranks before it. A round begins when all messages of the round before have arrived, though
// no message carries data that another one needs: rounds are batches.
#include "collectives/barrier/dissemination.hpp"

#include "collectives/barrier/algorithms.hpp"

namespace rondo::internal::barrier {

void build_dissemination(const Problem& problem, int radix, ScheduleBuilder& builder) {
  builder.set_batches(static_cast<std::uint32_t>(radix));
  const BlockId token = builder.block(Space::send, 0, 1);
  const auto rank_at = [&](int steps) { return problem.rank_at(steps); };
  disseminate(problem.size, radix, token, rank_at, builder);
  builder.reserve_tags(rounds_of(problem.size, radix));
}

Prediction predict_dissemination(const Problem& problem, int radix) {
  const std::int64_t p = problem.size;
  Prediction prediction;
  for (std::int64_t power = 1; power < p; power *= radix) {
    problem.costs.add_phase(prediction);
    for (int digit = 1; digit < radix && digit * power < p; ++digit) {
      // In the first round, ranks send to the ranks next to them.
      const bool near = power == 1 && digit <= problem.fewest_near;
      problem.costs.add_message(prediction, 1, 1, SentData::warm, near ? Nearness::near : Nearness::far);
    }
  }
  return prediction;
}

}  // namespace rondo::internal::barrier
