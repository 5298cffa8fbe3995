/// @file
/// A call whose arguments were looked at, and its blocks.
#ifndef RONDO_COLLECTIVES_CHECKED_CALL_HPP
#define RONDO_COLLECTIVES_CHECKED_CALL_HPP

#include "collectives/cart_call.hpp"
#include "collectives/comm_context.hpp"

#include <cstdint>
#include <vector>

namespace rondo {

/// Throws Error that names the argument. Refers to the call and the context.
struct CheckedCall {
  CheckedCall(const CartCall& given, CommContext& of);

  [[nodiscard]] int sent_blocks() const { return call.sent_blocks(t); }
  [[nodiscard]] int received_blocks() const { return call.received_blocks(t); }
  /// Which blocks of each side have a neighbor.
  [[nodiscard]] ExistingBlocks existing_targets() const;
  [[nodiscard]] ExistingBlocks existing_sources() const;

  const CartCall& call;
  CommContext& context;
  int t;
  SideLayouts send_layouts;
  SideLayouts recv_layouts;
};

/// Both sides of a call, block by block.
struct CallShapes {
  explicit CallShapes(const CheckedCall& checked)
      : send(shapes_of(checked.call.send, checked.sent_blocks(), checked.existing_targets(), checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.received_blocks(), checked.existing_sources(),
                       checked.recv_layouts)) {}

  SideShapes send;
  SideShapes recv;
};

/// Throws Error, MPI_ERR_TRUNCATE, when the two sides do not fit each other as far as one rank can see: a regular call
/// whose sides differ in size, or blocks that stay on the process and differ.
void check_sizes(const CheckedCall& checked, const CallShapes& shapes);

}  // namespace rondo

#endif
