#include "collectives/plugin/choice/decision.hpp"

#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/comms_of_mpi.hpp"
#include "collectives/plugin/choice/frequent_comms.hpp"
#include "collectives/plugin/choice/where_mpi_is_better.hpp"
#include "collectives/plugin/choice/world_choice.hpp"

#include <algorithm>
#include <limits>

namespace rondo::internal::plugin {
namespace {

/// Returns why a dense call is left to MPI on a communicator with these facts; null if it is not.
const char* reason_to_leave(ReplacedCall call, const DenseFacts& facts) {
  const Wanted how = wanted(call);
  if (how == Wanted::leave) return why_unwanted(call);
  if (!is_wrong_in_mpi(call) && facts.processes <= 1) return "one process";
  if (how == Wanted::take || in_background()) return nullptr;
  return why_mpi_is_better(call, facts);
}

/// Returns what all ranks know of a communicator. `context`: null if it is not ready.
DenseFacts facts_of(int processes, BlockSize blocks, const DenseContext* context) {
  const WorldFacts& world = world_facts();
  if (context == nullptr) return {processes, blocks, world.shares_cores, world.on_one_node};
  const CommState& state = *context->calls().on();
  return {processes, blocks, world.shares_cores && state.ranks_per_core() > 1,
          world.on_one_node && state.counts_on_lanes()};
}

}  // namespace

bool carry_out(const Decision& decision, ReplacedCall call, MPI_Comm comm) {
  if (decision.takes()) return true;
  if (CallReport* const report = CallReport::wanted()) {
    report->left(call, decision.why);
    return false;
  }
  switch (decision.alike) {
    case Alike::none:
    case Alike::until_ready:
    case Alike::arguments:  // remembered after the call, as its arguments may be wrong
      break;
    case Alike::block_size:
      remember_left(call, comm, decision.blocks);
      break;
    case Alike::comm:
      remember_left(call, comm);
      break;
    case Alike::kind:
      // relaxed: see goes_unchecked_to_mpi()
      unchecked_kinds[static_cast<std::size_t>(call)].store(true, std::memory_order_relaxed);
  }
  return false;
}

const char* reason_to_leave_kind(ReplacedCall call) {
  if (const char* why = reason_to_leave_everything()) return why;
  const Wanted how = wanted(call);
  if (how == Wanted::leave) return why_unwanted(call);
  if (how == Wanted::take || is_neighborhood(call) || in_background()) return nullptr;
  // Rondo may be better for some number of processes and size of blocks.
  const WorldFacts& world = world_facts();
  if (may_be_better(call, world.shares_cores, world.on_one_node)) return nullptr;
  return why_mpi_is_better(call, facts_of(std::numeric_limits<int>::max(), BlockSize::large, nullptr));
}

Decision decide_on_blocks(ReplacedCall call, MPI_Comm comm, int processes, BlockSize blocks,
                          const DenseContext* context) {
  if (comms_of_mpi(call, blocks).contains(comm)) return leave_to_mpi("as an earlier call was");
  const auto why = [&](BlockSize size) { return reason_to_leave(call, facts_of(processes, size, context)); };
  const char* const reason = why(blocks);
  if (reason == nullptr) return kTake;
  if (std::ranges::all_of(kBlockSizes, [&](BlockSize size) { return why(size) != nullptr; }))
    return leave_to_mpi(reason, Alike::comm);
  return {.why = reason, .alike = Alike::block_size, .blocks = blocks};
}

const char* reason_to_wait(ReplacedCall call, MPI_Comm comm, int processes, BlockSize blocks) {
  const WorldFacts& world = world_facts();
  if (wanted(call) != Wanted::automatic || in_background() || !world.on_one_node || is_persistent(call)) return nullptr;
  if (why_mpi_is_better(call, {processes, blocks, world.shares_cores, false}) == nullptr) return nullptr;
  // In Open MPI one thread that makes a communicator may keep another from doing so.
  if (world.has_threads) return "several threads may make communicators";
  return is_frequent(comm) ? nullptr : "few calls on the communicator so far";
}

const char* reason_to_leave(ReplacedCall call, const TopologyContext& context) {
  const Wanted how = wanted(call);
  if (how == Wanted::leave) return why_unwanted(call);
  if (how == Wanted::take || in_background()) return nullptr;
  const EdgeContext& edges = context.edges;
  // Only these calls search for a neighborhood, before they come here: what is remembered of a call must not change.
  const bool may_be_cartesian = call == ReplacedCall::neighbor_alltoall || call == ReplacedCall::neighbor_allgather;
  return why_mpi_is_better(call, TopologyFacts{edges.most_edges(), edges.has_parallel_edges(),
                                               may_be_cartesian && context.neighborhood() != nullptr,
                                               edges.ranks_per_core() > 1, edges.is_all_in_lanes()});
}

}  // namespace rondo::internal::plugin
