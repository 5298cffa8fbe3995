// The C++ interface: the reductions of Comm.
#include <rondo/comm.hpp>

#include "collectives/faces/cpp/dense_requests.hpp"
#include "collectives/faces/cpp/element_sides.hpp"

namespace rondo {

using namespace internal;

namespace {

/// Returns `side`, which describes where the sent data lie (in place, the receive buffer), with the address of `send`.
CallSide side_of_sent(const ElementBuffer& send, CallSide side) {
  side.buffer = send.address;
  return side;
}

const ElementBuffer& where_sent_lies(const ElementBuffer& send, const ElementBuffer& recv) {
  return send.address == MPI_IN_PLACE ? recv : send;
}

Call combining_call(const char* name, Collective collective, const ElementBuffer& send, const ElementBuffer& recv,
                    const int& count, MPI_Op op) {
  return {name, collective, side_of_sent(send, regular_side("send", where_sent_lies(send, recv), count)),
          regular_side("recv", recv, count), op};
}

/// Makes the call of a reduce-scatter. `own`: the count of this rank.
Call scattering_call(const char* name, const ElementBuffer& send, const ElementBuffer& recv,
                     std::span<const int> counts, const int& own, MPI_Op op) {
  return {name, Collective::scatter_reduce, side_of_sent(send, row_side("send", where_sent_lies(send, recv), counts)),
          regular_side("recv", recv, own), op};
}

/// Returns the count of this rank; 0 if there is none, which the call's check reports.
int own_count(std::span<const int> counts, int rank) {
  return static_cast<std::size_t>(rank) < counts.size() ? counts[static_cast<std::size_t>(rank)] : 0;
}

}  // namespace

int Comm::checked_length(std::size_t elements) { return length_as_count(elements); }

void Comm::allreduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  run_dense(combining_call("Comm::allreduce", Collective::reduce, send, recv, count, op), context());
}

Request Comm::iallreduce(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  return start(combining_call("Comm::iallreduce", Collective::reduce, send, recv, count, op), context());
}

Request Comm::allreduce_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                             const Options& options) {
  constexpr const char* kName = "Comm::allreduce_init";
  return init(combining_call(kName, Collective::reduce, send, recv, count, op), context(), options);
}

void Comm::reduce_scatter_block(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  run_dense(combining_call("Comm::reduce_scatter_block", Collective::scatter_reduce, send, recv, count, op), context());
}

Request Comm::ireduce_scatter_block(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op) {
  return start(combining_call("Comm::ireduce_scatter_block", Collective::scatter_reduce, send, recv, count, op),
               context());
}

Request Comm::reduce_scatter_block_init(const ElementBuffer& send, const ElementBuffer& recv, int count, MPI_Op op,
                                        const Options& options) {
  constexpr const char* kName = "Comm::reduce_scatter_block_init";
  return init(combining_call(kName, Collective::scatter_reduce, send, recv, count, op), context(), options);
}

void Comm::reduce_scatter(const ElementBuffer& send, const ElementBuffer& recv, std::span<const int> counts,
                          MPI_Op op) {
  const int own = own_count(counts, rank());
  run_dense(scattering_call("Comm::reduce_scatter", send, recv, counts, own, op), context());
}

Request Comm::ireduce_scatter(const ElementBuffer& send, const ElementBuffer& recv, std::span<const int> counts,
                              MPI_Op op) {
  const int own = own_count(counts, rank());
  return start(scattering_call("Comm::ireduce_scatter", send, recv, counts, own, op), context());
}

Request Comm::reduce_scatter_init(const ElementBuffer& send, const ElementBuffer& recv, std::span<const int> counts,
                                  MPI_Op op, const Options& options) {
  constexpr const char* kName = "Comm::reduce_scatter_init";
  const int own = own_count(counts, rank());
  return init(scattering_call(kName, send, recv, counts, own, op), context(), options);
}

}  // namespace rondo
