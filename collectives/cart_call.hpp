/// @file
/// The arguments of a Cartesian collective's call, whichever of the three forms it has.
#ifndef RONDO_COLLECTIVES_CART_CALL_HPP
#define RONDO_COLLECTIVES_CART_CALL_HPP

#include <mpi.h>

#include "collectives/alltoall_problem.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rondo {

/// One side of a call. The arrays are the user's and are only looked at while the call lasts.
struct CallSide {
  const char* side;  ///< "send" or "recv", for messages
  const void* buffer;
  bool regular;  ///< one count and one type for all blocks (or for the only one), placed one after the other
  const int* counts;
  const int* displacements;            ///< alltoallv: in elements
  const MPI_Aint* byte_displacements;  ///< alltoallw: in bytes
  const MPI_Datatype* types;
  bool type_per_block;
  bool displaced_in_bytes = false;  ///< dense alltoallw: displacements are in bytes
  const int* places = nullptr;      ///< regular: block i is the one with this number in the buffer; null: number i
  // What only the C++ interface knows; -1 where it is not known.
  std::int64_t entries = -1;   ///< of the arrays
  std::int64_t elements = -1;  ///< of the buffer

  [[nodiscard]] static CallSide alltoall(const char* side, const void* buffer, const int& count,
                                         const MPI_Datatype& type);
  [[nodiscard]] static CallSide alltoallv(const char* side, const void* buffer, const int* counts,
                                          const int* displacements, const MPI_Datatype& type);
  [[nodiscard]] static CallSide alltoallw(const char* side, const void* buffer, const int* counts,
                                          const MPI_Aint* displacements, const MPI_Datatype* types);
  /// With MPI_Alltoallw's displacements, which are ints.
  [[nodiscard]] static CallSide alltoallw(const char* side, const void* buffer, const int* counts,
                                          const int* displacements, const MPI_Datatype* types);
};

enum class CartCollective : std::uint8_t {
  alltoall,       ///< a block for each target, a block from each source
  allgather,      ///< one block for all targets, a block from each source
  reduce,         ///< one vector for all targets, those of all sources combined
  scatter_reduce  ///< a vector for each target, those of all sources combined
};

struct CartCall {
  const char* name;  ///< of the function, for messages
  CartCollective collective;
  CallSide send;
  CallSide recv;
  MPI_Op op = MPI_OP_NULL;  ///< of the reductions

  /// Number of blocks on either side in a neighborhood of `t`.
  [[nodiscard]] int sent_blocks(int t) const {
    const bool one_for_all = collective == CartCollective::allgather || collective == CartCollective::reduce;
    return one_for_all ? std::min(t, 1) : t;
  }
  [[nodiscard]] int received_blocks(int t) const { return reduces() ? std::min(t, 1) : t; }
  [[nodiscard]] bool reduces() const {
    return collective == CartCollective::reduce || collective == CartCollective::scatter_reduce;
  }
};

/// Which blocks of a side have a neighbor: a flag for each, or empty when all have. What a call says of the others is
/// not significant and is not looked at; they become blocks without bytes.
using ExistingBlocks = std::span<const char>;

/// Layouts of the datatypes of a side: one, or one for each block, null where there is no neighbor. Holding them keeps
/// their addresses from being reused.
using SideLayouts = std::vector<std::shared_ptr<const Layout>>;

/// Checks counts, types and arrays of a side of `blocks` blocks and looks its layouts up. Throws Error that names the
/// argument. `probe`: see layout_of().
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

}  // namespace rondo

#endif
