/// @file
/// AllocatedMemory: memory for the arrays of users, which partners access as far as operations let them.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_ALLOCATED_MEMORY_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_ALLOCATED_MEMORY_HPP

#include <rondo/options.hpp>

#include "runtime/shared_memory/segment.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace rondo::internal {

/// The place of a part of a user's array, for a partner that maps it.
struct ArrayPlace {
  std::shared_ptr<const void> array;  ///< keeps the array's memory while it is held, even if the array is freed
  SegmentCard segment;
  std::uint64_t offset = 0;  ///< offset in the segment
  std::byte* data = nullptr;
};

/// All arrays of a process. A long one has a segment of its own, which ends with it; short ones share segments that
/// stay. If no segment can be had, an array comes from the heap, and the log says so once; so do arrays of a child
/// after fork(). Thread-safe. Must live as long as the process, as a SegmentSpace.
class AllocatedMemory {
 public:
  static constexpr std::size_t kAlignment = kCacheLine;
  /// Bytes from which on an array has a segment of its own.
  static constexpr std::size_t kOwnSegment = std::size_t{256} << 10U;

  static AllocatedMemory& process();

  /// Allocates an array: from the heap if `use` is off. An array of zero bytes has a distinct address, too. Throws
  /// std::bad_alloc.
  [[nodiscard]] void* take(std::size_t bytes, SharedMemory use);
  /// Frees an array. Returns false if `memory` is not the beginning of one. In a child after fork(), which has the
  /// addresses of its parent's arrays but not the memory, nothing else is done for these.
  [[nodiscard]] bool give_back(void* memory) noexcept;
  /// Returns the array in which `bytes` bytes at `address` lie completely; nothing if there is no such array, or no
  /// partner can map it.
  [[nodiscard]] std::optional<ArrayPlace> find(const void* address, std::size_t bytes) const;
  /// Returns whether there has ever been an array that partners could map.
  [[nodiscard]] bool ever_shared() const noexcept {
    return shared_.load(std::memory_order_relaxed);  // relaxed: a caller that asks about an array got it before
  }
  [[nodiscard]] std::size_t arrays() const;

 private:
  class Array;
  [[nodiscard]] Attempt<std::shared_ptr<Array>> take_shared(std::size_t bytes);
  [[nodiscard]] std::shared_ptr<Array> take_from_heap(std::size_t bytes);
  void tell_once(const std::string& reason, bool expected);

  mutable std::mutex mutex_;
  std::map<const std::byte*, std::shared_ptr<Array>> arrays_;
  SegmentSpace short_ones_{std::size_t{1} << 40U};
  std::atomic<bool> shared_ = false;
  std::atomic<std::size_t> own_segments_ = 0;  ///< segments of long arrays
  pid_t process_ = ::getpid();
  bool told_ = false;
};

}  // namespace rondo::internal

#endif
