#include "datatypes/copying/copy_kernels.hpp"

#include "datatypes/copying/copy_bytes.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rondo::internal {
namespace {

/// Copies four pieces at a time, which takes half of the time of one piece at a time (bench datatypes).
template <std::size_t Bytes>
void copy_plain(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  const std::int64_t from_step = pieces.source_stride;
  const std::int64_t to_step = pieces.target_stride;
  std::int64_t left = pieces.count;
  for (; left >= 4; left -= 4) {
    std::memcpy(target, source, Bytes);
    std::memcpy(target + to_step, source + from_step, Bytes);
    std::memcpy(target + 2 * to_step, source + 2 * from_step, Bytes);
    std::memcpy(target + 3 * to_step, source + 3 * from_step, Bytes);
    source += 4 * from_step;
    target += 4 * to_step;
  }
  for (; left > 0; --left) {
    std::memcpy(target, source, Bytes);
    source += from_step;
    target += to_step;
  }
}

void copy_plain_pieces(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    copy_bytes(target, source, static_cast<std::size_t>(pieces.bytes));
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
}

template <std::size_t Bytes>
void copy_plain_listed_of(ListedPieces pieces, const std::byte* source, std::byte* target) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const ListedPiece piece = pieces[i];
    std::memcpy(target + piece.target, source + piece.source, Bytes);
  }
}

void copy_plain_listed(ListedPieces pieces, const std::byte* source, std::byte* target) {
  switch (pieces.one_length()) {
    case 4:
      return copy_plain_listed_of<4>(pieces, source, target);
    case 8:
      return copy_plain_listed_of<8>(pieces, source, target);
    case 16:
      return copy_plain_listed_of<16>(pieces, source, target);
    case 32:
      return copy_plain_listed_of<32>(pieces, source, target);
    default:
      break;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const ListedPiece piece = pieces[i];
    copy_bytes(target + piece.target, source + piece.source, piece.bytes);
  }
}

constexpr CopyKernels kPlain{"plain",       copy_plain<1>,  copy_plain<2>,     copy_plain<4>,
                             copy_plain<8>, copy_plain<16>, copy_plain_pieces, copy_plain_listed};

#if defined(__x86_64__)

// Each function names its instruction set: with compiler flags for the whole file, templates that other files use as
// well might be compiled for that instruction set. Lambdas do not inherit the attribute, so this code has none.

/// Returns the rest of `pieces` after the first `count`.
StridedCopy rest_after(const StridedCopy& pieces, std::int64_t count) {
  return {pieces.target + count * pieces.target_stride,
          pieces.target_stride,
          pieces.source + count * pieces.source_stride,
          pieces.source_stride,
          pieces.bytes,
          pieces.count - count};
}

/// Minimum number of bytes of a copy that bypasses the caches, because written data would evict the data to be read.
constexpr std::int64_t kStreamed = std::int64_t{32} << 20;

// ---- AVX2 ----

[[gnu::target("avx2")]] __m128i load_two_of_8(const std::byte* source, std::int64_t stride) {
  const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(source));
  const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(source + stride));
  return _mm_unpacklo_epi64(low, high);
}

[[gnu::target("avx2")]] void gather_8_avx2(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  const std::int64_t step = pieces.source_stride;
  std::int64_t done = 0;
  for (; done + 8 <= pieces.count; done += 8) {
    auto* to = reinterpret_cast<__m128i*>(target);
    const __m128i first = load_two_of_8(source, step);
    const __m128i second = load_two_of_8(source + 2 * step, step);
    const __m128i third = load_two_of_8(source + 4 * step, step);
    const __m128i fourth = load_two_of_8(source + 6 * step, step);
    _mm_storeu_si128(to, first);
    _mm_storeu_si128(to + 1, second);
    _mm_storeu_si128(to + 2, third);
    _mm_storeu_si128(to + 3, fourth);
    source += 8 * step;
    target += 64;
  }
  if (done < pieces.count) copy_plain<8>(rest_after(pieces, done));
}

void copy_8_avx2(const StridedCopy& pieces) {
  if (pieces.target_stride == 8)
    gather_8_avx2(pieces);
  else
    copy_plain<8>(pieces);
}

