// Irregular zero-copy Bruck (zero-copy Bruck paper, section 3.5): blocks that differ in size, but not much. A block in
// transit waits in one of two intermediate buffers, by the number of its hops to come, odd or even. Each buffer has p -
// 1 buckets with room for the largest block. The receive buffer cannot serve, as its blocks may be too short.
#include "collectives/blocks/round_messages.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/arriving_sizes.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"

#include <array>
#include <bit>

namespace rondo::internal::dense {
namespace {

std::vector<BlockId> buckets(const Problem& problem, ScheduleBuilder& builder) {
  const int count = problem.size - 1;
  const std::int64_t begin = builder.reserve_scratch(count * problem.largest);
  builder.reserve_blocks(static_cast<std::size_t>(count));
  std::vector<BlockId> blocks;
  blocks.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    blocks.push_back(builder.block(Space::scratch, begin + i * problem.largest, problem.largest));
  return blocks;
}

}  // namespace

void build_irregular_bruck(const Problem& problem, ScheduleBuilder& builder) {
  const int p = problem.size;
  const BruckRounds rounds(p, 2);
  ArrivingSizes sizes(problem, 2);
  builder.set_message_form(MessageForm::datatype);
  builder.reserve_tasks(2 * rounds.all().size() + 2);
  const std::array buffers{buckets(problem, builder), buckets(problem, builder)};
  const Blocks blocks(problem, builder);
  std::vector<BlockId> where_it_is = blocks.sent_backwards(problem);

  std::uint32_t tag = 0;
  RoundSide outgoing;
  RoundSide incoming;
  for (const BruckRound& round : rounds.all()) {
    if (problem.largest == 0) break;
    builder.begin_phase();
    outgoing.clear();
    incoming.clear();
    round.for_each_block(p, [&](int j) {
      BlockId& here = where_it_is[static_cast<std::size_t>(j)];
      outgoing.add(here, builder.bytes(here));
      if (round.arrives(j)) {
        const int source = problem.rank_at(j);
        incoming.add(blocks.recv[static_cast<std::size_t>(source)], sizes.next_from(source));
      } else {
        const auto hops_left =
            static_cast<std::size_t>(std::popcount(static_cast<unsigned>(j) >> static_cast<unsigned>(round.digit + 1)));
        const std::int64_t bytes = sizes.next();
        here = buffers[hops_left % 2][static_cast<std::size_t>(j - 1)];
        builder.refill(here, bytes);
        incoming.add(here, bytes);
      }
    });
    const int steps = static_cast<int>(round.steps);
    exchange_once(problem.rank_at(-steps), problem.rank_at(steps), tag, outgoing, incoming, builder);
    tag += messages_of(round.blocks, problem.largest);
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(tag);
}

}  // namespace rondo::internal::dense
