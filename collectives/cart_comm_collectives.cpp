// The C++ interface: the collectives of CartComm.
#include <rondo/cart_comm.hpp>
#include <rondo/error.hpp>

#include "collectives/cart_collective.hpp"
#include "collectives/element_sides.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace rondo {
namespace {

struct AlltoallwArrays {
  AlltoallwArrays(std::span<const SendBlock> send_blocks, std::span<const RecvBlock> recv_blocks)
      : send("send", send_blocks), recv("recv", recv_blocks) {}
  [[nodiscard]] CartCall call(const char* name) const {
    return {name, CartCollective::alltoall, send.call_side(), recv.call_side()};
  }

  BlockArrays<SendBlock> send;
  BlockArrays<RecvBlock> recv;
};

CartCall regular_call(const char* name, CartCollective collective, const ElementBuffer& send, const ElementBuffer& recv,
                      const int& count, MPI_Op op = MPI_OP_NULL) {
  return {name, collective, regular_side("send", send, count), regular_side("recv", recv, count), op};
}

CartCall irregular_call(const char* name, const ElementBuffer& send, const BlockPlaces& send_places,
                        const ElementBuffer& recv, const BlockPlaces& recv_places) {
  return {name, CartCollective::alltoall, irregular_side("send", send, send_places),
          irregular_side("recv", recv, recv_places)};
}

CartCall allgatherv_call(const char* name, const ElementBuffer& send, const int& count, const ElementBuffer& recv,
                         const BlockPlaces& recv_places) {
  return {name, CartCollective::allgather, regular_side("send", send, count),
          irregular_side("recv", recv, recv_places)};
}

/// A side of one block, given by address.
template <typename Block>
CallSide single_side(const char* side, const Block& block) {
  return CallSide::alltoall(side, block.address, block.count, block.type);
}

/// `make_call` is called where what it throws is told to all ranks.
template <typename MakeCall>
Rondo_Request init(const char* name, CommContext& context, const Options& options, MakeCall make_call) {
  std::optional<ReservedRequest> reserved;
  const auto steps = [&](CartCall& call, Settings& settings) {
    settings.take(options);
    call = make_call();
    reserved.emplace();
  };
  std::unique_ptr<Operation> operation = init_collective(name, context, std::ref(steps));
  return reserved->fill(std::move(operation));
}

Rondo_Request start(const CartCall& call, CommContext& context) {
  ReservedRequest reserved;
  return reserved.fill(start_collective(call, context));
}

}  // namespace

void CartComm::alltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_collective(regular_call("CartComm::alltoall", CartCollective::alltoall, send, recv, count), context());
}

Request CartComm::ialltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return Request(start(regular_call("CartComm::ialltoall", CartCollective::alltoall, send, recv, count), context()));
}

Request CartComm::alltoall_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                const Options& options) {
  constexpr const char* kName = "CartComm::alltoall_init";
  return Request(init(kName, context(), options,
                      [&] { return regular_call(kName, CartCollective::alltoall, send, recv, count); }));
}

void CartComm::alltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                         const BlockPlaces& recv_places) {
  run_collective(irregular_call("CartComm::alltoallv", send, send_places, recv, recv_places), context());
}

Request CartComm::ialltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                             const BlockPlaces& recv_places) {
  return Request(start(irregular_call("CartComm::ialltoallv", send, send_places, recv, recv_places), context()));
}

Request CartComm::alltoallv_init(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                                 const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "CartComm::alltoallv_init";
  return Request(
      init(kName, context(), options, [&] { return irregular_call(kName, send, send_places, recv, recv_places); }));
}

void CartComm::alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  const AlltoallwArrays arrays(send, recv);
  run_collective(arrays.call("CartComm::alltoallw"), context());
}

Request CartComm::ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  const AlltoallwArrays arrays(send, recv);
  return Request(start(arrays.call("CartComm::ialltoallw"), context()));
}

Request CartComm::alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                                 const Options& options) {
  constexpr const char* kName = "CartComm::alltoallw_init";
  std::optional<AlltoallwArrays> arrays;
  return Request(init(kName, context(), options, [&] { return arrays.emplace(send, recv).call(kName); }));
}

int CartComm::checked_length(std::size_t elements) {
  if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(MPI_ERR_COUNT, "send: has " + std::to_string(elements) + " elements, must be at most " +
                                   std::to_string(std::numeric_limits<int>::max()));
  }
  return static_cast<int>(elements);
}

