// The three alltoalls of the zero-copy Bruck paper, as its listings have them, for comparison with each other: Basic
// Bruck (section 2, listing 1), Modified Bruck (section 2, listing 2) and Zero-copy Bruck (section 3.3, listing 3). p
// elements of n bytes; element j of a round is one whose k-th bit is set, k a power of two.
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"

#include <bit>
#include <limits>

namespace rondo::internal::dense {
namespace {

/// Returns the paper's intermediate buffer: `elements` elements in a row.
std::vector<BlockId> intermediate_buffer(const Problem& problem, int elements, ScheduleBuilder& builder) {
  const std::int64_t begin = builder.reserve_scratch(elements * problem.largest);
  std::vector<BlockId> blocks;
  blocks.reserve(static_cast<std::size_t>(elements));
  for (int j = 0; j < elements; ++j)
    blocks.push_back(builder.block(Space::scratch, begin + j * problem.largest, problem.largest));
  return blocks;
}

/// Calls visit(round, k, tag) for each round, which is a phase. The copies before the first round belong to its phase.
template <typename Visit>
void for_each_round(int p, ScheduleBuilder& builder, Visit visit) {
  const BruckRounds rounds(p, 2);
  std::uint32_t tag = 0;
  for (const BruckRound& round : rounds.all()) {
    if (tag > 0) builder.begin_phase();
    builder.begin_exchange();
    visit(round, static_cast<int>(round.steps), tag++);
  }
}

/// Predicts the rounds of an algorithm and the elements sent in them, but no copies.
Prediction predict_rounds(const Problem& problem, const BruckRounds& rounds) {
  Prediction prediction;
  if (problem.largest == 0) return prediction;
  for (const BruckRound& round : rounds.all()) {
    problem.costs.add_phase(prediction);
    problem.costs.add_message(prediction, round.blocks, round.blocks * problem.largest);
  }
  return prediction;
}

/// Adds copies of elements to a prediction and makes its time infinite, so that it is no candidate of `auto`.
Prediction for_comparison(const Problem& problem, Prediction prediction, std::int64_t copies) {
  problem.costs.add_copies(prediction, copies, copies * problem.largest);
  prediction.nanoseconds = std::numeric_limits<double>::infinity();
  return prediction;
}

std::size_t place(int element) { return static_cast<std::size_t>(element); }

}  // namespace

void build_basic_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder) {
  const int p = problem.size;
  const Blocks blocks(problem, builder, 2 * place(p));
  builder.reserve_tags(static_cast<std::uint32_t>(std::bit_width(place(p - 1))));
  if (problem.largest == 0) return;
  if (p == 1) return copy_to_self(problem, blocks, builder);
  // In place the block that stays must be left alone, so that R cannot be the receive buffer.
  const auto r = problem.in_place ? intermediate_buffer(problem, p, builder) : blocks.recv;
  const auto interbuf = intermediate_buffer(problem, p, builder);
  const int first = problem.in_place ? 1 : 0;
  std::vector<BlockId> from;
  std::vector<BlockId> to;

  // Step 1, the local shift: R[j] = m(i -> i + j).
  for (int j = first; j < p; ++j) {
    from.push_back(blocks.send[place(problem.rank_at(j))]);
    to.push_back(r[place(j)]);
  }
  builder.copy(from, to);

  // Step 2, the rounds.
  for_each_round(p, builder, [&](const BruckRound& round, int k, std::uint32_t tag) {
    std::vector<BlockId> block;
    round.for_each_block(p, [&](int j) { block.push_back(r[place(j)]); });
    const auto received = std::span(interbuf).first(block.size());
    builder.send(problem.rank_at(k), tag, block, {constructor, {p, k, p - k, k, k << 1}});
    builder.receive(problem.rank_at(-k), tag, received);
    builder.copy(received, block);
  });

  // Step 3, reverse and shift: R[(p - j + i) mod p] = R[j].
  from.clear();
  to.clear();
  for (int j = first; j < p; ++j) {
    from.push_back(r[place(j)]);
    to.push_back(blocks.recv[place(problem.rank_at(-j))]);
  }
  if (problem.in_place) return builder.copy(from, to);
  builder.copy(r, interbuf);
  builder.copy(interbuf, to);
}

