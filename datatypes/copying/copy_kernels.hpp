/// @file
/// Copy kernels: the innermost loops of copying, for equally spaced pieces of one length and for lists of pieces.
#ifndef RONDO_DATATYPES_COPYING_COPY_KERNELS_HPP
#define RONDO_DATATYPES_COPYING_COPY_KERNELS_HPP

#include "datatypes/copying/copy_run.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal {

/// A copy of `count` pieces of `bytes` bytes; strides are in bytes. Source and target must not overlap, nor pieces of
/// the target.
struct StridedCopy {
  std::byte* target;
  std::int64_t target_stride;
  const std::byte* source;
  std::int64_t source_stride;
  std::int64_t bytes;
  std::int64_t count;
};
/// A function that copies equally spaced pieces. It may read bytes between two pieces of the source, and write pieces
/// of the target more than once, but touches nothing else.
using CopyKernel = void (*)(const StridedCopy&);
/// A function that copies the pieces of a list, and touches nothing else.
using ListKernel = void (*)(ListedPieces pieces, const std::byte* source, std::byte* target);

/// The kernels that use one instruction set.
struct CopyKernels {
  const char* name;
  CopyKernel pieces_of_1;
  CopyKernel pieces_of_2;
  CopyKernel pieces_of_4;
  CopyKernel pieces_of_8;
  CopyKernel pieces_of_16;
  CopyKernel pieces;  ///< for pieces of any length
  ListKernel listed;

  void copy(const StridedCopy& pieces) const;
};

/// Returns the sets of kernels that this processor can run: the plain ones first, the best last.
[[nodiscard]] std::span<const CopyKernels> available_copy_kernels();

/// Copy pieces with the best kernels of this processor.
void copy_pieces(const StridedCopy& pieces);
void copy_listed(ListedPieces pieces, const std::byte* source, std::byte* target);

}  // namespace rondo::internal

#endif
