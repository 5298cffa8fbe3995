// The C++ interface: Comm.
#include <rondo/comm.hpp>
#include <rondo/error.hpp>

#include "collectives/dense_collective.hpp"
#include "collectives/element_sides.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace rondo {
namespace {

DenseCall regular_call(const char* name, const ElementBuffer& send, const ElementBuffer& recv, const int& count) {
  return {name, regular_side("send", send, count), regular_side("recv", recv, count)};
}

/// Of which nothing but the buffer is looked at.
CallSide in_place_side() {
  CallSide side{};
  side.side = "send";
  side.buffer = MPI_IN_PLACE;
  return side;
}

DenseCall irregular_call(const char* name, const ElementBuffer& send, const BlockPlaces& send_places,
                         const ElementBuffer& recv, const BlockPlaces& recv_places) {
  return {name, send.address == MPI_IN_PLACE ? in_place_side() : irregular_side("send", send, send_places),
          irregular_side("recv", recv, recv_places)};
}

struct AlltoallwArrays {
  AlltoallwArrays(std::span<const SendBlock> send_blocks, std::span<const RecvBlock> recv_blocks)
      : send("send", send_blocks), recv("recv", recv_blocks) {}
  [[nodiscard]] DenseCall call(const char* name) const { return {name, send.call_side(), recv.call_side()}; }

  BlockArrays<SendBlock> send;
  BlockArrays<RecvBlock> recv;
};

struct InPlaceArrays {
  explicit InPlaceArrays(std::span<const RecvBlock> blocks) : recv("recv", blocks) {}
  [[nodiscard]] DenseCall call(const char* name) const { return {name, in_place_side(), recv.call_side()}; }

  BlockArrays<RecvBlock> recv;
};

Request start(const DenseCall& call, const std::shared_ptr<DenseContext>& context) {
  ReservedRequest reserved;
  return Request(reserved.fill(start_dense(call, context)));
}

/// `make_call` is called where what it throws is told to all ranks.
template <typename MakeCall>
Request init(const char* name, DenseContext& context, const Options& options, MakeCall make_call) {
  std::optional<ReservedRequest> reserved;
  const auto steps = [&](DenseCall& call, Settings& settings) {
    settings.take(options);
    call = make_call();
    reserved.emplace();
  };
  std::unique_ptr<Operation> operation = init_dense(name, context, std::ref(steps));
  return Request(reserved->fill(std::move(operation)));
}

}  // namespace

Comm::Comm(MPI_Comm comm, const Options& options) {
  const auto steps = [&](Settings& settings) {
    if (options.reorder) throw Error(MPI_ERR_ARG, "reorder: is true, must not be: processes keep their ranks");
    settings.take(options);
  };
  context_ = DenseContext::separate(comm, std::ref(steps));
}

const std::shared_ptr<DenseContext>& Comm::context() const {
  if (context_ == nullptr) throw Error(MPI_ERR_COMM, "Comm: was moved from");
  return context_;
}

int Comm::rank() const { return context()->rank(); }

int Comm::size() const { return context()->size(); }

void Comm::alltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_dense(regular_call("Comm::alltoall", send, recv, count), context());
}

Request Comm::ialltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return start(regular_call("Comm::ialltoall", send, recv, count), context());
}

Request Comm::alltoall_init(const ElementBuffer& send, const ElementBuffer& recv, int count, const Options& options) {
  constexpr const char* kName = "Comm::alltoall_init";
  return init(kName, *context(), options, [&] { return regular_call(kName, send, recv, count); });
}

void Comm::alltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                     const BlockPlaces& recv_places) {
  run_dense(irregular_call("Comm::alltoallv", send, send_places, recv, recv_places), context());
}

Request Comm::ialltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                         const BlockPlaces& recv_places) {
  return start(irregular_call("Comm::ialltoallv", send, send_places, recv, recv_places), context());
}

Request Comm::alltoallv_init(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                             const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "Comm::alltoallv_init";
  return init(kName, *context(), options, [&] { return irregular_call(kName, send, send_places, recv, recv_places); });
}

void Comm::alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  const AlltoallwArrays arrays(send, recv);
  run_dense(arrays.call("Comm::alltoallw"), context());
}

Request Comm::ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  const AlltoallwArrays arrays(send, recv);
  return start(arrays.call("Comm::ialltoallw"), context());
}

Request Comm::alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv, const Options& options) {
  constexpr const char* kName = "Comm::alltoallw_init";
  std::optional<AlltoallwArrays> arrays;
  return init(kName, *context(), options, [&] { return arrays.emplace(send, recv).call(kName); });
}

void Comm::alltoallw(InPlace, std::span<const RecvBlock> blocks) {
  const InPlaceArrays arrays(blocks);
  run_dense(arrays.call("Comm::alltoallw"), context());
}

Request Comm::ialltoallw(InPlace, std::span<const RecvBlock> blocks) {
  const InPlaceArrays arrays(blocks);
  return start(arrays.call("Comm::ialltoallw"), context());
}

Request Comm::alltoallw_init(InPlace, std::span<const RecvBlock> blocks, const Options& options) {
  constexpr const char* kName = "Comm::alltoallw_init";
  std::optional<InPlaceArrays> arrays;
  return init(kName, *context(), options, [&] { return arrays.emplace(blocks).call(kName); });
}

}  // namespace rondo
