/// @file
/// The innermost loops of copying: equally spaced pieces of one length, and lists of pieces.
#ifndef RONDO_DATATYPES_COPYING_COPY_KERNELS_HPP
#define RONDO_DATATYPES_COPYING_COPY_KERNELS_HPP

#include "datatypes/copying/copy_run.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal {

/// `count` pieces of `bytes` bytes; strides in bytes. Source and target do not overlap, nor do pieces of the target.
struct StridedCopy {
  std::byte* target;
  std::int64_t target_stride;
  const std::byte* source;
  std::int64_t source_stride;
  std::int64_t bytes;
  std::int64_t count;
};
/// May read bytes between two pieces of the source, and write pieces of the target more than once, but touches nothing
/// else.
using CopyKernel = void (*)(const StridedCopy&);
/// Touches nothing but the pieces.
using ListKernel = void (*)(ListedPieces pieces, const std::byte* source, std::byte* target);

/// The kernels of one instruction set.
struct CopyKernels {
  const char* name;
  CopyKernel pieces_of_1;
  CopyKernel pieces_of_2;
  CopyKernel pieces_of_4;
  CopyKernel pieces_of_8;
  CopyKernel pieces_of_16;
  CopyKernel pieces;  ///< of any length
  ListKernel listed;

  void copy(const StridedCopy& pieces) const;
};

/// Those that this processor can run: the plain ones first, the best last.
[[nodiscard]] std::span<const CopyKernels> available_copy_kernels();

/// Copy with the best kernels.
void copy_pieces(const StridedCopy& pieces);
void copy_listed(ListedPieces pieces, const std::byte* source, std::byte* target);

}  // namespace rondo::internal

#endif
