// The plug-in's neighborhood collectives.
#include "collectives/cart_collective.hpp"
#include "collectives/edge_collective.hpp"
#include "collectives/plugin/call_sizes.hpp"
#include "collectives/plugin/decision.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/requested_call.hpp"
#include "collectives/plugin/take_or_pass.hpp"
#include "collectives/plugin/topology.hpp"

#include <functional>
#include <memory>

using namespace rondo;
using namespace rondo::plugin;

namespace {

/// Whether a call is left to MPI by what is known of its kind and its communicator. A missing topology is MPI's to
/// complain of.
bool is_passed(ReplacedCall what, MPI_Comm comm) {
  if (is_passed_always(what)) return true;
  if (comm == MPI_COMM_NULL || !has_topology(comm)) return is_passed_once(what, "no topology");
  return is_passed_on_comm(what, comm, is_foreign(comm) ? kForeign : nullptr);
}

TopologyContext& context_of(MPI_Comm comm) {
  TopologyContext* context = TopologyContext::find(comm);
  return context != nullptr ? *context : TopologyContext::attach(comm, MPI_COMM_NULL);
}

/// A Cartesian call that is the same as one on a graph with isomorphic neighborhoods; its blocks lie where the graph's
/// lists have their neighbors.
CartCall on_neighborhood(const EdgeCall& call, const CommContext& neighborhood) {
  const GraphOrder& order = neighborhood.graph_order();
  CartCall same{call.name, call.gathers ? CartCollective::allgather : CartCollective::alltoall, call.send, call.recv};
  same.recv.places = order.sources.data();
  if (!call.gathers) same.send.places = order.targets.data();
  return same;
}

/// Blocks all of which have one size, as all ranks know: the Cartesian algorithms are for them.
bool has_cartesian_algorithms(const TopologyContext& context, const EdgeCall& call) {
  return context.neighborhood != nullptr && call.send.regular && call.recv.regular;
}

std::int64_t bytes_of(const EdgeCall& call, const EdgeContext& edges) {
  return sent_bytes(call.send, call.gathers ? 1 : static_cast<int>(edges.lists().targets.size()));
}

std::unique_ptr<Operation> start_on(TopologyContext& context, const EdgeCall& call) {
  if (!has_cartesian_algorithms(context, call)) return start_edges(call, context.edges);
  return start_collective(on_neighborhood(call, *context.neighborhood), *context.neighborhood);
}

void run_on(ReplacedCall what, TopologyContext& context, const EdgeCall& call) {
  CallReport* const report = CallReport::wanted();
  const auto since = report == nullptr ? CallReport::Clock::time_point{} : CallReport::Clock::now();
  std::unique_ptr<Operation> operation = start_on(context, call);
  operation->wait();
  if (report != nullptr)
    report->took(what, bytes_of(call, context.edges), operation->algorithm(), CallReport::Clock::now() - since);
  retire(std::move(operation));
}

template <typename Make, typename Pass>
int run(ReplacedCall what, MPI_Comm comm, Make make, Pass pass) {
  const auto take = [&](const EdgeCall& call) {
    if (is_passed(what, comm)) return false;
    TopologyContext& context = context_of(comm);
    if (is_passed_on_comm(what, comm, reason_to_pass(what, context))) return false;
    run_on(what, context, call);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

/// In the background any algorithm will do. Otherwise all messages must be under way from the start, as other ranks may
/// wait for them while this one is in a function of MPI's, where no round of ours would begin.
template <typename Make, typename Pass>
int start(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, Pass pass) {
  const auto take = [&](const EdgeCall& call) {
    if (is_passed(what, comm)) return false;
    TopologyContext* const context = TopologyContext::find(comm);
    // It cannot be made here: nonblocking calls wait for nobody.
    if (is_passed_once(what, context == nullptr ? "the communicator's making was not seen" : nullptr)) return false;
    if (is_passed_on_comm(what, comm, reason_to_pass(what, *context))) return false;
    require(request, "request");
    const auto begin = [&] { return in_background() ? start_on(*context, call) : start_edges(call, context->edges); };
    RequestedCall::start({what, comm, bytes_of(call, context->edges)}, std::ref(begin), request);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

std::unique_ptr<Operation> init_on(TopologyContext& context, const EdgeCall& call) {
  if (!in_background() || !has_cartesian_algorithms(context, call)) return init_edges(call, context.edges);
  const auto steps = [&](CartCall& completed, Settings&) { completed = on_neighborhood(call, *context.neighborhood); };
  return init_collective(call.name, *context.neighborhood, std::ref(steps));
}

template <typename Make, typename Pass>
int init(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, Pass pass) {
  const auto take = [&](const EdgeCall& call) {
    if (is_passed(what, comm)) return false;
    TopologyContext& context = context_of(comm);
    if (is_passed_on_comm(what, comm, reason_to_pass(what, context))) return false;
    require(request, "request");
    RequestedCall::make({what, comm, bytes_of(call, context.edges)}, init_on(context, call), request);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

EdgeCall alltoall_call(const char* name, const void* sendbuf, const int& sendcount, const MPI_Datatype& sendtype,
                       void* recvbuf, const int& recvcount, const MPI_Datatype& recvtype) {
  return {name, false, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
}

EdgeCall alltoallv_call(const char* name, const void* sendbuf, const int sendcounts[], const int sdispls[],
                        const MPI_Datatype& sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                        const MPI_Datatype& recvtype) {
  return {name, false, CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
          CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
}

EdgeCall alltoallw_call(const char* name, const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                        const MPI_Datatype recvtypes[]) {
  return {name, false, CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
          CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
}

EdgeCall allgather_call(const char* name, const void* sendbuf, const int& sendcount, const MPI_Datatype& sendtype,
                        void* recvbuf, const int& recvcount, const MPI_Datatype& recvtype) {
  return {name, true, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
}

EdgeCall allgatherv_call(const char* name, const void* sendbuf, const int& sendcount, const MPI_Datatype& sendtype,
                         void* recvbuf, const int recvcounts[], const int displs[], const MPI_Datatype& recvtype) {
  return {name, true, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoallv("recv", recvbuf, recvcounts, displs, recvtype)};
}

}  // namespace

extern "C" {

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm) {
  return run(
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
  return run(
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
  return run(
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
  return run(
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
  return run(
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
  return start(
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
  return start(
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
  return start(
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
  return start(
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
  return start(
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
  return init(
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
  return init(
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
  return init(
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
  return init(
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
  return init(
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
