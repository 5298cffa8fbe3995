/// @file
/// Memory for the arrays of users, of which partners can read and write what operations let them.
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

/// Where a part of a user's array lies, for a partner that maps it.
struct ArrayPlace {
  std::shared_ptr<const void> array;  ///< as long as it is held the array's memory stays, freed or not
  SegmentCard segment;
  std::uint64_t offset = 0;  ///< in that segment
  std::byte* data = nullptr;
};

/// All arrays that a process has allocated. Long ones have a segment of their own, which ends with them; short ones
/// share some that stay. Where no segment can be had an array comes from the heap, and the log says so once; so do
/// those of a child after fork(). Any thread; must live as long as the process, as a SegmentSpace.
class AllocatedMemory {
 public:
  static constexpr std::size_t kAlignment = kCacheLine;
  /// Bytes from which on an array has a segment of its own.
  static constexpr std::size_t kOwnSegment = std::size_t{256} << 10U;

  static AllocatedMemory& process();

  /// `use`: off: from the heap. Zero bytes have an address of their own, too. Throws std::bad_alloc.
  [[nodiscard]] void* take(std::size_t bytes, SharedMemory use);
  /// False, and nothing is done, where `memory` is not the beginning of an array. In a child after fork(), which has
  /// the addresses but not the memory, nothing but that is looked at.
  [[nodiscard]] bool give_back(void* memory) noexcept;
  /// The array in which `bytes` bytes at `address` lie whole; nothing where there is none, or no partner can map it.
  [[nodiscard]] std::optional<ArrayPlace> find(const void* address, std::size_t bytes) const;
  /// Whether there has ever been an array that partners could map.
  [[nodiscard]] bool ever_shared() const noexcept {
    return shared_.load(std::memory_order_relaxed);  // relaxed: who asks for an array got it before
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
  std::atomic<std::size_t> own_segments_ = 0;  ///< of long arrays
  pid_t process_ = ::getpid();
  bool told_ = false;
};

}  // namespace rondo::internal

#endif
