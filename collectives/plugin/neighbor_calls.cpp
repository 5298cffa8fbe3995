// The plug-in's neighborhood collectives.
#include "collectives/calls/blocking_call.hpp"
#include "collectives/operations/cart_collective.hpp"
#include "collectives/operations/edge_collective.hpp"
#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/decision.hpp"
#include "collectives/plugin/choice/left_comms.hpp"
#include "collectives/plugin/choice/topology.hpp"
#include "collectives/plugin/choice/world_choice.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/take_or_leave.hpp"

#include <memory>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// Returns the Cartesian call that equals `call` on a graph with isomorphic neighborhoods. Its blocks are placed in the
/// order of the graph's lists.
Call on_neighborhood(const Call& call, const NeighborhoodContext& neighborhood) {
  const GraphOrder& order = neighborhood.graph_order();
  Call same = call;
  same.recv.places = order.sources.data();
  if (!call.sends_one_block()) same.send.places = order.targets.data();
  return same;
}

/// Returns whether all blocks have one size, as all ranks know: the Cartesian algorithms need that.
bool has_cartesian_algorithms(const TopologyContext& context, const Call& call) {
  return context.neighborhood() != nullptr && call.send.regular && call.recv.regular;
}

/// Starts a call by a Cartesian algorithm if there is one, otherwise along the edges.
std::unique_ptr<Operation> start_by_any(const Call& call, TopologyContext& context) {
  if (!has_cartesian_algorithms(context, call)) return start_edges(call, context.edges);
  return start_cart(on_neighborhood(call, *context.neighborhood()), *context.neighborhood());
}

struct NeighborCalls {
  using Context = TopologyContext*;

  /// Decides on a call, and finds or makes the context if Rondo takes it. A call without a topology is left to MPI,
  /// which reports the error. Collective if the call may wait: the first one on a communicator makes it ready, and the
  /// first one that may have Cartesian algorithms searches for a neighborhood.
  static Decision decide(ReplacedCall what, const Call& call, MPI_Comm comm, Context& context) {
    context = comm == MPI_COMM_NULL ? nullptr : TopologyContext::find(comm);
    if (context == nullptr) {
      if (const char* why = reason_to_leave_kind(what)) return leave_to_mpi(why, Alike::kind);
      if (comm == MPI_COMM_NULL || !has_topology(comm)) return leave_to_mpi("no topology");
      if (const char* why = reason_to_leave_comm(comm)) return leave_to_mpi(why, Alike::comm);
      if (is_nonblocking(what)) return leave_until_ready("no earlier blocking call on the communicator");
      context = &TopologyContext::attach(comm);
    }
    const bool may_look = is_persistent(what) ? in_background() : !is_nonblocking(what);
    if (may_look && wanted(what) != Wanted::leave && call.send.regular && call.recv.regular)
      context->look_for_neighborhood(comm);
    if (const char* why = reason_to_leave(what, *context)) return leave_to_mpi(why, Alike::comm);
    return kTake;
  }
  static std::int64_t sent_bytes(const Call& call, const TopologyContext& context) {
    return bytes_of(call.send, call.sent_blocks(static_cast<int>(context.edges.lists().targets.size())));
  }

  static void run(const Call& call, TopologyContext* context, const LookAtComplete& look, MpisTurn& /*never*/) {
    finish_blocking(start_by_any(call, *context), look);
  }
  // Starts a call by any algorithm if progress is in the background. Otherwise all messages must be under way from the
  // start: other ranks may wait for them while this one is in a function of MPI, where no round of Rondo would begin.
  static std::unique_ptr<Operation> start(const Call& call, TopologyContext* context) {
    return in_background() ? start_by_any(call, *context) : start_edges(call, context->edges);
  }
  static std::unique_ptr<Operation> init(const Call& call, TopologyContext* context,
                                         const std::exception_ptr& trouble) {
    if (!in_background() || !has_cartesian_algorithms(*context, call)) return init_edges(call, context->edges, trouble);
    return init_cart(on_neighborhood(call, *context->neighborhood()), *context->neighborhood(), {}, trouble);
  }
};

}  // namespace

#define RONDO_FUNCTIONS "collectives/plugin/neighbor_functions.inc"
#include "collectives/plugin/both_widths.inc"
