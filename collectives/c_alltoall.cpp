// The C interface: alltoall.
#include <rondo/rondo.h>

#include "collectives/c_errors.hpp"
#include "collectives/cart_alltoall.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <optional>
#include <utility>

using namespace rondo;

namespace {

void start_into(Rondo_Request* request, const AlltoallCall& call, MPI_Comm comm) {
  require(request, "request");
  *request = RONDO_REQUEST_NULL;
  ReservedRequest reserved;
  *request = reserved.fill(start_alltoall(call, comm));
}

void init_into(Rondo_Request* request, const AlltoallCall& call, MPI_Comm comm, MPI_Info info) {
  if (request != nullptr) *request = RONDO_REQUEST_NULL;
  std::optional<ReservedRequest> reserved;
  const auto steps = [&](AlltoallCall& completed, Settings& settings) {
    settings.take_assertions(info);
    require(request, "request");
    settings.take(info);
    completed = call;
    reserved.emplace();
  };
  std::unique_ptr<Operation> operation = init_alltoall(call.name, comm, std::ref(steps));
  *request = reserved->fill(std::move(operation));
}

}  // namespace

int Rondo_Cart_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return guarded(cartcomm, "Rondo_Cart_alltoall", [&] {
    run_alltoall({"Rondo_Cart_alltoall", CallSide::alltoall("send", sendbuf, sendcount, sendtype),
                  CallSide::alltoall("recv", recvbuf, recvcount, recvtype)},
                 cartcomm);
  });
}

int Rondo_Cart_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm cartcomm) {
  return guarded(cartcomm, "Rondo_Cart_alltoallv", [&] {
    run_alltoall({"Rondo_Cart_alltoallv", CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
                  CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)},
                 cartcomm);
  });
}

int Rondo_Cart_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm) {
  return guarded(cartcomm, "Rondo_Cart_alltoallw", [&] {
    run_alltoall({"Rondo_Cart_alltoallw", CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
                  CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)},
                 cartcomm);
  });
}

int Rondo_Icart_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request) {
  return guarded(cartcomm, "Rondo_Icart_alltoall", [&] {
    start_into(request,
               {"Rondo_Icart_alltoall", CallSide::alltoall("send", sendbuf, sendcount, sendtype),
                CallSide::alltoall("recv", recvbuf, recvcount, recvtype)},
               cartcomm);
  });
}

int Rondo_Icart_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                          MPI_Comm cartcomm, Rondo_Request* request) {
  return guarded(cartcomm, "Rondo_Icart_alltoallv", [&] {
    start_into(request,
               {"Rondo_Icart_alltoallv", CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
                CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)},
               cartcomm);
  });
}

int Rondo_Icart_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                          Rondo_Request* request) {
  return guarded(cartcomm, "Rondo_Icart_alltoallw", [&] {
    start_into(request,
               {"Rondo_Icart_alltoallw", CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
                CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)},
               cartcomm);
  });
}

int Rondo_Cart_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return guarded(cartcomm, "Rondo_Cart_alltoall_init", [&] {
    init_into(request,
              {"Rondo_Cart_alltoall_init", CallSide::alltoall("send", sendbuf, sendcount, sendtype),
               CallSide::alltoall("recv", recvbuf, recvcount, recvtype)},
              cartcomm, info);
  });
}

int Rondo_Cart_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                              void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                              MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return guarded(cartcomm, "Rondo_Cart_alltoallv_init", [&] {
    init_into(request,
              {"Rondo_Cart_alltoallv_init", CallSide::alltoallv("send", sendbuf, sendcounts, sdispls, sendtype),
               CallSide::alltoallv("recv", recvbuf, recvcounts, rdispls, recvtype)},
              cartcomm, info);
  });
}

int Rondo_Cart_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                              MPI_Info info, Rondo_Request* request) {
  return guarded(cartcomm, "Rondo_Cart_alltoallw_init", [&] {
    init_into(request,
              {"Rondo_Cart_alltoallw_init", CallSide::alltoallw("send", sendbuf, sendcounts, sdispls, sendtypes),
               CallSide::alltoallw("recv", recvbuf, recvcounts, rdispls, recvtypes)},
              cartcomm, info);
  });
}