void build_modified_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder) {
  const int p = problem.size;
  const Blocks blocks(problem, builder, place(p));
  builder.reserve_tags(static_cast<std::uint32_t>(std::bit_width(place(p - 1))));
  if (problem.largest == 0) return;
  if (p == 1) return copy_to_self(problem, blocks, builder);
  const auto& r = blocks.recv;
  const auto interbuf = intermediate_buffer(problem, p / 2, builder);

  // Step 1, the local reverse and shift: R[i + j] = m(i -> i - j). In place the block that stays is there.
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (int j = problem.in_place ? 1 : 0; j < p; ++j) {
    from.push_back(blocks.send[place(problem.rank_at(-j))]);
    to.push_back(r[place(problem.rank_at(j))]);
  }
  builder.copy(from, to);

  // Step 2, the rounds.
  for_each_round(p, builder, [&](const BruckRound& round, int k, std::uint32_t tag) {
    const int sendrank = problem.rank_at(-k);
    const int recvrank = problem.rank_at(k);
    std::vector<BlockId> block;
    round.for_each_block(p, [&](int j) { block.push_back(r[place(problem.rank_at(j))]); });
    const auto received = std::span(interbuf).first(block.size());
    builder.send(sendrank, tag, block, {constructor, {p, recvrank, p - k, k, k << 1}});
    builder.receive(recvrank, tag, received);
    builder.copy(received, block);
  });
}

void build_zero_copy_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder) {
  const int p = problem.size;
  const Blocks blocks(problem, builder, place(p));
  builder.reserve_tags(static_cast<std::uint32_t>(std::bit_width(place(p - 1))));
  if (problem.largest == 0) return;
  const auto interbuf = intermediate_buffer(problem, p, builder);
  for_each_round(p, builder, [&](const BruckRound& round, int k, std::uint32_t tag) {
    const unsigned mask = ~0U << static_cast<unsigned>(round.digit);
    std::vector<BlockId> sendblock;
    std::vector<BlockId> recvblock;
    round.for_each_block(p, [&](int j) {
      const auto bits = static_cast<unsigned>(j);
      const BlockId in_send = blocks.send[place(problem.rank_at(-j))];
      const BlockId in_recv = blocks.recv[place(problem.rank_at(j))];
      const BlockId between = interbuf[place(j)];
      // The bits from the k-th on are the hops that are left, this one included: the last one ends in the receive
      // buffer.
      const bool to_recv = std::popcount(bits & mask) % 2 == 1;
      const bool is_new = (bits & mask) == bits;
      sendblock.push_back(is_new ? in_send : to_recv ? between : in_recv);
      recvblock.push_back(to_recv ? in_recv : between);
    });
    builder.send(problem.rank_at(-k), tag, sendblock, {constructor, {}});
    builder.receive(problem.rank_at(k), tag, recvblock, {constructor, {}});
  });
  copy_to_self(problem, blocks, builder);
}

/// Predicts Basic Bruck by theorem 1, with the copies of step 1, a pack and an unpack of each element in each round,
/// and twice step 3.
Prediction predict_basic_bruck(const Problem& problem) {
  const Prediction rounds = predict_rounds(problem, BruckRounds(problem.size, 2));
  const std::int64_t shifts = problem.in_place ? 2 * (problem.size - 1) : 3 * problem.size;
  return for_comparison(problem, rounds, rounds.rounds == 0 ? 0 : shifts + 2 * rounds.blocks);
}

/// Predicts Modified Bruck by theorem 2, with the copies of step 1, a pack and an unpack of each element in each round.
Prediction predict_modified_bruck(const Problem& problem) {
  const Prediction rounds = predict_rounds(problem, BruckRounds(problem.size, 2));
  const std::int64_t shift = problem.in_place ? problem.size - 1 : problem.size;
  return for_comparison(problem, rounds, rounds.rounds == 0 ? 0 : shift + 2 * rounds.blocks);
}

Prediction predict_zero_copy_bruck(const Problem& problem, TypeConstructor constructor) {
  const BruckRounds rounds(problem.size, 2);
  Prediction prediction = predict_rounds(problem, rounds);
  if (constructor != TypeConstructor::struct_of_runs) return for_comparison(problem, prediction, 0);
  if (problem.largest == 0) return prediction;
  // Long pieces cost a datatype no more than staging, which is all that FormCosts::long_piece says; they are not free.
  const auto one_end = [&](std::int64_t bytes, std::int64_t pieces) {
    return datatype_nanoseconds(problem.costs.form_costs(), bytes, pieces);
  };
  for (const BruckRound& round : rounds.all()) {
    // Runs of 2^k elements are one piece where they arrive, as rank 0 has them, and two where they leave: a new element
    // and the others.
    const std::int64_t runs = (round.blocks + round.width - 1) / round.width;
    const std::int64_t longer_than_one = round.width == 1 ? 0 : runs - (round.blocks % round.width == 1 ? 1 : 0);
    const std::int64_t bytes = round.blocks * problem.largest;
    prediction.nanoseconds += one_end(bytes, runs + longer_than_one) + one_end(bytes, runs);
  }
  return prediction;
}

}  // namespace rondo::internal::dense
