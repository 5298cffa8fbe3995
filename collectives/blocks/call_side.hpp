/// @file
/// CallSide: the arguments by which a call describes the blocks that it sends, or those that it receives.
#ifndef RONDO_COLLECTIVES_BLOCKS_CALL_SIDE_HPP
#define RONDO_COLLECTIVES_BLOCKS_CALL_SIDE_HPP

#include <mpi.h>

#include "collectives/blocks/block_shape.hpp"
#include "collectives/blocks/integers.hpp"
#include "collectives/blocks/strided.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// One side of a call: the arguments that describe its send blocks or its receive blocks. The arrays that it refers to
/// are the user's and are only read while the call lasts.
struct CallSide {
  const char* side;  ///< "send" or "recv", for error messages
  const void* buffer;
  bool regular;         ///< one count and one type for all blocks (or for the only one), placed one after the other
  bool type_per_block;  ///< a type for each block; otherwise one for all
  Integers counts;
  Strided<MPI_Datatype> types;
  // Where irregular blocks lie: one of the following. Addresses are absolute, displacements count from the buffer.
  Integers displacements = {};  ///< in elements of the one type, or in bytes if blocks have types of their own
  Strided<const void*> addresses = {};
  const int* places = nullptr;      ///< regular: block i is the one with this number in the buffer; null: number i
  bool in_a_row = false;            ///< irregular: each block begins where the one before it ends
  const char* counts_of = nullptr;  ///< the side that names the counts, if it is the other one
  // Lengths that only the C++ interface knows; -1 if they are not known.
  std::int64_t entries = -1;   ///< number of counts
  std::int64_t placed = -1;    ///< number of displacements
  std::int64_t elements = -1;  ///< elements of the buffer

  // These make a side from counts and displacements of either width. A side made by alltoall() refers to its count.
  template <CountType Count>
  [[nodiscard]] static CallSide alltoall(const char* side, const void* buffer, const Count& count,
                                         const MPI_Datatype& type) {
    return {.side = side, .buffer = buffer, .regular = true, .type_per_block = false, .counts = &count, .types = &type};
  }
  [[nodiscard]] static CallSide alltoallv(const char* side, const void* buffer, Integers counts, Integers displacements,
                                          const MPI_Datatype& type) {
    return {.side = side,
            .buffer = buffer,
            .regular = false,
            .type_per_block = false,
            .counts = counts,
            .types = &type,
            .displacements = displacements};
  }
  [[nodiscard]] static CallSide alltoallw(const char* side, const void* buffer, Integers counts, Integers displacements,
                                          const MPI_Datatype* types) {
    return {.side = side,
            .buffer = buffer,
            .regular = false,
            .type_per_block = true,
            .counts = counts,
            .types = types,
            .displacements = displacements};
  }
  /// Makes a side whose blocks have different sizes and one type and lie in a row. `counted`: the side after which
  /// error messages name the counts.
  [[nodiscard]] static CallSide one_after_the_other(const char* side, const void* buffer, const char* counted,
                                                    Integers counts, const MPI_Datatype& type) {
    return {.side = side,
            .buffer = buffer,
            .regular = false,
            .type_per_block = false,
            .counts = counts,
            .types = &type,
            .in_a_row = true,
            .counts_of = counted};
  }

  /// Returns the number of elements of block i.
  [[nodiscard]] std::int64_t count(int i) const { return counts[regular ? 0 : i]; }
  [[nodiscard]] MPI_Datatype type(int i) const { return types[type_per_block ? i : 0]; }
};

/// Returns a number that stands for the way in which a side describes its blocks.
[[nodiscard]] inline std::int32_t form_of(const CallSide& side) noexcept {
  return (side.regular ? 1 : 0) + (side.type_per_block ? 2 : 0) + (side.places != nullptr ? 4 : 0) +
         (side.displacements ? 8 : 0) + (side.addresses ? 16 : 0);
}
/// Returns whether a side lists the place of each block. Otherwise the blocks are one after the other.
[[nodiscard]] inline bool has_places(const CallSide& side) noexcept { return form_of(side) >= 4; }
/// Returns the place of block i: a displacement, an address or a number. Call this only if has_places(side).
[[nodiscard]] inline std::int64_t place_of(const CallSide& side, int i) noexcept {
  if (side.addresses) return reinterpret_cast<std::intptr_t>(side.addresses[i]);
  return side.displacements ? side.displacements[i] : side.places[i];
}

/// Flags that say for each block of a side whether it has a neighbor; empty if all have one. What a call says of the
/// other blocks is not significant and not read; they become blocks without bytes.
using ExistingBlocks = std::span<const char>;

/// The layouts of the datatypes of a side: one, or one for each block. A layout is null if there is no neighbor or no
/// datatype. Holding them keeps their addresses from being reused.
using SideLayouts = std::vector<std::shared_ptr<const Layout>>;

/// Checks counts, types and arrays of a side of `blocks` blocks and returns its layouts. Computing with its sizes and
/// places is safe from then on. Throws Error that names the argument. `probe`: see layout_of().
[[nodiscard]] SideLayouts check_side(const CallSide& side, int blocks, ExistingBlocks existing, MPI_Comm probe);

/// Appends to a cache key everything in a side that a schedule depends on, which excludes the buffer.
void append_key(const CallSide& side, int blocks, ExistingBlocks existing, const SideLayouts& layouts,
                std::vector<std::int64_t>& key);

/// The blocks of a side, with the layouts that they refer to.
struct SideShapes {
  std::vector<BlockShape> blocks;
  std::deque<Layout> layouts;
};
[[nodiscard]] SideShapes shapes_of(const CallSide& side, int blocks, ExistingBlocks existing,
                                   const SideLayouts& layouts);

/// The range of bytes of all blocks of a side, counted from the buffer: the first byte and the one past the last. Both
/// are 0 if the blocks have no bytes.
struct ByteRange {
  std::int64_t begin;
  std::int64_t end;
};
[[nodiscard]] ByteRange range_of(const SideShapes& shapes);

/// Throws Error (MPI_ERR_BUFFER) if the buffer of a side is null although the side's blocks have bytes.
void check_buffer(const CallSide& side, const ByteRange& range);

/// Throws Error (MPI_ERR_BUFFER) if a byte is both sent and received.
void check_aliases(const CallSide& send_side, const SideShapes& send, const CallSide& recv_side,
                   const SideShapes& recv);

}  // namespace rondo::internal

#endif
