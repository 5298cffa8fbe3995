/// @file
/// The innermost loops of copying: equally spaced pieces of one length.
#ifndef RONDO_DATATYPES_COPY_KERNELS_HPP
#define RONDO_DATATYPES_COPY_KERNELS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

/// `count` pieces of `bytes` bytes; strides in bytes. Reads no piece's neighbors in a way that could fault, and writes
/// nothing but the pieces.
struct StridedCopy {
  std::byte* target;
  std::int64_t target_stride;
  const std::byte* source;
  std::int64_t source_stride;
  std::int64_t bytes;
  std::int64_t count;
};
using CopyKernel = void (*)(const StridedCopy&);

/// The kernels of one instruction set.
struct CopyKernels {
  const char* name;
  CopyKernel pieces_of_1;
  CopyKernel pieces_of_2;
  CopyKernel pieces_of_4;
  CopyKernel pieces_of_8;
  CopyKernel pieces_of_16;
  CopyKernel pieces;  ///< of any other length

  /// The kernel for pieces of `bytes` bytes.
  [[nodiscard]] CopyKernel of(std::int64_t bytes) const noexcept;
};

/// Those that this processor can run, the plain ones first and the best last.
[[nodiscard]] std::span<const CopyKernels> available_copy_kernels();

/// Copies with the best kernels.
void copy_pieces(const StridedCopy& pieces);

}  // namespace rondo

#endif
