// Direct allgather: ICPP 2019, section 3, listing 4 (the trivial algorithm) with one block for all targets, with all
// exchanges in flight at once, or as many as there are ports: EuroMPI 2015, section 5.1.
#include "collectives/cart_allgather/algorithms.hpp"

#include <algorithm>

namespace rondo::internal::allgather {

void build_direct(const Problem& problem, ScheduleBuilder& builder) {
  const Grid& grid = problem.grid;
  const Neighborhood& hood = problem.facts.neighborhood();
  const int t = hood.size();
  if (problem.ports > 0) builder.set_window(static_cast<std::uint32_t>(problem.ports));
  const BlockId own = builder.block(Space::send, problem.send.offset, *problem.send.layout);
  std::vector<int> targets;
  for (int i = 0; i < t; ++i) targets.push_back(grid.relative_rank(hood[i]));
  const auto messages =
      std::ranges::count_if(targets, [&](int target) { return target != kNoRank && target != grid.rank(); });
  const BlockId sent = block_to_send(problem, own, static_cast<std::size_t>(messages), builder);

  std::vector<int> to_self;
  for (int i = 0; i < t; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (targets[index] == grid.rank()) {
      to_self.push_back(i);
      continue;
    }
    builder.begin_exchange();
    // Only the sender and the receivers of a block know its size: blocks of other ranks may be larger or empty.
    const auto tag = static_cast<std::uint32_t>(i);
    if (targets[index] != kNoRank && builder.bytes(sent) > 0) builder.send(targets[index], tag, {&sent, 1});
    const int source = grid.relative_rank(hood[i], -1);
    const BlockShape& shape = problem.recv[index];
    if (source == kNoRank || shape.layout->size() == 0) continue;
    const BlockId received = builder.block(Space::recv, shape.offset, *shape.layout);
    builder.receive(source, tag, {&received, 1});
  }
  copy_to_self(problem, own, to_self, builder);
  builder.reserve_tags(static_cast<std::uint32_t>(t));
}

Prediction predict_direct(const Problem& problem) {
  const std::int64_t bytes = largest_block(problem);
  Prediction prediction;
  if (bytes == 0) return prediction;
  const FoldedNeighborhood& folded = problem.facts.folded();
  const auto is_zero = [](int residue) { return residue == 0; };
  for (const std::uint32_t v : folded.vector_of()) {
    if (!problem.grid.reaches(folded[v])) continue;
    if (std::ranges::all_of(folded[v], is_zero))
      problem.costs.add_copies(prediction, 1, bytes);
    else
      add_message(prediction, problem.costs, problem.near, folded[v], 1, bytes, SentData::warm);
  }
  problem.costs.add_windows(prediction, problem.ports);
  return prediction;
}

}  // namespace rondo::internal::allgather
