// The C++ interface: barrier, broadcast and allgathers of Comm.
#include <rondo/comm.hpp>

#include "collectives/faces/cpp/dense_requests.hpp"
#include "collectives/faces/cpp/element_sides.hpp"

namespace rondo {

using namespace internal;

namespace {

Call spreading_call(const char* name, const ElementBuffer& buffer, const int& count, int root, int rank) {
  Call call = broadcast_call(name, buffer.address, count, buffer.type, root, rank);
  call.send.elements = call.recv.elements = buffer.elements;
  return call;
}

Call joining_call(const char* name, const ElementBuffer& send, const ElementBuffer& recv, const int& count) {
  return {name, Collective::allgather, regular_side("send", send, count), regular_side("recv", recv, count)};
}

Call joining_call(const char* name, const ElementBuffer& send, const int& count, const ElementBuffer& recv,
                  const BlockPlaces& places) {
  return {name, Collective::allgather, regular_side("send", send, count), irregular_side("recv", recv, places)};
}

}  // namespace

void Comm::barrier() { run_dense(barrier_call("Comm::barrier"), context()); }

Request Comm::ibarrier() { return start(barrier_call("Comm::ibarrier"), context()); }

Request Comm::barrier_init(const Options& options) {
  return init(barrier_call("Comm::barrier_init"), context(), options);
}

void Comm::bcast(const ElementBuffer& buffer, int count, int root) {
  run_dense(spreading_call("Comm::bcast", buffer, count, root, rank()), context());
}

Request Comm::ibcast(const ElementBuffer& buffer, int count, int root) {
  return start(spreading_call("Comm::ibcast", buffer, count, root, rank()), context());
}

Request Comm::bcast_init(const ElementBuffer& buffer, int count, int root, const Options& options) {
  return init(spreading_call("Comm::bcast_init", buffer, count, root, rank()), context(), options);
}

void Comm::allgather(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_dense(joining_call("Comm::allgather", send, recv, count), context());
}

Request Comm::iallgather(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return start(joining_call("Comm::iallgather", send, recv, count), context());
}

Request Comm::allgather_init(const ElementBuffer& send, const ElementBuffer& recv, int count, const Options& options) {
  return init(joining_call("Comm::allgather_init", send, recv, count), context(), options);
}

void Comm::allgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv, const BlockPlaces& places) {
  run_dense(joining_call("Comm::allgatherv", send, count, recv, places), context());
}

Request Comm::iallgatherv(const ElementBuffer& send, int count, const ElementBuffer& recv, const BlockPlaces& places) {
  return start(joining_call("Comm::iallgatherv", send, count, recv, places), context());
}

Request Comm::allgatherv_init(const ElementBuffer& send, int count, const ElementBuffer& recv,
                              const BlockPlaces& places, const Options& options) {
  return init(joining_call("Comm::allgatherv_init", send, count, recv, places), context(), options);
}

}  // namespace rondo
