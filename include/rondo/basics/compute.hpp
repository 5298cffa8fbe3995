/// @file
/// The user's functions that run as tasks of a schedule, and their arguments.
#ifndef RONDO_BASICS_COMPUTE_HPP
#define RONDO_BASICS_COMPUTE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

namespace rondo {

namespace internal {

/// A block as a function finds it: `bytes` bytes at `offset` of a space. If the block has a layout, `layout` is that
/// layout's number in the computation, and `offset` is the place from which the layout counts.
struct ComputedBlock {
  static constexpr std::uint32_t kContiguous = ~std::uint32_t{0};

  std::int64_t offset;
  std::int64_t bytes;
  std::uint32_t space;
  std::uint32_t layout;  ///< number of the layout, or kContiguous
};
static_assert(sizeof(ComputedBlock) == 24 && std::is_trivially_copyable_v<ComputedBlock>);

}  // namespace internal

/// The blocks of a compute task in the buffers of the operation that runs it: those that it reads and those that it
/// writes, each list in the order in which the lowering named them. A value, valid until the function returns.
///
/// All functions throw Error, MPI_ERR_ARG, for a block that does not exist; as any exception, this ends the operation.
class ComputeBlocks {
 public:
  /// For Rondo only: `blocks` lists first the `reads` blocks that are read, then the `writes` blocks that are written;
  /// `bases` has the address of each space.
  ComputeBlocks(const internal::ComputedBlock* blocks, std::uint32_t reads, std::uint32_t writes,
                std::byte* const* bases) noexcept
      : blocks_(blocks), bases_(bases), reads_(reads), writes_(writes) {}

  /// The numbers of blocks that the task reads and writes.
  [[nodiscard]] std::size_t reads() const noexcept { return reads_; }
  [[nodiscard]] std::size_t writes() const noexcept { return writes_; }

  /// Returns the elements of block i of the blocks that the task reads; none if the block has no bytes. Throws Error
  /// (MPI_ERR_ARG) also if the block is not in one piece, because the elements of its datatype have gaps, if it is no
  /// whole number of elements, and if it is not aligned for them.
  template <typename T>
  [[nodiscard]] std::span<const T> read(std::size_t i) const {
    return elements<const T>(i, reads_, 0, "read");
  }
  /// Returns the elements of block i of the blocks that the task writes; throws as read(). The function leaves the
  /// block's new value there. If the task also reads the block, the function finds the value there that the last task
  /// left.
  template <typename T>
  [[nodiscard]] std::span<T> write(std::size_t i) const {
    return elements<T>(i, writes_, reads_, "write");
  }
  /// Return the address from which the datatype of block i counts, whatever its layout, as MPI's functions take it. The
  /// lowering knows the datatype.
  [[nodiscard]] const void* read_address(std::size_t i) const { return address(i, reads_, 0, "read_address"); }
  [[nodiscard]] void* write_address(std::size_t i) const { return address(i, writes_, reads_, "write_address"); }

 private:
  [[noreturn]] static void refuse_number(const char* function, std::size_t i, std::uint32_t count);
  [[noreturn]] static void refuse_elements(const char* function, std::size_t i, const internal::ComputedBlock& block,
                                           std::size_t size, std::size_t alignment);

  [[nodiscard]] std::byte* address(std::size_t i, std::uint32_t count, std::uint32_t first,
                                   const char* function) const {
    if (i >= count) [[unlikely]]
      refuse_number(function, i, count);
    const internal::ComputedBlock& block = blocks_[first + i];
    return bases_[block.space] + block.offset;
  }
  template <typename T>
  [[nodiscard]] std::span<T> elements(std::size_t i, std::uint32_t count, std::uint32_t first,
                                      const char* function) const {
    static_assert(std::is_trivially_copyable_v<T>, "blocks are bytes, and so elements must be trivially copyable");
    std::byte* const begin = address(i, count, first, function);
    const internal::ComputedBlock& block = blocks_[first + i];
    const auto bytes = static_cast<std::size_t>(block.bytes);
    if (bytes == 0) [[unlikely]]
      return {};
    if (block.layout != internal::ComputedBlock::kContiguous || bytes % sizeof(T) != 0 ||
        reinterpret_cast<std::uintptr_t>(begin) % alignof(T) != 0) [[unlikely]]
      refuse_elements(function, i, block, sizeof(T), alignof(T));
    return {reinterpret_cast<T*>(begin), bytes / sizeof(T)};
  }

  const internal::ComputedBlock* blocks_;
  std::byte* const* bases_;
  std::uint32_t reads_;
  std::uint32_t writes_;
};

/// A function that a compute task runs.
using ComputeFunction = std::function<void(const ComputeBlocks& blocks)>;

}  // namespace rondo

#endif
