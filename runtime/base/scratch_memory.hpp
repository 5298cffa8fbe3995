/// @file
/// ScratchMemory: memory that holds blocks between two tasks.
#ifndef RONDO_RUNTIME_BASE_SCRATCH_MEMORY_HPP
#define RONDO_RUNTIME_BASE_SCRATCH_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

namespace rondo::internal {

/// A piece of uninitialized memory, aligned to a cache line; in huge pages if it fills at least one and the system has
/// them.
class ScratchMemory {
 public:
  /// Allocates `bytes` bytes. Throws std::bad_alloc.
  explicit ScratchMemory(std::int64_t bytes);
  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }

 private:
  struct Release {
    std::size_t alignment;
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Release> memory_;
};

}  // namespace rondo::internal

#endif
