// Trees of radix k, or k-nomial trees: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
// Operations in MPICH", IJHPCA 19(1), 2005, section 4.2, has the binomial tree. Ranks are numbers in radix k, counted
// from the root on. The rank with a zero in digit d and all below sends the block to the ranks that have another value
// there, the highest digit first.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/broadcast/tree_shape.hpp"

namespace rondo::internal::broadcast {

void build_tree(const Problem& problem, int radix, ScheduleBuilder& builder) {
  const int number = problem.number();
  const TreeShape tree{problem.size, radix};
  const Parts parts(problem, segments_of(problem.bytes(), problem.bytes(), 1), problem.size, builder);
  builder.reserve_tags(1);
  if (parts.count() == 0) return;
  constexpr int kWhole = 0;
  for (std::int64_t power = tree.first_power(); power > 0; power /= radix) {
    builder.begin_phase();
    if (number % power != 0) continue;
    const auto digit = number / power % radix;
    if (digit != 0) {
      builder.receive(problem.rank_of(static_cast<int>(number - digit * power)), 0, {&parts[kWhole], 1});
      parts.land({&kWhole, 1}, builder);
      continue;
    }
    const int last = tree.children(power, number);
    for (int child = 1; child <= last; ++child)
      builder.send(problem.rank_of(static_cast<int>(number + child * power)), 0, {&parts[kWhole], 1});
  }
}

Prediction predict_tree(const Problem& problem, int radix) {
  Prediction prediction;
  const TreeShape tree{problem.size, radix};
  int near = problem.fewest_near;
  for (std::int64_t power = tree.first_power(); power > 0 && problem.bytes() > 0; power /= radix) {
    problem.costs.add_phase(prediction);
    for (int child = tree.children(power, 0); child > 0; --child, --near) {
      const bool straight = radix >= problem.size;  // to all others, of whom some are near
      problem.costs.add_message(prediction, 1, problem.bytes(), SentData::warm,
                                straight && near > 0 ? Nearness::near : Nearness::far);
    }
  }
  return prediction;
}

}  // namespace rondo::internal::broadcast
