// The plug-in's neighborhood collectives.
#include "collectives/calls/blocking_call.hpp"
#include "collectives/operations/cart_collective.hpp"
#include "collectives/operations/edge_collective.hpp"
#include "collectives/plugin/choice/call_sizes.hpp"
#include "collectives/plugin/choice/reasons_to_pass.hpp"
#include "collectives/plugin/choice/topology.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/take_or_pass.hpp"

#include <memory>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// A Cartesian call that is the same as one on a graph with isomorphic neighborhoods; its blocks lie where the graph's
/// lists have their neighbors.
Call on_neighborhood(const Call& call, const NeighborhoodContext& neighborhood) {
  const GraphOrder& order = neighborhood.graph_order();
  Call same = call;
  same.recv.places = order.sources.data();
  if (!call.sends_one_block()) same.send.places = order.targets.data();
  return same;
}

/// Blocks all of which have one size, as all ranks know: the Cartesian algorithms are for them.
bool has_cartesian_algorithms(const TopologyContext& context, const Call& call) {
  return context.neighborhood() != nullptr && call.send.regular && call.recv.regular;
}

/// By any algorithm.
std::unique_ptr<Operation> start_by_any(const Call& call, TopologyContext& context) {
  if (!has_cartesian_algorithms(context, call)) return start_edges(call, context.edges);
  return start_cart(on_neighborhood(call, *context.neighborhood()), *context.neighborhood());
}

struct NeighborCalls {
  /// A missing topology is MPI's to complain of.
  static bool is_passed(ReplacedCall what, const Call& /*call*/, MPI_Comm comm) {
    if (is_passed_always(what)) return true;
    if (comm == MPI_COMM_NULL || !has_topology(comm)) return is_passed_once(what, "no topology");
    return is_passed_on_comm(what, comm, reason_to_pass_on(comm));
  }
  /// Collective if the call may have Cartesian algorithms and may wait: the first such call looks for a neighborhood.
  static bool is_passed(ReplacedCall what, const Call& call, MPI_Comm comm, TopologyContext& context) {
    const bool may_look = is_persistent(what) ? in_background() : !is_nonblocking(what);
    if (may_look && wanted(what) != Wanted::pass && call.send.regular && call.recv.regular)
      context.look_for_neighborhood(comm);
    return is_passed_on_comm(what, comm, reason_to_pass(what, context));
  }
  /// The first blocking call on a communicator with a topology makes it ready.
  static bool is_passed_yet(ReplacedCall /*what*/, const Call& /*call*/, MPI_Comm /*comm*/) { return false; }
  static void leave_until_ready(ReplacedCall what, const Call& /*call*/, MPI_Comm /*comm*/) {
    static_cast<void>(is_passed_once(what, "no earlier blocking call on the communicator"));
  }
  static bool stays_with_mpi(const Call& /*call*/, MPI_Comm /*comm*/) { return false; }

  static TopologyContext* context_of(MPI_Comm comm) {
    TopologyContext* context = TopologyContext::find(comm);
    return context != nullptr ? context : &TopologyContext::attach(comm);
  }
  static TopologyContext* find_context(MPI_Comm comm) {
    return comm == MPI_COMM_NULL ? nullptr : TopologyContext::find(comm);
  }
  static std::int64_t sent_bytes(const Call& call, const TopologyContext& context) {
    return bytes_of(call.send, call.sent_blocks(static_cast<int>(context.edges.lists().targets.size())));
  }

