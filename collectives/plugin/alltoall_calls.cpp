// The plug-in's dense alltoalls.
#include "collectives/operations/dense_collective.hpp"
#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/call_sizes.hpp"
#include "collectives/plugin/choice/reasons_to_pass.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/take_or_pass.hpp"

#include <algorithm>
#include <memory>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// Of every block, as all ranks know it. Wrong arguments are looked at later.
BlockSize blocks_of(const Call& call) {
  const CallSide& sent = call.sent();
  MPI_Count size = 0;
  if (!sent.regular || sent.types[0] == MPI_DATATYPE_NULL || MPI_Type_size_x(sent.types[0], &size) != MPI_SUCCESS)
    return BlockSize::large;
  return block_size(size * sent.counts[0], longest_medium_block());
}

/// `why(blocks)`: the reason to leave a call with such blocks to MPI, which holds for as long as the communicator
/// lives.
template <typename Why>
bool is_passed_for(ReplacedCall what, MPI_Comm comm, BlockSize blocks, Why why) {
  if (!is_passed_once(what, why(blocks))) return false;
  if (CallReport::wanted() != nullptr) return true;
  if (std::ranges::all_of(kBlockSizes, [&](BlockSize other) { return why(other) != nullptr; }))
    remember_passed(what, comm);
  else
    remember_passed(what, comm, blocks);
  return true;
}

/// Those of a context for persistent and nonblocking calls: in the background as ever; otherwise all messages must be
/// under way from the start, as other ranks may wait for them while this one is in a function of MPI's, where no round
/// of ours would begin.
Settings keeping_others_going(const DenseContext& context) {
  Settings settings = context.settings();
  if (in_background()) return settings;
  settings.algorithm = "direct";
  settings.ports = 0;
  settings.progress = ProgressMode::inlined;
  return settings;
}

struct DenseCalls {
  using Context = std::shared_ptr<DenseContext>;

  static bool is_passed(ReplacedCall what, const Call& call, MPI_Comm comm) {
    if (is_passed_always(what)) return true;
    int inter = 0;
    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
      return is_passed_once(what, "no communicator");
    if (inter != 0) return is_passed_on_comm(what, comm, "intercommunicator");
    const BlockSize blocks = blocks_of(call);
    if (passed_comms(what, blocks).contains(comm)) return true;
    return is_passed_for(what, comm, blocks, [&](BlockSize size) { return reason_to_pass_dense(what, comm, size); });
  }
  static bool is_passed(ReplacedCall what, const Call& call, MPI_Comm comm, const DenseContext& context) {
    const BlockSize blocks = blocks_of(call);
    if (passed_comms(what, blocks).contains(comm)) return true;
    return is_passed_for(what, comm, blocks, [&](BlockSize size) { return reason_to_pass(what, context, size); });
  }
  static bool is_passed_yet(ReplacedCall what, const Call& call, MPI_Comm comm) {
    return is_passed_once(what, reason_to_pass_yet(what, comm, blocks_of(call)));
  }

  static Context context_of(MPI_Comm comm) { return DenseContext::ready(comm, "the first dense alltoall"); }
  static Context find_context(MPI_Comm comm) { return DenseContext::find_ready(comm); }
  static constexpr const char* kNotReady = "no earlier blocking call on the communicator";
  static std::int64_t sent_bytes(const Call& call, const DenseContext& context) {
    return bytes_of(call.sent(), context.size());
  }

  static void run(const Call& call, const Context& context, const LookAtComplete& look) {
    run_dense(call, context, look);
  }
  static std::unique_ptr<Operation> start(const Call& call, const Context& context) {
    return start_dense(call, context, keeping_others_going(*context));
  }
  static std::unique_ptr<Operation> init(const Call& call, const Context& context, const std::exception_ptr& trouble) {
    const Settings settings = keeping_others_going(*context);
    return init_dense(call, context, {.instead = &settings}, trouble);
  }
};

}  // namespace

extern "C" {

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::alltoall, comm,
      [&] { return alltoall_call("MPI_Alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] { return original_mpi().alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::alltoallv, comm,
      [&] {
        return alltoallv_call("MPI_Alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype);
      },
      [&] {
        return original_mpi().alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                        comm);
      });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::alltoallw, comm,
      [&] {
        return alltoallw_call("MPI_Alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes);
      },
      [&] {
        return original_mpi().alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                        recvtypes, comm);
      });
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ialltoall, comm, request,
      [&] { return alltoall_call("MPI_Ialltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] {
        return original_mpi().ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
      });
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ialltoallv, comm, request,
      [&] {
        return alltoallv_call("MPI_Ialltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype);
      },
      [&] {
        return original_mpi().ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                         comm, request);
      });
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ialltoallw, comm, request,
      [&] {
        return alltoallw_call("MPI_Ialltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes);
      },
      [&] {
        return original_mpi().ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                         recvtypes, comm, request);
      });
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::alltoall_init, comm, request,
      [&] { return alltoall_call("MPI_Alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] {
        return original_mpi().alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                            request);
      });
}

int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::alltoallv_init, comm, request,
      [&] {
        return alltoallv_call("MPI_Alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype);
      },
      [&] {
        return original_mpi().alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                             recvtype, comm, info, request);
      });
}

int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                       void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::alltoallw_init, comm, request,
      [&] {
        return alltoallw_call("MPI_Alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                              rdispls, recvtypes);
      },
      [&] {
        return original_mpi().alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                             recvtypes, comm, info, request);
      });
}
}
