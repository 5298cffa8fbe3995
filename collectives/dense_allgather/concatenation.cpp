// The concatenation algorithm of Bruck et al., IEEE TPDS 8(11), 1997, section 4, in its one-port form, with the skips
// of a list: theirs double (section 4.2); those of a circulant graph (Träff, arXiv 2407.18004, section 2.3) halve from
// p downwards, so that no round is shorter than it must be. Blocks arrive in their places, so that the shift at the end
// is not made.
#include "collectives/blocks/round_messages.hpp"
#include "collectives/dense_allgather/algorithms.hpp"

#include <algorithm>

namespace rondo::internal::dense_allgather {

std::vector<int> doubling_skips(int p) {
  std::vector<int> skips;
  for (std::int64_t skip = 1; skip < p; skip *= 2) skips.push_back(static_cast<int>(skip));
  skips.push_back(p);
  return skips;
}

void build_concatenation(const Problem& problem, std::span<const int> skips, ScheduleBuilder& builder) {
  builder.reserve_tasks(4 * skips.size());
  const Blocks blocks(problem, builder);
  const std::int64_t largest = problem.largest();
  RoundSide outgoing;
  RoundSide incoming;
  std::uint32_t tag = 0;
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const int passed = skips[k + 1] - skips[k];
    outgoing.clear();
    incoming.clear();
    for (int j = 0; j < passed; ++j) {
      const int going = problem.rank_at(j);
      const int coming = problem.rank_at(skips[k] + j);
      // A message of several blocks takes the rank's own block from among the received ones, beside the others.
      const BlockId own = passed == 1 ? blocks.own : blocks.recv[static_cast<std::size_t>(problem.rank)];
      outgoing.add(j == 0 ? own : blocks.recv[static_cast<std::size_t>(going)], problem.bytes_of(going));
      incoming.add(blocks.recv[static_cast<std::size_t>(coming)], problem.bytes_of(coming));
    }
    builder.begin_phase();
    exchange_round(problem.rank_at(-skips[k]), problem.rank_at(skips[k]), tag, outgoing, incoming, builder);
    if (k == 0) copy_to_self(problem, blocks, builder);
    tag += messages_of(passed, largest);  // the same on all ranks: shorter blocks do not need more
  }
  if (problem.size == 1) copy_to_self(problem, blocks, builder);
  builder.reserve_tags(tag);
}

Prediction predict_concatenation(const Problem& problem, std::span<const int> skips) {
  const CostModel& costs = problem.costs;
  const std::int64_t largest = problem.largest();
  Prediction prediction;
  if (largest == 0) return prediction;
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const std::int64_t passed = skips[k + 1] - skips[k];
    const std::int64_t bytes = most_bytes_of(problem, passed);
    const std::int64_t messages = messages_of(passed, largest);
    costs.add_phase(prediction);
    for (std::int64_t message = 0; message < messages; ++message)
      costs.add_message(prediction, passed / messages, bytes / messages, SentData::warm);
  }
  return prediction;
}

}  // namespace rondo::internal::dense_allgather
