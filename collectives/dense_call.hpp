/// @file
/// The arguments of a dense alltoall's call, whichever of the three forms it has.
#ifndef RONDO_COLLECTIVES_DENSE_CALL_HPP
#define RONDO_COLLECTIVES_DENSE_CALL_HPP

#include "collectives/cart_call.hpp"
#include "collectives/dense_context.hpp"

#include <cstdint>
#include <vector>

namespace rondo {

struct DenseCall {
  const char* name;  ///< of the function, for messages
  CallSide send;     ///< its buffer may be MPI_IN_PLACE; the rest of it is not looked at then
  CallSide recv;

  [[nodiscard]] bool in_place() const noexcept { return send.buffer == MPI_IN_PLACE; }
  /// What is sent: in place, what the receive buffer holds.
  [[nodiscard]] const CallSide& sent() const noexcept { return in_place() ? recv : send; }
  /// All blocks of a side have one size.
  [[nodiscard]] bool regular() const noexcept { return recv.regular; }
  /// What the schedule's spaces stand for.
  [[nodiscard]] const void* send_buffer() const noexcept { return in_place() ? nullptr : send.buffer; }
  [[nodiscard]] void* recv_buffer() const noexcept { return const_cast<void*>(recv.buffer); }
};

/// A call whose arguments were looked at. Throws Error that names the argument. Refers to the call and the context.
struct CheckedDense {
  CheckedDense(const DenseCall& given, DenseContext& of);

  /// Everything that a schedule depends on, but not the buffers, nor what ranks agree on.
  [[nodiscard]] std::vector<std::int64_t> key() const;
  /// Bytes of every block. Of regular calls.
  [[nodiscard]] std::int64_t block_bytes() const { return recv_layouts[0]->size() * call.recv.counts[0]; }

  const DenseCall& call;
  DenseContext& context;
  SideLayouts send_layouts;  ///< in place those of the receive side
  SideLayouts recv_layouts;
};

/// Both sides, block by block.
struct DenseShapes {
  explicit DenseShapes(const CheckedDense& checked)
      : send(shapes_of(checked.call.sent(), checked.context.size(), {}, checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.context.size(), {}, checked.recv_layouts)) {}

  SideShapes send;
  SideShapes recv;
};

/// Throws Error, MPI_ERR_TRUNCATE, when the two sides do not fit each other as far as one rank can see: a regular call
/// whose sides differ in size, or a block that stays on the process and differs.
void check_dense_sizes(const CheckedDense& checked, const DenseShapes& shapes);

}  // namespace rondo

#endif
