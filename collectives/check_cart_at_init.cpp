#include "collectives/check_cart_at_init.hpp"

#include "collectives/allgather_definition.hpp"
#include "collectives/gathered_blocks.hpp"
#include "collectives/gathered_check.hpp"
#include "collectives/reduction_definition.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace rondo {
namespace {

/// A side with one block has it for all neighbors.
std::vector<Arrival> arrivals_of(const CheckedCall& checked) {
  const Neighborhood& neighborhood = checked.context.neighborhood();
  std::vector<Arrival> arrivals;
  for (int rank = 0; rank < checked.context.grid().size(); ++rank) {
    const Grid seen_from = checked.context.grid().seen_from(rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      if (source == kNoRank) continue;
      const auto index = static_cast<std::size_t>(i);
      arrivals.push_back(
          {source, checked.sent_blocks() == 1 ? 0 : index, rank, checked.received_blocks() == 1 ? 0 : index, index});
    }
  }
  return arrivals;
}

CollectiveDefinition definition_of(const CheckedCall& checked, std::span<const BlocksOfRank> ranks) {
  const Grid& grid = checked.context.grid();
  const Neighborhood& neighborhood = checked.context.neighborhood();
  if (neighborhood.size() == 0) return {};
  switch (checked.call.collective) {
    case CartCollective::alltoall:
      return {alltoall_definition(grid, neighborhood, ranks)};
    case CartCollective::allgather: {
      std::vector<GatheredBlocksOfRank> blocks;
      for (const BlocksOfRank& rank : ranks) blocks.push_back({rank.send[0], rank.recv});
      return {allgather_definition(grid, neighborhood, blocks)};
    }
    case CartCollective::reduce:
    case CartCollective::scatter_reduce:
      break;
  }
  const bool scatters = checked.call.collective == CartCollective::scatter_reduce;
  std::vector<VectorsOfRank> vectors;
  for (const BlocksOfRank& rank : ranks) vectors.push_back({rank.send, rank.recv[0]});
  ReductionDefinition definition = reduction_definition(
      grid, neighborhood, scatters ? ReductionKind::scatter_reduce : ReductionKind::reduce, vectors);
  return {std::move(definition.placements), std::move(definition.combinations)};
}

}  // namespace

void check_cart_at_init(const Schedule& schedule, const CheckedCall& checked, MPI_Comm comm) {
  const auto write = [&](ByteWriter& writer) {
    const CallShapes shapes(checked);
    write_blocks(writer, schedule, {checked.call.send, shapes.send.blocks, checked.existing_targets()},
                 {checked.call.recv, shapes.recv.blocks, checked.existing_sources()});
  };
  const auto judge = [&](std::span<const ByteReader> readers) {
    const GatheredBlocks ranks(readers, checked.sent_blocks(), checked.received_blocks());
    ranks.check_receives();
    const CollectiveDefinition definition = definition_of(checked, ranks.blocks());
    ranks.check_types(arrivals_of(checked));
    ranks.check_schedules(definition);
  };
  check_together(std::ref(write), std::ref(judge), comm);
}

}  // namespace rondo