  static void run(const Call& call, TopologyContext* context, const LookAtComplete& look, MpisTurn& /*never*/) {
    finish_blocking(start_by_any(call, *context), look);
  }
  // In the background any algorithm will do. Otherwise all messages must be under way from the start, as other ranks
  // may wait for them while this one is in a function of MPI's, where no round of ours would begin.
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

extern "C" {

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<NeighborCalls>(
      ReplacedCall::neighbor_alltoall, comm,
      [&] {
        return alltoall_call("MPI_Neighbor_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
      },
      [&] {
        return original_mpi().neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                           void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                           MPI_Comm comm) {
  return plugin::run<NeighborCalls>(
      ReplacedCall::neighbor_alltoallv, comm,
      [&] {
        return alltoallv_call("MPI_Neighbor_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype);
      },
      [&] {
        return original_mpi().neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                                 recvtype, comm);
      });
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return plugin::run<NeighborCalls>(
      ReplacedCall::neighbor_alltoallw, comm,
      [&] {
        return alltoallw_call("MPI_Neighbor_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                              rdispls, recvtypes);
      },
      [&] {
        return original_mpi().neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                                 recvtypes, comm);
      });
}

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<NeighborCalls>(
      ReplacedCall::neighbor_allgather, comm,
      [&] {
        return allgather_call("MPI_Neighbor_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
      },
      [&] {
        return original_mpi().neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<NeighborCalls>(
      ReplacedCall::neighbor_allgatherv, comm,
      [&] {
        return allgatherv_call("MPI_Neighbor_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                               recvtype);
      },
      [&] {
        return original_mpi().neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                                  comm);
      });
}

int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<NeighborCalls>(
      ReplacedCall::ineighbor_alltoall, comm, request,
      [&] {
        return alltoall_call("MPI_Ineighbor_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
      },
      [&] {
        return original_mpi().ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                                 request);
      });
}

int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Request* request) {
  return plugin::start<NeighborCalls>(
      ReplacedCall::ineighbor_alltoallv, comm, request,
      [&] {
        return alltoallv_call("MPI_Ineighbor_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype);
      },
      [&] {
        return original_mpi().ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                                  recvtype, comm, request);
      });
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request* request) {
  return plugin::start<NeighborCalls>(
      ReplacedCall::ineighbor_alltoallw, comm, request,
      [&] {
        return alltoallw_call("MPI_Ineighbor_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                              rdispls, recvtypes);
      },
      [&] {
        return original_mpi().ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                                  recvtypes, comm, request);
      });
}

int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<NeighborCalls>(
      ReplacedCall::ineighbor_allgather, comm, request,
      [&] {
        return allgather_call("MPI_Ineighbor_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
      },
      [&] {
        return original_mpi().ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                                  request);
      });
}

int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return plugin::start<NeighborCalls>(
      ReplacedCall::ineighbor_allgatherv, comm, request,
      [&] {
        return allgatherv_call("MPI_Ineighbor_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                               recvtype);
      },
      [&] {
        return original_mpi().ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                                   comm, request);
      });
}

int MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<NeighborCalls>(
      ReplacedCall::neighbor_alltoall_init, comm, request,
      [&] {
        return alltoall_call("MPI_Neighbor_alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
      },
      [&] {
        return original_mpi().neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                                     info, request);
      });
}

int MPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                                void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<NeighborCalls>(
      ReplacedCall::neighbor_alltoallv_init, comm, request,
      [&] {
        return alltoallv_call("MPI_Neighbor_alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                              recvcounts, rdispls, recvtype);
      },
      [&] {
        return original_mpi().neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                                      rdispls, recvtype, comm, info, request);
      });
}

int MPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                MPI_Request* request) {
  return plugin::init<NeighborCalls>(
      ReplacedCall::neighbor_alltoallw_init, comm, request,
      [&] {
        return alltoallw_call("MPI_Neighbor_alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                              recvcounts, rdispls, recvtypes);
      },
      [&] {
        return original_mpi().neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                                      rdispls, recvtypes, comm, info, request);
      });
}

int MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<NeighborCalls>(
      ReplacedCall::neighbor_allgather_init, comm, request,
      [&] {
        return allgather_call("MPI_Neighbor_allgather_init", sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype);
      },
      [&] {
        return original_mpi().neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                                      info, request);
      });
}

int MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, MPI_Request* request) {
  return plugin::init<NeighborCalls>(
      ReplacedCall::neighbor_allgatherv_init, comm, request,
      [&] {
        return allgatherv_call("MPI_Neighbor_allgatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                               displs, recvtype);
      },
      [&] {
        return original_mpi().neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                       recvtype, comm, info, request);
      });
}
}
