#include "collectives/dense_call.hpp"

#include <rondo/error.hpp>

#include <string>

namespace rondo {

CheckedDense::CheckedDense(const DenseCall& given, DenseContext& of) : call(given), context(of) {
  if (call.recv.buffer == MPI_IN_PLACE)
    throw Error(MPI_ERR_BUFFER, "recvbuf: is MPI_IN_PLACE, which only sendbuf may be");
  const MPI_Comm probe = context.probe();
  recv_layouts = check_side(call.recv, context.size(), {}, probe);
  send_layouts = call.in_place() ? recv_layouts : check_side(call.send, context.size(), {}, probe);
}

std::vector<std::int64_t> CheckedDense::key() const {
  std::vector<std::int64_t> key{call.in_place() ? 1 : 0, call.send.regular ? 1 : 0, call.send.type_per_block ? 1 : 0,
                                call.recv.type_per_block ? 1 : 0, call.recv.displaced_in_bytes ? 1 : 0};
  append_key(call.recv, context.size(), {}, recv_layouts, key);
  if (!call.in_place()) append_key(call.send, context.size(), {}, send_layouts, key);
  return key;
}

void check_dense_sizes(const CheckedDense& checked, const DenseShapes& shapes) {
  const DenseCall& call = checked.call;
  if (call.in_place()) return;
  const auto own = static_cast<std::size_t>(checked.context.rank());
  const std::int64_t sent = shapes.send.blocks[own].layout->size();
  const std::int64_t received = shapes.recv.blocks[own].layout->size();
  if (sent == received) return;
  if (call.regular()) {
    throw Error(MPI_ERR_TRUNCATE, "sendcount and recvcount: a send block has " + std::to_string(sent) +
                                      " bytes and a receive block " + std::to_string(received) + ", must be equal");
  }
  const std::string at = "[" + std::to_string(own) + "]";
  throw Error(MPI_ERR_TRUNCATE, "sendcounts" + at + " and recvcounts" + at + ": the process sends itself " +
                                    std::to_string(sent) + " bytes and receives " + std::to_string(received) +
                                    ", must be equal");
}

}  // namespace rondo
