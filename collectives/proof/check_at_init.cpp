#include "collectives/proof/check_at_init.hpp"

#include "collectives/proof/gathered_blocks.hpp"
#include "collectives/proof/gathered_check.hpp"

namespace rondo::internal {

void check_at_init(const Schedule& schedule, const CheckedCall& checked, const ArrivalsOfAll& arrivals, MPI_Comm comm) {
  const auto write = [&](ByteWriter& writer) {
    arrivals.tell(writer);
    write_blocks(writer, schedule, checked);
  };
  const auto judge = [&](std::span<const ByteReader> readers) {
    std::vector<ByteReader> told(readers.begin(), readers.end());
    const std::vector<Arrival> all = arrivals.find(told);
    const GatheredBlocks ranks(told);
    if (arrivals.barrier) {
      ranks.check_barrier();
      return;
    }
    ranks.check_receives();
    const Definition definition = definition_of(all, ranks.blocks());
    ranks.check_types(all);
    ranks.check_schedules(definition);
  };
  check_together(std::ref(write), std::ref(judge), comm);
}

}  // namespace rondo::internal
