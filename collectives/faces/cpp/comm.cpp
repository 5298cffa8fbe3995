// The C++ interface: Comm.
#include <rondo/comm.hpp>
#include <rondo/error.hpp>

#include "collectives/binding/make_operation.hpp"
#include "collectives/faces/cpp/dense_requests.hpp"
#include "collectives/faces/cpp/element_sides.hpp"
#include "datatypes/reading/mpi_running.hpp"

namespace rondo {

using namespace internal;

namespace {

Call dense_call(const char* name, const ElementBuffer& send, const ElementBuffer& recv, const int& count) {
  return {name, Collective::alltoall, regular_side("send", send, count), regular_side("recv", recv, count)};
}

Call dense_call(const char* name, const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                const BlockPlaces& recv_places) {
  return {name, Collective::alltoall, irregular_side("send", send, send_places),
          irregular_side("recv", recv, recv_places)};
}

Call dense_call(const char* name, std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  return {name, Collective::alltoall, block_side("send", send), block_side("recv", recv)};
}

Call dense_call(const char* name, InPlace, std::span<const RecvBlock> blocks) {
  Call call = dense_call(name, std::span<const SendBlock>(), blocks);
  call.send.buffer = MPI_IN_PLACE;
  return call;
}

}  // namespace

Comm::Comm(MPI_Comm comm, const Options& options) {
  const std::exception_ptr trouble = trouble_in([&] {
    if (options.reorder) throw Error(MPI_ERR_ARG, "reorder: is true, must be false: processes keep their ranks");
  });
  context_ = named("Comm", [&] { return DenseContext::separate(comm, {.options = &options}, trouble); });
}

const std::shared_ptr<DenseContext>& Comm::context() const {
  require_mpi("Comm");
  if (context_ == nullptr) throw Error(MPI_ERR_COMM, "Comm: was moved from");
  return context_;
}

int Comm::rank() const { return context()->rank(); }

int Comm::size() const { return context()->size(); }

void Comm::alltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_dense(dense_call("Comm::alltoall", send, recv, count), context());
}

Request Comm::ialltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return start(dense_call("Comm::ialltoall", send, recv, count), context());
}

Request Comm::alltoall_init(const ElementBuffer& send, const ElementBuffer& recv, int count, const Options& options) {
  constexpr const char* kName = "Comm::alltoall_init";
  return init(dense_call(kName, send, recv, count), context(), options);
}

void Comm::alltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                     const BlockPlaces& recv_places) {
  run_dense(dense_call("Comm::alltoallv", send, send_places, recv, recv_places), context());
}

Request Comm::ialltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                         const BlockPlaces& recv_places) {
  return start(dense_call("Comm::ialltoallv", send, send_places, recv, recv_places), context());
}

Request Comm::alltoallv_init(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                             const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "Comm::alltoallv_init";
  return init(dense_call(kName, send, send_places, recv, recv_places), context(), options);
}

void Comm::alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  run_dense(dense_call("Comm::alltoallw", send, recv), context());
}

Request Comm::ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  return start(dense_call("Comm::ialltoallw", send, recv), context());
}

Request Comm::alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv, const Options& options) {
  constexpr const char* kName = "Comm::alltoallw_init";
  return init(dense_call(kName, send, recv), context(), options);
}

void Comm::alltoallw(InPlace, std::span<const RecvBlock> blocks) {
  run_dense(dense_call("Comm::alltoallw", in_place, blocks), context());
}

Request Comm::ialltoallw(InPlace, std::span<const RecvBlock> blocks) {
  return start(dense_call("Comm::ialltoallw", in_place, blocks), context());
}

Request Comm::alltoallw_init(InPlace, std::span<const RecvBlock> blocks, const Options& options) {
  constexpr const char* kName = "Comm::alltoallw_init";
  return init(dense_call(kName, in_place, blocks), context(), options);
}

}  // namespace rondo
