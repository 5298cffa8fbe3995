#include "collectives/check_dense_at_init.hpp"

#include "collectives/dense_definition.hpp"
#include "collectives/gathered_blocks.hpp"
#include "collectives/gathered_check.hpp"

#include <functional>
#include <vector>

namespace rondo {
namespace {

/// Messages number a block as its sender does. In place the block that stays is nobody's affair.
std::vector<Arrival> arrivals_of(int p, bool in_place) {
  std::vector<Arrival> arrivals;
  for (int target = 0; target < p; ++target) {
    for (int source = 0; source < p; ++source) {
      if (in_place && source == target) continue;
      const auto to = static_cast<std::size_t>(target);
      arrivals.push_back({source, to, target, static_cast<std::size_t>(source), to});
    }
  }
  return arrivals;
}

}  // namespace

void check_dense_at_init(const Schedule& schedule, const CheckedDense& checked, MPI_Comm comm) {
  const int p = checked.context.size();
  const bool in_place = checked.call.in_place();
  const auto write = [&](ByteWriter& writer) {
    const DenseShapes shapes(checked);
    write_blocks(writer, schedule, {checked.call.sent(), shapes.send.blocks, {}},
                 {checked.call.recv, shapes.recv.blocks, {}});
  };
  const auto judge = [&](std::span<const ByteReader> readers) {
    const GatheredBlocks ranks(readers, p, p);
    ranks.check_receives();
    const CollectiveDefinition definition{dense_definition(ranks.blocks(), in_place)};
    ranks.check_types(arrivals_of(p, in_place));
    ranks.check_schedules(definition);
  };
  check_together(std::ref(write), std::ref(judge), comm);
}

}  // namespace rondo
