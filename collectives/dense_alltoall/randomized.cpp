// The algorithms of "Optimized Alltoall Algorithm for Low-Diameter Network Topologies" (Ferrari et al.), section 2: all
// ranks go through all ranks in one random order, the same everywhere, so that no path of the network is used by many
// pairs at a time for longer than chance will have it. The block that stays is copied, not sent.
#include "collectives/dense_alltoall/randomized.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include "collectives/dense_alltoall/shuffled_ranks.hpp"
#include "datatypes/layout/layout_cut.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::internal::dense {
namespace {

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

std::int64_t rounded_up(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

AntiCirculant matrix_of(const Problem& problem) {
  return {problem.rank, get_shuffled_ranks(problem.size, problem.options.seed)};
}

/// Limits the exchanges in flight as the paper's queue does, which has two requests for each exchange.
void limit(Queue queue, int exchanges, ScheduleBuilder& builder) {
  const auto most = static_cast<std::uint32_t>(exchanges);
  if (queue == Queue::batches)
    builder.set_batches(most);
  else
    builder.set_window(most);
}

/// The blocks of algorithm 3, each as its segments and, last, its rest, if any: part s of the block for rank j is
/// send[j][s]. In place, blocks are copied first, as in Blocks. The block that stays is not cut.
struct CutBlocks {
  CutBlocks(const Problem& problem, std::int64_t segment, ScheduleBuilder& builder);

  std::vector<std::vector<BlockId>> send;
  std::vector<std::vector<BlockId>> recv;
};

std::vector<BlockId> cut_block(Space space, const BlockShape& shape, std::int64_t segment, ScheduleBuilder& builder) {
  const Layout& layout = *shape.layout;
  std::vector<BlockId> parts;
  if (layout.is_contiguous()) {
    for (std::int64_t begin = 0; begin < layout.size(); begin += segment) {
      parts.push_back(
          builder.block(space, shape.offset + layout.true_begin() + begin, std::min(segment, layout.size() - begin)));
    }
    return parts;
  }
  for (Layout& part : cut(layout, segment))
    parts.push_back(builder.block(space, shape.offset, builder.keep(std::move(part))));
  return parts;
}

CutBlocks::CutBlocks(const Problem& problem, std::int64_t segment, ScheduleBuilder& builder)
    : send(at(problem.size)), recv(at(problem.size)) {
  std::int64_t parts = 0;
  for (const BlockShape& shape : problem.send) parts += rounded_up(shape.layout->size(), segment);
  for (const BlockShape& shape : problem.recv) parts += rounded_up(shape.layout->size(), segment);
  builder.reserve_blocks(static_cast<std::size_t>(parts) + 2);
  builder.reserve_tasks(static_cast<std::size_t>(parts) + 2);
  if (problem.in_place) builder.set_in_place();
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (int j = 0; j < problem.size; ++j) {
    if (j == problem.rank) continue;
    recv[at(j)] = cut_block(Space::recv, problem.recv[at(j)], segment, builder);
    if (!problem.in_place) {
      send[at(j)] = cut_block(Space::send, problem.send[at(j)], segment, builder);
      continue;
    }
    for (const BlockId part : recv[at(j)]) {
      builder.set_filled(part);
      from.push_back(part);
      to.push_back(send[at(j)].emplace_back(builder.transit(builder.bytes(part))));
    }
  }
  if (!from.empty()) builder.copy(from, to);
}

void copy_own_block(const Problem& problem, ScheduleBuilder& builder) {
  const BlockShape& from = problem.send[at(problem.rank)];
  const BlockShape& to = problem.recv[at(problem.rank)];
  if (problem.in_place || from.layout->size() == 0) return;
  const BlockId source = builder.block(Space::send, from.offset, *from.layout);
  const BlockId target = builder.block(Space::recv, to.offset, *to.layout);
  builder.copy({&source, 1}, {&target, 1});
}

/// Adds messages of one size to a prediction.
void add_messages(const CostModel& costs, Prediction& prediction, std::int64_t messages, std::int64_t bytes,
                  Nearness nearness) {
  if (messages <= 0 || bytes <= 0) return;
  Prediction one;
  costs.add_message(one, 1, bytes, SentData::cold, nearness);
  prediction.rounds += messages;
  prediction.blocks += messages;
  prediction.bytes += messages * bytes;
  prediction.nanoseconds += static_cast<double>(messages) * one.nanoseconds;
}

/// Adds `each` messages with every other rank to a prediction.
void add_messages(const Problem& problem, Prediction& prediction, std::int64_t each, std::int64_t bytes) {
  const std::int64_t near = problem.fewest_near;
  add_messages(problem.costs, prediction, each * near, bytes, Nearness::near);
  add_messages(problem.costs, prediction, each * (problem.size - 1 - near), bytes, Nearness::far);
}

/// Returns the nanoseconds to add for blocks that stay on the node. Lanes have no room for all parts of a long block at
/// once, and slots copy each part as they would copy it within the block. So the parts take as long as the block
/// itself, and not as long as that many short messages.
double cut_in_memory(const Problem& problem, const Segments& segments, std::int64_t rest) {
  const auto time = [&](std::int64_t bytes) {
    return bytes > 0 ? problem.costs.message(bytes, 1, SentData::cold, Nearness::near) : 0.0;
  };
  const double parts = static_cast<double>(segments.count) * time(segments.bytes) + time(rest);
  return problem.fewest_near * std::max(0.0, time(problem.largest) - parts);
}

void add_phases(const CostModel& costs, Prediction& prediction, std::int64_t phases) {
  for (std::int64_t phase = 0; phase < phases; ++phase) costs.add_phase(prediction);
}

}  // namespace

AntiCirculant::AntiCirculant(int rank, std::vector<int> shuffled_ranks)
    : rank_(at(rank)),
      ranks_(std::move(shuffled_ranks)),
      place_(static_cast<std::size_t>(std::ranges::find(ranks_, rank) - ranks_.begin())) {}

Segments segments_of(const Problem& problem) {
  const std::int64_t wanted = problem.options.segment;
  if (wanted < 1)
    throw Error(MPI_ERR_INFO_VALUE, "segment: is " + std::to_string(wanted) + ", must be at least 1 byte");
  const std::int64_t bytes = std::max(wanted, rounded_up(problem.largest, kMostSegments));
  return {bytes, static_cast<int>(problem.largest / bytes)};
}

void build_scatter(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve_tasks(2 * at(problem.size));
  const Blocks blocks(problem, builder);
  const std::vector<int> ranks = get_shuffled_ranks(problem.size, problem.options.seed);
  builder.begin_exchange();
  for (const int source : ranks) {
    const BlockId incoming = blocks.recv[at(source)];
    if (source != problem.rank && builder.bytes(incoming) > 0) builder.receive(source, 0, {&incoming, 1});
  }
  for (const int target : ranks) {
    const BlockId outgoing = blocks.send[at(target)];
    if (target != problem.rank && builder.bytes(outgoing) > 0) builder.send(target, 0, {&outgoing, 1});
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(1);
}

void build_randomized(const Problem& problem, Queue queue, int exchanges, ScheduleBuilder& builder) {
  limit(queue, exchanges, builder);
  builder.reserve_tasks(2 * at(problem.size));
  const Blocks blocks(problem, builder);
  const AntiCirculant matrix = matrix_of(problem);
  for (int i = 0; i < problem.size; ++i) {
    const int target = matrix.send_to(i);
    const int source = matrix.receive_from(i);
    // Begin the exchange even if the rank would send to itself, which happens in another iteration on each rank, so
    // that exchanges are numbered alike.
    builder.begin_exchange();
    if (target == problem.rank) continue;
    const BlockId incoming = blocks.recv[at(source)];
    const BlockId outgoing = blocks.send[at(target)];
    if (builder.bytes(incoming) > 0) builder.receive(source, 0, {&incoming, 1});
    if (builder.bytes(outgoing) > 0) builder.send(target, 0, {&outgoing, 1});
  }
  copy_to_self(problem, blocks, builder);
  builder.reserve_tags(1);
}

void build_segmented(const Problem& problem, Queue queue, int exchanges, ScheduleBuilder& builder) {
  const Segments segments = segments_of(problem);
  limit(queue, exchanges, builder);
  const CutBlocks blocks(problem, segments.bytes, builder);
  const AntiCirculant matrix = matrix_of(problem);

  // A segment's tag is its number: two messages of a pair may be posted in different orders at its ends.
  const auto whole = [&](const std::vector<BlockId>& block, std::size_t segment) {
    return segment < block.size() && builder.bytes(block[segment]) == segments.bytes;
  };
  for (int segment = 0; segment < segments.count; ++segment) {
    const auto s = static_cast<std::size_t>(segment);
    const auto tag = static_cast<std::uint32_t>(segment);
    for (int i = 0; i < problem.size; ++i) {
      const int target = matrix.send_to(i);
      const int source = matrix.receive_from(i);
      builder.begin_exchange();
      if (target == problem.rank) continue;
      if (whole(blocks.send[at(target)], s)) builder.send(target, tag, {&blocks.send[at(target)][s], 1});
      if (whole(blocks.recv[at(source)], s)) builder.receive(source, tag, {&blocks.recv[at(source)][s], 1});
    }
    if (queue == Queue::batches) builder.end_batch();
  }

  // The trailing alltoall of the blocks' rests: algorithm 1, all of it one exchange of the queue.
  const auto tag = static_cast<std::uint32_t>(segments.count);
  const auto has_rest = [&](const std::vector<BlockId>& block) {
    return !block.empty() && builder.bytes(block.back()) < segments.bytes;
  };
  builder.begin_exchange();
  for (const int source : matrix.ranks()) {
    const std::vector<BlockId>& block = blocks.recv[at(source)];
    if (has_rest(block)) builder.receive(source, tag, {&block.back(), 1});
  }
  for (const int target : matrix.ranks()) {
    const std::vector<BlockId>& block = blocks.send[at(target)];
    if (has_rest(block)) builder.send(target, tag, {&block.back(), 1});
  }
  copy_own_block(problem, builder);
  builder.reserve_tags(tag + 1);
}

Prediction predict_segmented(const Problem& problem, Queue queue, int exchanges) {
  const Segments segments = segments_of(problem);
  const std::int64_t others = problem.size - 1;
  const std::int64_t rest = problem.largest - segments.count * segments.bytes;
  Prediction prediction;
  add_messages(problem, prediction, segments.count, segments.bytes);
  add_phases(problem.costs, prediction,
             queue == Queue::batches ? segments.count * rounded_up(others, exchanges)
                                     : rounded_up(others * segments.count, exchanges));
  add_messages(problem, prediction, 1, rest);
  if (others > 0 && rest > 0) problem.costs.add_phase(prediction);
  prediction.nanoseconds += cut_in_memory(problem, segments, rest);
  return prediction;
}

}  // namespace rondo::internal::dense
