// Direct alltoall: ICPP 2019, section 3, listing 4 (the trivial algorithm), with all exchanges in flight at once, or as
// many as there are ports: EuroMPI 2015, section 5.1.
#include "collectives/cart_alltoall/algorithms.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::internal::alltoall {
namespace {

/// Returns the neighbors in the order of their exchanges. If sizes are known and ports few, the largest blocks go
/// first, so that blocks of about one size go side by side. If sizes are unknown, returns list order, because ranks
/// could not sort alike.
std::vector<int> exchange_order(const Problem& problem) {
  std::vector<int> order(static_cast<std::size_t>(problem.facts.neighborhood().size()));
  std::iota(order.begin(), order.end(), 0);
  if (problem.ports > 0 && problem.uniform) {
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](int i) { return problem.sizes[static_cast<std::size_t>(i)]; });
  }
  return order;
}

}  // namespace

void build_direct(const Problem& problem, ScheduleBuilder& builder) {
  const Blocks blocks(problem, builder);
  const Grid& grid = problem.grid;
  const Neighborhood& hood = problem.facts.neighborhood();
  const int t = hood.size();
  std::vector<int> to_self;
  if (problem.ports > 0) builder.set_window(static_cast<std::uint32_t>(problem.ports));
  builder.reserve_tasks(2 * static_cast<std::size_t>(t) + 1);
  for (const int i : exchange_order(problem)) {
    const int target = grid.relative_rank(hood[i]);
    const int source = grid.relative_rank(hood[i], -1);
    if (target == grid.rank()) {
      to_self.push_back(i);
      continue;
    }
    // Only the sender and the receiver of a block know its size: block i of other ranks may be larger or empty, and it
    // is empty if there is no neighbor.
    const auto tag = static_cast<std::uint32_t>(i);
    const auto index = static_cast<std::size_t>(i);
    builder.begin_exchange();
    if (builder.bytes(blocks.send[index]) > 0) builder.send(target, tag, {&blocks.send[index], 1});
    if (builder.bytes(blocks.recv[index]) > 0) builder.receive(source, tag, {&blocks.recv[index], 1});
  }
  copy_to_self(blocks, to_self, builder);
  builder.reserve_tags(static_cast<std::uint32_t>(t));
}

Prediction predict_direct(const Problem& problem) {
  const FoldedNeighborhood& folded = problem.facts.folded();
  std::vector<bool> moves;
  for (std::size_t v = 0; v < folded.size(); ++v)
    moves.push_back(std::ranges::any_of(folded[v], [](int residue) { return residue != 0; }));
  const std::vector<std::int64_t> bytes = travelling_bytes(problem);
  Prediction prediction;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t v = folded.vector_of()[i];
    if (!moves[v] || bytes[i] == 0) continue;
    add_message(prediction, problem.costs, problem.near, folded[v], 1, bytes[i]);
  }
  problem.costs.add_windows(prediction, problem.ports);
  return prediction;
}

}  // namespace rondo::internal::alltoall