[[gnu::target("avx2")]] void gather_4_avx2(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  const __m256i places = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                            _mm256_set1_epi32(static_cast<int>(pieces.source_stride)));
  std::int64_t done = 0;
  for (; done + 8 <= pieces.count; done += 8) {
    const __m256i eight = _mm256_i32gather_epi32(reinterpret_cast<const int*>(source), places, 1);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), eight);
    source += 8 * pieces.source_stride;
    target += 32;
  }
  copy_plain<4>(rest_after(pieces, done));
}

void copy_4_avx2(const StridedCopy& pieces) {
  constexpr std::int64_t kFarthestRow = (std::int64_t{1} << 31) / 8;  // seven strides must fit 32 bits
  if (pieces.target_stride == 4 && pieces.source_stride < kFarthestRow && -pieces.source_stride < kFarthestRow)
    gather_4_avx2(pieces);
  else
    copy_plain<4>(pieces);
}

/// Copies a piece of at least 32 bytes.
[[gnu::target("avx2")]] inline void copy_piece_avx2(std::byte* target, const std::byte* source, std::int64_t bytes) {
  std::int64_t done = 0;
  for (; done + 128 <= bytes; done += 128) {
    const auto* from = reinterpret_cast<const __m256i*>(source + done);
    auto* to = reinterpret_cast<__m256i*>(target + done);
    const __m256i first = _mm256_loadu_si256(from);
    const __m256i second = _mm256_loadu_si256(from + 1);
    const __m256i third = _mm256_loadu_si256(from + 2);
    const __m256i fourth = _mm256_loadu_si256(from + 3);
    _mm256_storeu_si256(to, first);
    _mm256_storeu_si256(to + 1, second);
    _mm256_storeu_si256(to + 2, third);
    _mm256_storeu_si256(to + 3, fourth);
  }
  for (; done + 32 <= bytes; done += 32) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + done),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + done)));
  }
  if (done == bytes) return;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + bytes - 32),
                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + bytes - 32)));
}

/// Minimum number of bytes of a piece that memcpy copies, which knows more about the processor.
constexpr std::int64_t kLongPiece = 4096;

[[gnu::target("avx2")]] void copy_pieces_avx2(const StridedCopy& pieces) {
  if (pieces.bytes < 32 || pieces.bytes >= kLongPiece) {
    copy_plain_pieces(pieces);
    return;
  }
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    copy_piece_avx2(target, source, pieces.bytes);
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
}

constexpr CopyKernels kAvx2{"AVX2",      copy_plain<1>,  copy_plain<2>,    copy_4_avx2,
                            copy_8_avx2, copy_plain<16>, copy_pieces_avx2, copy_plain_listed};

// ---- AVX-512 ----

/// Minimum number of pieces in 64 bytes for which loading also the bytes between them is worthwhile.
constexpr std::int64_t kDense = 8;

/// The positions of pieces of `Bytes` bytes in 64 bytes.
template <std::int64_t Bytes>
struct Comb {
  explicit Comb(std::int64_t stride) : teeth((64 - Bytes) / stride + 1) {
    for (std::int64_t i = 0; i < teeth; ++i) mask |= ((std::uint64_t{1} << Bytes) - 1) << (i * stride);
  }
  std::int64_t teeth;
  std::uint64_t mask = 0;
};

template <std::int64_t Bytes>
bool is_dense(std::int64_t stride) {
  return stride > Bytes && (64 - Bytes) / stride + 1 >= kDense;
}

/// Copies pieces with a small stride into contiguous memory. Plain code copies the last pieces: 64 bytes from a piece
/// on are read only if a piece follows, and 64 bytes are written only if at least as many are still to be written.
template <std::int64_t Bytes>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2"), gnu::no_sanitize_address, gnu::no_sanitize_thread]] void
gather_dense_avx512(const StridedCopy& pieces) {
  const Comb<Bytes> comb(pieces.source_stride);
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  std::int64_t done = 0;
  for (; done + comb.teeth + 64 / Bytes < pieces.count; done += comb.teeth) {
    _mm512_storeu_si512(target, _mm512_maskz_compress_epi8(comb.mask, _mm512_loadu_si512(source)));
    target += comb.teeth * Bytes;
    source += comb.teeth * pieces.source_stride;
  }
  copy_plain<Bytes>(rest_after(pieces, done));
}

