// The C interface: the dense alltoall.
#include <rondo/comm.h>

#include "collectives/c_errors.hpp"
#include "collectives/dense_collective.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

using namespace rondo;

namespace {

DenseCall alltoall_call(const char* name, const void* sendbuf, const int& sendcount, const MPI_Datatype& sendtype,
                        void* recvbuf, const int& recvcount, const MPI_Datatype& recvtype) {
  return {name, CallSide::alltoall("send", sendbuf, sendcount, sendtype),
          CallSide::alltoall("recv", recvbuf, recvcount, recvtype)};
}

DenseCall alltoallv_call(const char* name, const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype& sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype& recvtype) {
  return {name, CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
          CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)};
}

DenseCall alltoallw_call(const char* name, const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[]) {
  return {name, CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
          CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)};
}

int run(const DenseCall& call, MPI_Comm comm) {
  return guarded(comm, call.name, [&] { run_dense(call, DenseContext::ready(comm)); });
}

int start(const DenseCall& call, MPI_Comm comm, Rondo_Request* request) {
  return guarded(comm, call.name, [&] {
    const std::shared_ptr<DenseContext> context = DenseContext::of(comm);
    context->begin(comm);
    require(request, "request");
    *request = RONDO_REQUEST_NULL;
    ReservedRequest reserved;
    *request = reserved.fill(start_dense(call, context));
  });
}

int init(const DenseCall& call, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return guarded(comm, call.name, [&] {
    if (request != nullptr) *request = RONDO_REQUEST_NULL;
    const std::shared_ptr<DenseContext> context = DenseContext::ready(comm);
    std::optional<ReservedRequest> reserved;
    const auto steps = [&](DenseCall& completed, Settings& settings) {
      settings.take_assertions(info);
      require(request, "request");
      settings.take(info);
      completed = call;
      reserved.emplace();
    };
    std::unique_ptr<Operation> operation = init_dense(call.name, *context, std::ref(steps));
    *request = reserved->fill(std::move(operation));
  });
}

}  // namespace

int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info) {
  return guarded(comm, "Rondo_Comm_prepare", [&] {
    const auto steps = [&](Settings& settings) {
      settings.take_assertions(info);
      settings.take(info);
    };
    DenseContext::prepare(comm, std::ref(steps));
  });
}

int Rondo_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm) {
  return run(alltoall_call("Rondo_Alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm);
}

int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start(alltoall_call("Rondo_Ialltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm,
               request);
}

int Rondo_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init(alltoall_call("Rondo_Alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm,
              info, request);
}

int Rondo_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run(
      alltoallv_call("Rondo_Alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
      comm);
}

int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     Rondo_Request* request) {
  return start(alltoallv_call("Rondo_Ialltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype),
               comm, request);
}

int Rondo_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init(alltoallv_call("Rondo_Alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                             rdispls, recvtype),
              comm, info, request);
}

int Rondo_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                    MPI_Comm comm) {
  return run(alltoallw_call("Rondo_Alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                            recvtypes),
             comm);
}

int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                     void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm, Rondo_Request* request) {
  return start(alltoallw_call("Rondo_Ialltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes),
               comm, request);
}

int Rondo_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init(alltoallw_call("Rondo_Alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                             rdispls, recvtypes),
              comm, info, request);
}
