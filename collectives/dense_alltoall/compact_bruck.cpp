// Zero-copy Bruck (zero-copy Bruck paper, section 3.3) with the least intermediate memory there can be: the answer to
// the paper's open problem, see docs/bruck-buffer.md. As in the paper, blocks travel towards lower ranks, so that the
// blocks of a message lie in ascending order. Unlike in the paper, any radix will do, and the places where blocks wait
// are planned for all blocks at once (TransitSlots).
#include "collectives/blocks/round_messages.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"
#include "collectives/dense_alltoall/transit_slots.hpp"

namespace rondo::internal::dense {

void build_compact_bruck(const Problem& problem, int radix, int ports, ScheduleBuilder& builder) {
  const int p = problem.size;
  const std::int64_t bytes = problem.largest;
  const BruckRounds rounds(p, radix);
  const TransitSlots plan(p, radix, !problem.in_place);
  builder.set_message_form(MessageForm::datatype);
  if (ports > 0) builder.set_window(static_cast<std::uint32_t>(ports));
  builder.reserve_tasks(2 * rounds.all().size() + 2);

  const std::int64_t buffer = builder.reserve_scratch(plan.intermediate() * bytes);
  const Blocks blocks(problem, builder, static_cast<std::size_t>(plan.intermediate()));
  std::vector<BlockId> slots;
  slots.reserve(static_cast<std::size_t>(p + plan.intermediate()));
  for (int j = 0; j < p; ++j) slots.push_back(blocks.recv[static_cast<std::size_t>(problem.rank_at(j))]);
  for (int i = 0; i < plan.intermediate(); ++i)
    slots.push_back(builder.block(Space::scratch, buffer + i * bytes, bytes));
  std::vector<BlockId> where_it_is = blocks.sent_backwards(problem);

  std::uint32_t tag = 0;
  RoundSide outgoing;
  RoundSide incoming;
  BruckPhases phases(ports);
  for (const BruckRound& round : rounds.all()) {
    if (bytes == 0) break;
    if (phases.begin_with(round)) builder.begin_phase();
    outgoing.clear();
    incoming.clear();
    round.for_each_block(p, [&](int j) {
      BlockId& here = where_it_is[static_cast<std::size_t>(j)];
      outgoing.add(here, bytes);
      here = slots[static_cast<std::size_t>(plan.slot(j, round.digit))];
      incoming.add(here, bytes);
    });
    const int steps = static_cast<int>(round.steps);
    exchange_round(problem.rank_at(-steps), problem.rank_at(steps), tag, outgoing, incoming, builder);
    tag += outgoing.messages();
  }
  copy_to_self(problem, blocks, builder);  // last, as others may have waited in its slot
  builder.reserve_tags(tag);
}

}  // namespace rondo::internal::dense