/// Copies contiguous pieces to places with a small stride. Masked stores do not touch the bytes between the pieces.
template <std::int64_t Bytes>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2"), gnu::no_sanitize_address]] void scatter_dense_avx512(
    const StridedCopy& pieces) {
  const Comb<Bytes> comb(pieces.target_stride);
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  std::int64_t done = 0;
  for (; done + 64 / Bytes <= pieces.count; done += comb.teeth) {
    _mm512_mask_storeu_epi8(target, comb.mask, _mm512_maskz_expand_epi8(comb.mask, _mm512_loadu_si512(source)));
    target += comb.teeth * pieces.target_stride;
    source += comb.teeth * Bytes;
  }
  copy_plain<Bytes>(rest_after(pieces, done));
}

template <std::int64_t Bytes>
void copy_small_avx512(const StridedCopy& pieces) {
  if (pieces.target_stride == Bytes && is_dense<Bytes>(pieces.source_stride))
    gather_dense_avx512<Bytes>(pieces);
  else if (pieces.source_stride == Bytes && is_dense<Bytes>(pieces.target_stride))
    scatter_dense_avx512<Bytes>(pieces);
  else
    copy_plain<static_cast<std::size_t>(Bytes)>(pieces);
}

/// Copies pieces of 8 bytes into contiguous memory that no cache holds.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] void gather_8_streamed(const StridedCopy& pieces) {
  const std::int64_t step = pieces.source_stride;
  const auto misplaced = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pieces.target) % 64);
  std::int64_t done = (64 - misplaced) % 64 / 8;
  StridedCopy head = pieces;
  head.count = done;
  copy_plain<8>(head);
  std::byte* target = pieces.target + done * 8;
  const std::byte* source = pieces.source + done * step;
  for (; done + 8 <= pieces.count; done += 8) {
    const __m256i low = _mm256_set_m128i(load_two_of_8(source + 2 * step, step), load_two_of_8(source, step));
    const __m256i high =
        _mm256_set_m128i(load_two_of_8(source + 6 * step, step), load_two_of_8(source + 4 * step, step));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target) + 1, high);
    source += 8 * step;
    target += 64;
  }
  _mm_sfence();
  copy_plain<8>(rest_after(pieces, done));
}

void copy_8_avx512(const StridedCopy& pieces) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(pieces.target) % 8 == 0;
  if (pieces.target_stride == 8 && aligned && pieces.count >= kStreamed / 8)
    gather_8_streamed(pieces);
  else
    copy_8_avx2(pieces);
}

/// Copies at most 64 bytes.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] inline void copy_line(std::byte* target,
                                                                               const std::byte* source,
                                                                               std::int64_t bytes) {
  const __mmask64 mask = ~std::uint64_t{0} >> (64 - bytes);
  _mm512_mask_storeu_epi8(target, mask, _mm512_maskz_loadu_epi8(mask, source));
}

/// Copies a piece of at least 192 bytes. All stores but the first and the last are of whole cache lines.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] inline void copy_long_piece(std::byte* target,
                                                                                     const std::byte* source,
                                                                                     std::int64_t bytes) {
  _mm512_storeu_si512(target, _mm512_loadu_si512(source));
  std::int64_t done = 64 - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target) % 64);
  for (; done + 64 <= bytes; done += 64) _mm512_store_si512(target + done, _mm512_loadu_si512(source + done));
  if (done < bytes) _mm512_storeu_si512(target + bytes - 64, _mm512_loadu_si512(source + bytes - 64));
}

/// Copies a piece of at least 192 bytes past the caches. No cache line gets both ordinary and streaming stores.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] inline void stream_long_piece(std::byte* target,
                                                                                       const std::byte* source,
                                                                                       std::int64_t bytes) {
  std::int64_t done = -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target)) & 63;
  if (done > 0) copy_line(target, source, done);
  for (; done + 64 <= bytes; done += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + done), _mm512_loadu_si512(source + done));
  if (done < bytes) copy_line(target + done, source + done, bytes - done);
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] void copy_short_pieces_avx512(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    copy_line(target, source, pieces.bytes);
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] void copy_long_pieces_avx512(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    copy_long_piece(target, source, pieces.bytes);
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] void stream_long_pieces_avx512(const StridedCopy& pieces) {
  std::byte* target = pieces.target;
  const std::byte* source = pieces.source;
  for (std::int64_t i = 0; i < pieces.count; ++i) {
    stream_long_piece(target, source, pieces.bytes);
    source += pieces.source_stride;
    target += pieces.target_stride;
  }
  _mm_sfence();
}

