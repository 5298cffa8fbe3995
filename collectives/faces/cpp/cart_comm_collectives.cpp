// The C++ interface: the collectives of CartComm.
#include <rondo/cart_comm.hpp>

#include "collectives/faces/cpp/element_sides.hpp"
#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/cart_collective.hpp"

namespace rondo {

using namespace internal;

namespace {

Call regular_call(const char* name, Collective collective, const ElementBuffer& send, const ElementBuffer& recv,
                  const int& count, MPI_Op op = MPI_OP_NULL) {
  return {name, collective, regular_side("send", send, count), regular_side("recv", recv, count), op};
}

Call irregular_call(const char* name, const ElementBuffer& send, const BlockPlaces& send_places,
                    const ElementBuffer& recv, const BlockPlaces& recv_places) {
  return {name, Collective::alltoall, irregular_side("send", send, send_places),
          irregular_side("recv", recv, recv_places)};
}

Call block_call(const char* name, std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  return {name, Collective::alltoall, block_side("send", send), block_side("recv", recv)};
}

Call gathering_call(const char* name, const ElementBuffer& send, const int& count, const ElementBuffer& recv,
                    const BlockPlaces& recv_places) {
  return {name, Collective::allgather, regular_side("send", send, count), irregular_side("recv", recv, recv_places)};
}

Call gathering_call(const char* name, const SendBlock& send, std::span<const RecvBlock> recv) {
  return {name, Collective::allgather, single_side("send", send), block_side("recv", recv)};
}

Call reducing_call(const char* name, std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op) {
  return {name, Collective::scatter_reduce, block_side("send", send), single_side("recv", recv), op};
}

Request start(const Call& call, NeighborhoodContext& context) {
  return Request(started_request([&] { return start_cart(call, context); }));
}

Request init(const Call& call, NeighborhoodContext& context, const Options& options) {
  const auto operation = [&](const std::exception_ptr& trouble) {
    return init_cart(call, context, {.options = &options}, trouble);
  };
  return Request(persistent_request([] {}, operation));
}

}  // namespace

void CartComm::alltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_cart(regular_call("CartComm::alltoall", Collective::alltoall, send, recv, count), context());
}

Request CartComm::ialltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return start(regular_call("CartComm::ialltoall", Collective::alltoall, send, recv, count), context());
}

Request CartComm::alltoall_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                const Options& options) {
  constexpr const char* kName = "CartComm::alltoall_init";
  return init(regular_call(kName, Collective::alltoall, send, recv, count), context(), options);
}

void CartComm::alltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                         const BlockPlaces& recv_places) {
  run_cart(irregular_call("CartComm::alltoallv", send, send_places, recv, recv_places), context());
}

Request CartComm::ialltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                             const BlockPlaces& recv_places) {
  return start(irregular_call("CartComm::ialltoallv", send, send_places, recv, recv_places), context());
}

Request CartComm::alltoallv_init(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                                 const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "CartComm::alltoallv_init";
  return init(irregular_call(kName, send, send_places, recv, recv_places), context(), options);
}

void CartComm::alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  run_cart(block_call("CartComm::alltoallw", send, recv), context());
}

Request CartComm::ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  return start(block_call("CartComm::ialltoallw", send, recv), context());
}

Request CartComm::alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                                 const Options& options) {
  constexpr const char* kName = "CartComm::alltoallw_init";
  return init(block_call(kName, send, recv), context(), options);
}

int CartComm::checked_length(std::size_t elements) { return length_as_count(elements); }

void CartComm::allgather(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_cart(regular_call("CartComm::allgather", Collective::allgather, send, recv, count), context());
}

Request CartComm::iallgather(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return start(regular_call("CartComm::iallgather", Collective::allgather, send, recv, count), context());
}

Request CartComm::allgather_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                 const Options& options) {
  constexpr const char* kName = "CartComm::allgather_init";
  return init(regular_call(kName, Collective::allgather, send, recv, count), context(), options);
}

void CartComm::allgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv,
                          const BlockPlaces& recv_places) {
  run_cart(gathering_call("CartComm::allgatherv", send, count, recv, recv_places), context());
}

Request CartComm::iallgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv,
                              const BlockPlaces& recv_places) {
  return start(gathering_call("CartComm::iallgatherv", send, count, recv, recv_places), context());
}

Request CartComm::allgatherv_init(const ElementBuffer& send, int count, const ElementBuffer& recv,
                                  const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "CartComm::allgatherv_init";
  return init(gathering_call(kName, send, count, recv, recv_places), context(), options);
}

void CartComm::allgatherw(const SendBlock& send, std::span<const RecvBlock> recv) {
  run_cart(gathering_call("CartComm::allgatherw", send, recv), context());
}

Request CartComm::iallgatherw(const SendBlock& send, std::span<const RecvBlock> recv) {
  return start(gathering_call("CartComm::iallgatherw", send, recv), context());
}

Request CartComm::allgatherw_init(const SendBlock& send, std::span<const RecvBlock> recv, const Options& options) {
  constexpr const char* kName = "CartComm::allgatherw_init";
  return init(gathering_call(kName, send, recv), context(), options);
}

void CartComm::reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  run_cart(regular_call("CartComm::reduce", Collective::reduce, send, recv, count, op), context());
}

Request CartComm::ireduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  return start(regular_call("CartComm::ireduce", Collective::reduce, send, recv, count, op), context());
}

Request CartComm::reduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                              const Options& options) {
  constexpr const char* kName = "CartComm::reduce_init";
  return init(regular_call(kName, Collective::reduce, send, recv, count, op), context(), options);
}

void CartComm::scatter_reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  run_cart(regular_call("CartComm::scatter_reduce", Collective::scatter_reduce, send, recv, count, op), context());
}

Request CartComm::iscatter_reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  return start(regular_call("CartComm::iscatter_reduce", Collective::scatter_reduce, send, recv, count, op), context());
}

Request CartComm::scatter_reduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                                      const Options& options) {
  constexpr const char* kName = "CartComm::scatter_reduce_init";
  return init(regular_call(kName, Collective::scatter_reduce, send, recv, count, op), context(), options);
}

void CartComm::scatter_reduce(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op) {
  run_cart(reducing_call("CartComm::scatter_reduce", send, recv, op), context());
}

Request CartComm::iscatter_reduce(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op) {
  return start(reducing_call("CartComm::iscatter_reduce", send, recv, op), context());
}

Request CartComm::scatter_reduce_init(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op,
                                      const Options& options) {
  constexpr const char* kName = "CartComm::scatter_reduce_init";
  return init(reducing_call(kName, send, recv, op), context(), options);
}

}  // namespace rondo
