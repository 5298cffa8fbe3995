// The alltoall of Bruck et al. as the zero-copy Bruck paper recapitulates it (section 2) in any radix r and through any
// number of ports. The shift before it and the reversal after it are not made: blocks are sent out of the send buffer,
// stay where their message arrived while in transit, and arrive in their places, so that a hop is one copy at most. As
// in Modified Bruck, blocks travel towards lower ranks, so that blocks that arrive together lie in ascending order.
#include "collectives/blocks/round_messages.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/arriving_sizes.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"

namespace rondo::internal::dense {

void build_bruck(const Problem& problem, int radix, int ports, ScheduleBuilder& builder) {
  const int p = problem.size;
  const BruckRounds rounds(p, radix);
  ArrivingSizes sizes(problem, radix);
  if (ports > 0) builder.set_window(static_cast<std::uint32_t>(ports));
  builder.reserve_tasks(4 * rounds.all().size() + 2);
  const Blocks blocks(problem, builder, static_cast<std::size_t>(rounds.volume()));
  std::vector<BlockId> where_it_is = blocks.sent_backwards(problem);

  std::uint32_t tag = 0;
  RoundSide outgoing;
  RoundSide incoming;
  BruckPhases phases(ports);
  for (const BruckRound& round : rounds.all()) {
    if (problem.largest == 0) break;
    if (phases.begin_with(round)) builder.begin_phase();
    outgoing.clear();
    incoming.clear();
    round.for_each_block(p, [&](int j) {
      BlockId& here = where_it_is[static_cast<std::size_t>(j)];
      outgoing.add(here, builder.bytes(here));
      const int source = problem.rank_at(j);
      const std::int64_t bytes = round.arrives(j) ? sizes.next_from(source) : sizes.next();
      here = round.arrives(j) ? blocks.recv[static_cast<std::size_t>(source)] : builder.transit(bytes);
      incoming.add(here, bytes);
    });
    const int steps = static_cast<int>(round.steps);
    exchange_once(problem.rank_at(-steps), problem.rank_at(steps), tag, outgoing, incoming, builder);
    tag += messages_of(round.blocks, problem.largest);  // the same on all ranks: shorter blocks do not need more
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(tag);
}

Prediction predict_bruck(const Problem& problem, int radix, int ports, Landing landing) {
  const CostModel& costs = problem.costs;
  const std::int64_t bytes = problem.largest;
  Prediction prediction;
  if (bytes == 0) return prediction;
  const BruckRounds rounds(problem.size, radix);
  BruckPhases phases(ports);
  for (const BruckRound& round : rounds.all()) {
    if (phases.begin_with(round)) costs.add_phase(prediction);
    for_each_message(round.blocks, bytes, [&](std::int64_t begin, std::int64_t blocks) {
      costs.add_message(prediction, blocks, blocks * bytes);
      if (blocks == 1) return;
      const std::int64_t placed =
          landing == Landing::in_slots ? blocks : std::clamp<std::int64_t>(round.arriving - begin, 0, blocks);
      costs.add_copies(prediction, blocks + placed, (blocks + placed) * bytes);
    });
  }
  return prediction;
}

}  // namespace rondo::internal::dense