void copy_pieces_avx512(const StridedCopy& pieces) {
  const bool streamed = pieces.bytes * pieces.count >= kStreamed;
  if (pieces.bytes >= 24 && pieces.bytes <= 64)
    copy_short_pieces_avx512(pieces);
  else if (pieces.bytes >= 192 && streamed)
    stream_long_pieces_avx512(pieces);
  else if (pieces.bytes >= 192 && pieces.bytes < kLongPiece)
    copy_long_pieces_avx512(pieces);
  else
    copy_pieces_avx2(pieces);
}

/// Copies one piece of a list. With kLong the piece may have more than 64 bytes.
template <bool kLong>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] inline void copy_listed_piece(const ListedPiece& piece,
                                                                                       const std::byte* source,
                                                                                       std::byte* target) {
  if (!kLong || piece.bytes <= 64)
    copy_line(target + piece.target, source + piece.source, piece.bytes);
  else
    copy_bytes(target + piece.target, source + piece.source, piece.bytes);
}

template <bool kLong>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] void copy_near_list(ListedPieces pieces,
                                                                             const std::byte* source,
                                                                             std::byte* target) {
  for (std::size_t i = 0; i < pieces.size(); ++i) copy_listed_piece<kLong>(pieces[i], source, target);
}

/// Copies a list from memory that no cache holds, with prefetches: a core has fewer masked loads in flight than
/// prefetches.
template <bool kLong>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi2")]] void copy_far_list(ListedPieces pieces,
                                                                            const std::byte* source,
                                                                            std::byte* target) {
  constexpr std::size_t kAhead = 32;
  std::size_t i = 0;
  for (; i + kAhead < pieces.size(); ++i) {
    const ListedPiece ahead = pieces[i + kAhead];
    __builtin_prefetch(source + ahead.source);
    __builtin_prefetch(target + ahead.target, 1);
    copy_listed_piece<kLong>(pieces[i], source, target);
  }
  copy_near_list<kLong>(pieces.part(i, pieces.size()), source, target);
}

/// Copies a list. For short pieces of many lengths a masked copy needs no branch on the length, which no processor
/// predicts.
void copy_listed_avx512(ListedPieces pieces, const std::byte* source, std::byte* target) {
  constexpr std::int64_t kFar = std::int64_t{1} << 18;
  const CopyRun& list = pieces.list();
  if (pieces.one_length() != 0) {
    copy_plain_listed(pieces, source, target);
    return;
  }
  const bool is_long = list.target_stride > 64;
  if (list.bytes >= kFar && list.bytes / 64 <= list.count)
    (is_long ? copy_far_list<true> : copy_far_list<false>)(pieces, source, target);
  else
    (is_long ? copy_near_list<true> : copy_near_list<false>)(pieces, source, target);
}

constexpr CopyKernels kAvx512{"AVX-512",     copy_small_avx512<1>, copy_small_avx512<2>, copy_4_avx2,
                              copy_8_avx512, copy_plain<16>,       copy_pieces_avx512,   copy_listed_avx512};

/// Returns how many kernels of the list from plain to best this processor can run.
std::size_t count_runnable() {
  if (!static_cast<bool>(__builtin_cpu_supports("avx2"))) return 1;
  const bool avx512 =
      static_cast<bool>(__builtin_cpu_supports("avx512f")) && static_cast<bool>(__builtin_cpu_supports("avx512bw")) &&
      static_cast<bool>(__builtin_cpu_supports("avx512vl")) && static_cast<bool>(__builtin_cpu_supports("avx512vbmi2"));
  return avx512 ? 3 : 2;
}

constexpr std::array kKernels{kPlain, kAvx2, kAvx512};

#else

std::size_t count_runnable() { return 1; }

constexpr std::array kKernels{kPlain};

#endif

const CopyKernels kBest = kKernels[count_runnable() - 1];

}  // namespace

void CopyKernels::copy(const StridedCopy& of) const {
  switch (of.bytes) {
    case 1:
      return pieces_of_1(of);
    case 2:
      return pieces_of_2(of);
    case 4:
      return pieces_of_4(of);
    case 8:
      return pieces_of_8(of);
    case 16:
      return pieces_of_16(of);
    default:
      return pieces(of);
  }
}

std::span<const CopyKernels> available_copy_kernels() { return std::span(kKernels).first(count_runnable()); }

void copy_pieces(const StridedCopy& pieces) { kBest.copy(pieces); }

void copy_listed(ListedPieces pieces, const std::byte* source, std::byte* target) {
  kBest.listed(pieces, source, target);
}

}  // namespace rondo::internal
