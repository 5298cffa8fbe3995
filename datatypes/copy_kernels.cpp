#include "datatypes/copy_kernels.hpp"

#include "datatypes/copy_program.hpp"

#include <array>
#include <cstring>

namespace rondo {
namespace {

template <std::size_t Bytes>
void copy_plain(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    std::memcpy(target, source, Bytes);
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
}

void copy_plain_any(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    copy_bytes(target, source, static_cast<std::size_t>(pieces.bytes));
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
}

constexpr CopyKernels kPlain{"plain",       copy_plain<1>,  copy_plain<2>, copy_plain<4>,
                             copy_plain<8>, copy_plain<16>, copy_plain_any};

}  // namespace

CopyKernel CopyKernels::of(std::int64_t bytes) const noexcept {
  switch (bytes) {
    case 1:
      return pieces_of_1;
    case 2:
      return pieces_of_2;
    case 4:
      return pieces_of_4;
    case 8:
      return pieces_of_8;
    case 16:
      return pieces_of_16;
    default:
      return pieces;
  }
}

std::span<const CopyKernels> available_copy_kernels() {
  static const std::array kernels{kPlain};
  return kernels;
}

void copy_pieces(const StridedCopy& pieces) {
  static const CopyKernels best = available_copy_kernels().back();
  best.of(pieces.bytes)(pieces);
}

}  // namespace rondo
