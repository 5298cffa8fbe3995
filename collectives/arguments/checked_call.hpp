/// @file
/// CheckedCall: a call whose arguments were checked; CallShapes: the shapes of its blocks.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_CHECKED_CALL_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_CHECKED_CALL_HPP

#include <mpi.h>

#include "collectives/blocks/block_pattern.hpp"
#include "collectives/blocks/call.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A call whose arguments were checked. Refers to the call.
struct CheckedCall {
  /// Checks the arguments of `given`. Throws Error that names the argument. `probe`: see layout_of().
  CheckedCall(const Call& given, const BlockPattern& of, MPI_Comm probe);

  [[nodiscard]] int sent_blocks() const { return call.sent_blocks(pattern.targets); }
  [[nodiscard]] int received_blocks() const { return call.received_blocks(pattern.sources); }
  /// Returns which send blocks have a target. One block for all targets exists whichever of them exist.
  [[nodiscard]] ExistingBlocks existing_targets() const {
    return call.sends_one_block() ? ExistingBlocks() : pattern.existing_targets;
  }
  /// Returns which receive blocks have a source. The result of a reduction always exists.
  [[nodiscard]] ExistingBlocks existing_sources() const {
    return call.reduces() ? ExistingBlocks() : pattern.existing_sources;
  }
  /// Returns the bytes of one block that is sent, or 0 if there is none. Call this only if that side is regular.
  [[nodiscard]] std::int64_t sent_bytes() const { return bytes_of(call.sent(), send_layouts); }
  /// Returns the bytes of one block that is received, or 0 if there is none. Call this only if that side is regular.
  [[nodiscard]] std::int64_t received_bytes() const { return bytes_of(call.recv, recv_layouts); }
  /// Returns the call's cache key: all that a schedule depends on, except the buffers and what ranks agree on.
  [[nodiscard]] std::vector<std::int64_t> key() const;

  const Call& call;
  BlockPattern pattern;
  SideLayouts send_layouts;  ///< in place: those of the receive side, unless the call reduces
  SideLayouts recv_layouts;

 private:
  static std::int64_t bytes_of(const CallSide& side, const SideLayouts& layouts) {
    return layouts.empty() || layouts[0] == nullptr ? 0 : layouts[0]->size() * side.counts[0];
  }
};

/// The shapes of both sides of a call, block by block.
struct CallShapes {
  explicit CallShapes(const CheckedCall& checked)
      : send(shapes_of(checked.call.sent(), checked.sent_blocks(), checked.existing_targets(), checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.received_blocks(), checked.existing_sources(),
                       checked.recv_layouts)) {}

  SideShapes send;
  SideShapes recv;
};

/// Throws Error (MPI_ERR_TRUNCATE) if the two sides do not fit each other as far as one rank can see: the sides of a
/// regular call differ in size, a block that stays on the process has different sizes, or a vector has another size
/// than its result.
void check_sizes(const CheckedCall& checked, const CallShapes& shapes);

/// Throws Error (MPI_ERR_BUFFER) if a buffer is null although its blocks have bytes, or a byte is both sent and
/// received.
void check_buffers(const Call& call, const CallShapes& shapes);

}  // namespace rondo::internal

#endif
