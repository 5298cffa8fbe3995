/// @file
/// CheckedCall: a call whose arguments were looked at, and its blocks.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_CHECKED_CALL_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_CHECKED_CALL_HPP

#include <mpi.h>

#include "collectives/blocks/block_pattern.hpp"
#include "collectives/blocks/call.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// Throws Error that names the argument. Refers to the call.
struct CheckedCall {
  /// `probe`: see layout_of().
  CheckedCall(const Call& given, const BlockPattern& of, MPI_Comm probe);

  [[nodiscard]] int sent_blocks() const { return call.sent_blocks(pattern.targets); }
  [[nodiscard]] int received_blocks() const { return call.received_blocks(pattern.sources); }
  /// Which blocks of each side have a neighbor. One block for all neighbors is there whichever of them exist.
  [[nodiscard]] ExistingBlocks existing_targets() const {
    return call.sends_one_block() ? ExistingBlocks() : pattern.existing_targets;
  }
  [[nodiscard]] ExistingBlocks existing_sources() const {
    return call.reduces() ? ExistingBlocks() : pattern.existing_sources;
  }
  /// Bytes of one block of a regular side; 0 where there are none.
  [[nodiscard]] std::int64_t sent_bytes() const { return bytes_of(call.sent(), send_layouts); }
  [[nodiscard]] std::int64_t received_bytes() const { return bytes_of(call.recv, recv_layouts); }
  /// Everything that a schedule depends on, but not the buffers, nor what ranks agree on.
  [[nodiscard]] std::vector<std::int64_t> key() const;

  const Call& call;
  BlockPattern pattern;
  SideLayouts send_layouts;  ///< in place those of the receive side
  SideLayouts recv_layouts;

 private:
  static std::int64_t bytes_of(const CallSide& side, const SideLayouts& layouts) {
    return layouts.empty() || layouts[0] == nullptr ? 0 : layouts[0]->size() * side.counts[0];
  }
};

/// Both sides of a call, block by block.
struct CallShapes {
  explicit CallShapes(const CheckedCall& checked)
      : send(shapes_of(checked.call.sent(), checked.sent_blocks(), checked.existing_targets(), checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.received_blocks(), checked.existing_sources(),
                       checked.recv_layouts)) {}

  SideShapes send;
  SideShapes recv;
};

/// Throws Error, MPI_ERR_TRUNCATE, when the two sides do not fit each other as far as one rank can see: a regular call
/// whose sides differ in size, blocks that stay on the process and differ, vectors that differ from their result.
void check_sizes(const CheckedCall& checked, const CallShapes& shapes);

/// Throws Error, MPI_ERR_BUFFER, when a buffer is missing though it has bytes, or a byte is both sent and received.
void check_buffers(const Call& call, const CallShapes& shapes);

}  // namespace rondo::internal

#endif
