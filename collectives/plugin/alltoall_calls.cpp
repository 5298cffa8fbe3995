// The plug-in's dense alltoalls.
#include "collectives/dense_collective.hpp"
#include "collectives/plugin/call_sizes.hpp"
#include "collectives/plugin/comparison.hpp"
#include "collectives/plugin/decision.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/requested_call.hpp"
#include "collectives/plugin/take_or_pass.hpp"

#include <functional>
#include <memory>

using namespace rondo;
using namespace rondo::plugin;

namespace {

/// Bytes of every block, as all ranks know them; -1 where blocks may differ. Wrong arguments are looked at later.
std::int64_t block_bytes(const DenseCall& call) {
  const CallSide& sent = call.sent();
  MPI_Count size = 0;
  if (!sent.regular || sent.types[0] == MPI_DATATYPE_NULL || MPI_Type_size_x(sent.types[0], &size) != MPI_SUCCESS)
    return -1;
  return size * sent.counts[0];
}

/// `why(bytes)`: the reason to leave a call with such blocks to MPI, which holds for as long as the communicator lives.
template <typename Why>
bool is_passed_for(ReplacedCall what, MPI_Comm comm, std::int64_t bytes, Why why) {
  if (!is_passed_once(what, why(bytes))) return false;
  if (CallReport::wanted() == nullptr)
    remember_passed(what, comm, why(kShortestBlock) == nullptr ? PassedBlocks::long_ones : PassedBlocks::all);
  return true;
}

/// Whether a call is left to MPI by what is known of its kind and its communicator.
bool is_passed(ReplacedCall what, const DenseCall& call, MPI_Comm comm) {
  if (is_passed_always(what)) return true;
  int inter = 0;
  if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
    return is_passed_once(what, "no communicator");
  if (inter != 0) return is_passed_on_comm(what, comm, "intercommunicator");
  const std::int64_t bytes = block_bytes(call);
  if (is_long_block(bytes) && passed_comms(what, PassedBlocks::long_ones).contains(comm)) return true;
  return is_passed_for(what, comm, bytes, [&](std::int64_t size) { return reason_to_pass_dense(what, comm, size); });
}

/// The same with what all its ranks know.
bool is_passed(ReplacedCall what, const DenseCall& call, MPI_Comm comm, const DenseContext& context) {
  return is_passed_for(what, comm, block_bytes(call),
                       [&](std::int64_t size) { return reason_to_pass(what, context, size); });
}

void run_on(ReplacedCall what, const DenseCall& call, const std::shared_ptr<DenseContext>& context) {
  CallReport* const report = CallReport::wanted();
  if (report == nullptr) {
    run_dense(call, context);
    return;
  }
  const auto since = CallReport::Clock::now();
  const auto look = [&](const Operation& operation) {
    report->took(what, sent_bytes(call.sent(), context->size()), operation.algorithm(),
                 CallReport::Clock::now() - since);
  };
  run_dense(call, context, std::ref(look));
}

template <typename Make, typename Pass>
int run(ReplacedCall what, MPI_Comm comm, Make make, Pass pass) {
  const auto take = [&](const DenseCall& call) {
    if (is_passed(what, call, comm)) return false;
    const std::shared_ptr<DenseContext> context = DenseContext::ready(comm);
    if (is_passed(what, call, comm, *context)) return false;
    run_on(what, call, context);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

/// In the background as ever; otherwise all messages must be under way from the start, as other ranks may wait for them
/// while this one is in a function of MPI's, where no round of ours would begin.
void keep_others_going(Settings& settings) {
  if (in_background()) return;
  settings.algorithm = "direct";
  settings.ports = 0;
  settings.progress = ProgressMode::inlined;
}

template <typename Make, typename Pass>
int start(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, Pass pass) {
  const auto take = [&](const DenseCall& call) {
    if (is_passed(what, call, comm)) return false;
    const std::shared_ptr<DenseContext> context = DenseContext::find_ready(comm);
    // It cannot be made ready here: nonblocking calls wait for nobody.
    if (is_passed_once(what, context == nullptr ? "no blocking call on the communicator before" : nullptr))
      return false;
    if (is_passed(what, call, comm, *context)) return false;
    require(request, "request");
    Settings settings = context->settings();
    keep_others_going(settings);
    const auto begin = [&] { return start_dense(call, context, settings); };
    RequestedCall::start({what, comm, sent_bytes(call.sent(), context->size())}, std::ref(begin), request);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

template <typename Make, typename Pass>
int init(ReplacedCall what, MPI_Comm comm, MPI_Request* request, Make make, Pass pass) {
  const auto take = [&](const DenseCall& call) {
    if (is_passed(what, call, comm)) return false;
    const std::shared_ptr<DenseContext> context = DenseContext::ready(comm);
    if (is_passed(what, call, comm, *context)) return false;
    const auto steps = [&](DenseCall& completed, Settings& settings) {
      require(request, "request");
      keep_others_going(settings);
      completed = call;
    };
    RequestedCall::make({what, comm, sent_bytes(call.sent(), context->size())},
                        init_dense(call.name, *context, std::ref(steps)), request);
    return true;
  };
  return take_or_pass(what, comm, make, take, pass);
}

}  // namespace

extern "C" {

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  return run(
      ReplacedCall::alltoall, comm,
      [&] {
        return DenseCall{"MPI_Alltoall", CallSide::alltoall("send", sendbuf, sendcount, sendtype),
                         CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
      },
      [&] { return original_mpi().alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run(
      ReplacedCall::alltoallv, comm,
      [&] {
        return DenseCall{"MPI_Alltoallv", CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
                         CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
      },
      [&] {
        return original_mpi().alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                        comm);
      });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm) {
  return run(
      ReplacedCall::alltoallw, comm,
      [&] {
        return DenseCall{"MPI_Alltoallw", CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
                         CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
      },
      [&] {
        return original_mpi().alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                        recvtypes, comm);
      });
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start(
      ReplacedCall::ialltoall, comm, request,
      [&] {
        return DenseCall{"MPI_Ialltoall", CallSide::alltoall("send", sendbuf, sendcount, sendtype),
                         CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
      },
      [&] {
        return original_mpi().ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
      });
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request* request) {
  return start(
      ReplacedCall::ialltoallv, comm, request,
      [&] {
        return DenseCall{"MPI_Ialltoallv", CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
                         CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
      },
      [&] {
        return original_mpi().ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                         comm, request);
      });
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm, MPI_Request* request) {
  return start(
      ReplacedCall::ialltoallw, comm, request,
      [&] {
        return DenseCall{"MPI_Ialltoallw", CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
                         CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
      },
      [&] {
        return original_mpi().ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                         recvtypes, comm, request);
      });
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return init(
      ReplacedCall::alltoall_init, comm, request,
      [&] {
        return DenseCall{"MPI_Alltoall_init", CallSide::alltoall("send", sendbuf, sendcount, sendtype),
                         CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
      },
      [&] {
        return original_mpi().alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                            request);
      });
}

int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  return init(
      ReplacedCall::alltoallv_init, comm, request,
      [&] {
        return DenseCall{"MPI_Alltoallv_init", CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
                         CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
      },
      [&] {
        return original_mpi().alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                             recvtype, comm, info, request);
      });
}

int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                       void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return init(
      ReplacedCall::alltoallw_init, comm, request,
      [&] {
        return DenseCall{"MPI_Alltoallw_init", CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
                         CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
      },
      [&] {
        return original_mpi().alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                             recvtypes, comm, info, request);
      });
}
}
