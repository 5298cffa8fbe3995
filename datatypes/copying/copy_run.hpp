/// @file
/// CopyRun: one entry of a copy program. ListedPieces: the pieces of a list among these entries.
#ifndef RONDO_DATATYPES_COPYING_COPY_RUN_HPP
#define RONDO_DATATYPES_COPYING_COPY_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace rondo::internal {

/// One entry of a copy program. All offsets are in bytes, relative to the two base addresses.
///
/// A run (`body` 0): `count` pieces of `bytes` bytes, from `source` to `target` and one stride further each time.
///
/// A growing run (`body` kGrowing): as a run, but after each piece its strides and its length change by
/// `source_stride`, `target_stride` and `bytes` of the next entry, which is no run by itself.
///
/// A list (`body` kListed): `count` pieces of `bytes` bytes in all, each at the place of a ListedPiece. The
/// ListedPieces fill the memory of the next entries, which are no runs by themselves. `source_stride` and
/// `target_stride` are the lengths of the shortest and of the longest piece.
///
/// A loop: the next `body` entries `count` times, with both base addresses moved by `source` and `target`, and by one
/// stride more in each pass. Each pass copies `bytes` bytes.
struct CopyRun {
  std::int64_t source;
  std::int64_t target;
  std::int64_t source_stride;
  std::int64_t target_stride;
  std::int64_t bytes;
  std::uint32_t count;
  std::uint32_t body;
};
static_assert(sizeof(CopyRun) == 48 && std::is_trivially_copyable_v<CopyRun>);
inline constexpr std::uint32_t kGrowing = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kListed = kGrowing - 1;

[[nodiscard]] constexpr bool is_loop(const CopyRun& run) noexcept { return run.body != 0 && run.body < kListed; }

/// A piece of a list. `source` and `target` are offsets from `source` and `target` of the list's CopyRun.
struct ListedPiece {
  std::int32_t source;
  std::int32_t target;
  std::uint32_t bytes;

  // Copies number by number, so that compilers keep the numbers in registers.
  [[nodiscard]] static ListedPiece read(const std::byte* memory) noexcept {
    ListedPiece piece;
    std::memcpy(&piece.source, memory + offsetof(ListedPiece, source), sizeof piece.source);
    std::memcpy(&piece.target, memory + offsetof(ListedPiece, target), sizeof piece.target);
    std::memcpy(&piece.bytes, memory + offsetof(ListedPiece, bytes), sizeof piece.bytes);
    return piece;
  }
  void write(std::byte* memory) const noexcept {
    std::memcpy(memory + offsetof(ListedPiece, source), &source, sizeof source);
    std::memcpy(memory + offsetof(ListedPiece, target), &target, sizeof target);
    std::memcpy(memory + offsetof(ListedPiece, bytes), &bytes, sizeof bytes);
  }
};
static_assert(sizeof(ListedPiece) == 12 && std::is_trivially_copyable_v<ListedPiece>);
inline constexpr std::uint32_t kPiecesPerEntry = sizeof(CopyRun) / sizeof(ListedPiece);

/// A range of the pieces of a list. Fits two registers.
class ListedPieces {
 public:
  /// Makes the range of all pieces of the list with which `program` begins. Refers to the program.
  explicit ListedPieces(std::span<const CopyRun> program) noexcept
      : ListedPieces(program.data(), 0, program.front().count) {}

  /// Returns the entry of the whole list.
  [[nodiscard]] const CopyRun& list() const noexcept { return *list_; }
  /// Returns the length that all pieces of the whole list have, or 0 if their lengths differ.
  [[nodiscard]] std::int64_t one_length() const noexcept {
    return list_->source_stride == list_->target_stride ? list_->source_stride : 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] ListedPiece operator[](std::size_t i) const noexcept {
    return ListedPiece::read(reinterpret_cast<const std::byte*>(list_ + 1) + (begin_ + i) * sizeof(ListedPiece));
  }
  /// Returns the pieces [begin, end) of this range.
  [[nodiscard]] ListedPieces part(std::size_t begin, std::size_t end) const noexcept {
    return {list_, begin_ + static_cast<std::uint32_t>(begin), begin_ + static_cast<std::uint32_t>(end)};
  }

 private:
  ListedPieces(const CopyRun* list, std::uint32_t begin, std::uint32_t end) noexcept
      : list_(list), begin_(begin), end_(end) {}

  const CopyRun* list_;
  std::uint32_t begin_;
  std::uint32_t end_;
};

}  // namespace rondo::internal

#endif
