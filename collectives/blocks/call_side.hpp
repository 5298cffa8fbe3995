/// @file
/// CallSide: what a call says of the blocks that it sends, or of those that it receives.
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

/// One side of a call. What it refers to is the user's and is only looked at while the call lasts.
struct CallSide {
  const char* side;  ///< "send" or "recv", for messages
  const void* buffer;
  bool regular;         ///< one count and one type for all blocks (or for the only one), placed one after the other
  bool type_per_block;  ///< otherwise one for all
  Integers counts;
  Strided<MPI_Datatype> types;
  // Where irregular blocks lie: one of these, from the buffer or, as addresses are, from nowhere.
  Integers displacements = {};  ///< in elements of the one type or, where types differ, in bytes
  Strided<const void*> addresses = {};
  const int* places = nullptr;      ///< regular: block i is the one with this number in the buffer; null: number i
  bool in_a_row = false;            ///< irregular: each block begins where the one before it ends
  const char* counts_of = nullptr;  ///< the side after which the counts are called, where it is the other one
  // What only the C++ interface knows; -1 where it is not known.
  std::int64_t entries = -1;   ///< counts
  std::int64_t placed = -1;    ///< displacements
  std::int64_t elements = -1;  ///< of the buffer

  // Counts and displacements of either width. The first refers to its count.
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
  /// Blocks of different sizes and one type in a row; `counted`: what the counts are called after.
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

  /// Of block i.
  [[nodiscard]] std::int64_t count(int i) const { return counts[regular ? 0 : i]; }
  [[nodiscard]] MPI_Datatype type(int i) const { return types[type_per_block ? i : 0]; }
};

/// In which of several ways a side is told, as a number.
[[nodiscard]] inline std::int32_t form_of(const CallSide& side) noexcept {
  return (side.regular ? 1 : 0) + (side.type_per_block ? 2 : 0) + (side.places != nullptr ? 4 : 0) +
         (side.displacements ? 8 : 0) + (side.addresses ? 16 : 0);
}
/// Whether it says of each block where it lies.
[[nodiscard]] inline bool has_places(const CallSide& side) noexcept { return form_of(side) >= 4; }
/// That of block i, as it is told: a displacement, an address or a number.
[[nodiscard]] inline std::int64_t place_of(const CallSide& side, int i) noexcept {
  if (side.addresses) return reinterpret_cast<std::intptr_t>(side.addresses[i]);
  return side.displacements ? side.displacements[i] : side.places[i];
}

/// Which blocks of a side have a neighbor: a flag for each, or empty when all have. What a call says of the others is
/// not significant and is not looked at; they become blocks without bytes.
using ExistingBlocks = std::span<const char>;

/// Layouts of the datatypes of a side: one, or one for each block, null where there is no neighbor or no datatype.
/// Holding them keeps their addresses from being reused.
using SideLayouts = std::vector<std::shared_ptr<const Layout>>;

/// Checks counts, types and arrays of a side of `blocks` blocks and looks its layouts up: from then on sizes and places
/// can be computed with. Throws Error that names the argument. `probe`: see layout_of().
[[nodiscard]] SideLayouts check_side(const CallSide& side, int blocks, ExistingBlocks existing, MPI_Comm probe);

/// Appends everything that a schedule depends on (not the buffer) to a cache key.
void append_key(const CallSide& side, int blocks, ExistingBlocks existing, const SideLayouts& layouts,
                std::vector<std::int64_t>& key);

/// The blocks of a side, with the layouts that they refer to.
struct SideShapes {
  std::vector<BlockShape> blocks;
  std::deque<Layout> layouts;
};
[[nodiscard]] SideShapes shapes_of(const CallSide& side, int blocks, ExistingBlocks existing,
                                   const SideLayouts& layouts);

/// First byte and one past the last of all blocks, from the buffer; both zero when there are no bytes.
struct ByteRange {
  std::int64_t begin;
  std::int64_t end;
};
[[nodiscard]] ByteRange range_of(const SideShapes& shapes);

/// Throws Error, MPI_ERR_BUFFER, when a buffer is missing though it has bytes.
void check_buffer(const CallSide& side, const ByteRange& range);

/// Throws Error, MPI_ERR_BUFFER, when a byte is both sent and received.
void check_aliases(const CallSide& send_side, const SideShapes& send, const CallSide& recv_side,
                   const SideShapes& recv);

}  // namespace rondo::internal

#endif