void CartComm::allgather(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_collective(regular_call("CartComm::allgather", CartCollective::allgather, send, recv, count), context());
}

Request CartComm::iallgather(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return Request(start(regular_call("CartComm::iallgather", CartCollective::allgather, send, recv, count), context()));
}

Request CartComm::allgather_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                 const Options& options) {
  constexpr const char* kName = "CartComm::allgather_init";
  return Request(init(kName, context(), options,
                      [&] { return regular_call(kName, CartCollective::allgather, send, recv, count); }));
}

void CartComm::allgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv,
                          const BlockPlaces& recv_places) {
  run_collective(allgatherv_call("CartComm::allgatherv", send, count, recv, recv_places), context());
}

Request CartComm::iallgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv,
                              const BlockPlaces& recv_places) {
  return Request(start(allgatherv_call("CartComm::iallgatherv", send, count, recv, recv_places), context()));
}

Request CartComm::allgatherv_init(const ElementBuffer& send, int count, const ElementBuffer& recv,
                                  const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "CartComm::allgatherv_init";
  return Request(
      init(kName, context(), options, [&] { return allgatherv_call(kName, send, count, recv, recv_places); }));
}

void CartComm::allgatherw(const SendBlock& send, std::span<const RecvBlock> recv) {
  const BlockArrays<RecvBlock> arrays("recv", recv);
  run_collective({"CartComm::allgatherw", CartCollective::allgather, single_side("send", send), arrays.call_side()},
                 context());
}

Request CartComm::iallgatherw(const SendBlock& send, std::span<const RecvBlock> recv) {
  const BlockArrays<RecvBlock> arrays("recv", recv);
  return Request(start(
      {"CartComm::iallgatherw", CartCollective::allgather, single_side("send", send), arrays.call_side()}, context()));
}

Request CartComm::allgatherw_init(const SendBlock& send, std::span<const RecvBlock> recv, const Options& options) {
  constexpr const char* kName = "CartComm::allgatherw_init";
  std::optional<BlockArrays<RecvBlock>> arrays;
  return Request(init(kName, context(), options, [&]() -> CartCall {
    arrays.emplace("recv", recv);
    return {kName, CartCollective::allgather, single_side("send", send), arrays->call_side()};
  }));
}

void CartComm::reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  run_collective(regular_call("CartComm::reduce", CartCollective::reduce, send, recv, count, op), context());
}

Request CartComm::ireduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  return Request(start(regular_call("CartComm::ireduce", CartCollective::reduce, send, recv, count, op), context()));
}

Request CartComm::reduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                              const Options& options) {
  constexpr const char* kName = "CartComm::reduce_init";
  return Request(init(kName, context(), options,
                      [&] { return regular_call(kName, CartCollective::reduce, send, recv, count, op); }));
}

void CartComm::scatter_reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  run_collective(regular_call("CartComm::scatter_reduce", CartCollective::scatter_reduce, send, recv, count, op),
                 context());
}

Request CartComm::iscatter_reduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  return Request(start(regular_call("CartComm::iscatter_reduce", CartCollective::scatter_reduce, send, recv, count, op),
                       context()));
}

Request CartComm::scatter_reduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                                      const Options& options) {
  constexpr const char* kName = "CartComm::scatter_reduce_init";
  return Request(init(kName, context(), options,
                      [&] { return regular_call(kName, CartCollective::scatter_reduce, send, recv, count, op); }));
}

void CartComm::scatter_reduce(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op) {
  const BlockArrays<SendBlock> arrays("send", send);
  run_collective(
      {"CartComm::scatter_reduce", CartCollective::scatter_reduce, arrays.call_side(), single_side("recv", recv), op},
      context());
}

Request CartComm::iscatter_reduce(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op) {
  const BlockArrays<SendBlock> arrays("send", send);
  return Request(start(
      {"CartComm::iscatter_reduce", CartCollective::scatter_reduce, arrays.call_side(), single_side("recv", recv), op},
      context()));
}

Request CartComm::scatter_reduce_init(std::span<const SendBlock> send, const RecvBlock& recv, MPI_Op op,
                                      const Options& options) {
  constexpr const char* kName = "CartComm::scatter_reduce_init";
  std::optional<BlockArrays<SendBlock>> arrays;
  return Request(init(kName, context(), options, [&]() -> CartCall {
    arrays.emplace("send", send);
    return {kName, CartCollective::scatter_reduce, arrays->call_side(), single_side("recv", recv), op};
  }));
}

}  // namespace rondo
