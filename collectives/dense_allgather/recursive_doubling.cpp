// Recursive doubling: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.1. In round k a rank has the blocks
// of the 2^k ranks whose numbers differ from its own in the lowest k bits, and swaps them with the rank that differs in
// bit k.
#include "collectives/blocks/round_messages.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/selection/nearness.hpp"

namespace rondo::internal::dense_allgather {

void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder) {
  const Blocks blocks(problem, builder);
  const std::int64_t largest = problem.largest();
  RoundSide outgoing;
  RoundSide incoming;
  std::uint32_t tag = 0;
  for (int distance = 1; distance < problem.size; distance *= 2) {
    const int partner = problem.rank ^ distance;
    const auto first_of = [&](int rank) { return rank - rank % distance; };
    outgoing.clear();
    incoming.clear();
    for (int j = 0; j < distance; ++j) {
      const int going = first_of(problem.rank) + j;
      const int coming = first_of(partner) + j;
      outgoing.add(distance == 1 ? blocks.own : blocks.recv[static_cast<std::size_t>(going)], problem.bytes_of(going));
      incoming.add(blocks.recv[static_cast<std::size_t>(coming)], problem.bytes_of(coming));
    }
    builder.begin_phase();
    exchange_round(partner, partner, tag, outgoing, incoming, builder);
    if (distance == 1) copy_to_self(problem, blocks, builder);
    tag += messages_of(distance, largest);
  }
  if (problem.size == 1) copy_to_self(problem, blocks, builder);
  builder.reserve_tags(tag);
}

Prediction predict_recursive_doubling(const Problem& problem) {
  const std::int64_t largest = problem.largest();
  Prediction prediction;
  for (int distance = 1; distance < problem.size && largest > 0; distance *= 2) {
    const Nearness nearness = nearness_of_pairs(problem.nodes, distance);
    problem.costs.add_phase(prediction, nearness);
    const std::int64_t messages = messages_of(distance, largest);
    const std::int64_t bytes = most_bytes_of(problem, distance);
    for (std::int64_t message = 0; message < messages; ++message)
      problem.costs.add_message(prediction, distance / messages, bytes / messages, SentData::warm, nearness);
  }
  return prediction;
}

}  // namespace rondo::internal::dense_allgather
