/// @file
/// Segment: memory that partners on the same node can map. A segment has no name in any file system, so nothing is left
/// of it when its processes are gone, however they end.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_SEGMENT_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_SEGMENT_HPP

#include "runtime/shared_memory/attempt.hpp"
#include "runtime/shared_memory/descriptor.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace rondo::internal {

/// A number at a segment's beginning that nobody can guess. It is known through cards only, so it proves that what a
/// partner opened is the segment of the card.
using Nonce = std::array<std::uint64_t, 2>;

/// The data that a partner needs to map a segment of a process that it knows. Travels as bytes.
struct SegmentCard {
  std::uint64_t size = 0;  ///< in bytes
  Nonce nonce{};
  std::int32_t descriptor = -1;  ///< descriptor of the process that made the segment
  std::uint32_t unused = 0;

  auto operator<=>(const SegmentCard&) const = default;
};
static_assert(std::is_trivially_copyable_v<SegmentCard> && std::has_unique_object_representations_v<SegmentCard>);

/// Bytes at a segment's beginning that hold its nonce and are not used otherwise: a cache line.
inline constexpr std::size_t kSegmentHeader = 64;

/// Returns the size of a page, in bytes. Segments are whole pages.
[[nodiscard]] std::size_t page_size() noexcept;

/// A mapping of the whole of a shared file, in this process only. A child after fork() has private zeros at that place.
/// Objects that exit() destroys in the child, such as a request, may read, write and unmap these, and no partner sees
/// it.
class SharedMapping {
 public:
  static Attempt<SharedMapping> make(const Descriptor& file, std::size_t bytes) noexcept;
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;
  ~SharedMapping();

  [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }

 private:
  struct List;
  static List all_;
  SharedMapping() noexcept;

  std::span<std::byte> memory_;
  SharedMapping* before_ = nullptr;  ///< in the list of all mappings
  SharedMapping* after_ = nullptr;
};

/// When a segment takes its memory.
enum class SegmentMemory : std::uint8_t {
  now,  ///< at once, so that there is enough of it later
  /// Page by page, near the core of the thread that touches a page first, as heap memory; at once if the system does
  /// not overcommit memory.
  as_touched,
};

/// A segment of this process. It holds zeros except for the nonce, and its size can never change, so that no access
/// fails. Only processes of its user can open it, by the descriptor, which stays open.
class Segment {
 public:
  /// Makes a segment of `bytes` bytes, at least a header, rounded up to whole pages. Thread-safe.
  static Attempt<Segment> make(std::size_t bytes, SegmentMemory memory = SegmentMemory::now) noexcept;

  [[nodiscard]] std::span<std::byte> memory() const noexcept { return mapping_.memory(); }
  [[nodiscard]] SegmentCard card() const noexcept;

 private:
  Segment(Descriptor file, SharedMapping mapping, Nonce nonce) noexcept
      : file_(std::move(file)), mapping_(std::move(mapping)), nonce_(nonce) {}

  Descriptor file_;
  SharedMapping mapping_;
  Nonce nonce_;
};

/// A mapped segment of a partner. Stays as long as it is mapped, even if the partner ends.
class MappedSegment {
 public:
  /// Opens the segment of `card` in the process `pid`, and proves by size, seals and nonce that it is the right one.
  /// Thread-safe.
  static Attempt<MappedSegment> open(std::int32_t pid, const SegmentCard& card) noexcept;

  [[nodiscard]] std::span<std::byte> memory() const noexcept { return mapping_.memory(); }

 private:
  explicit MappedSegment(SharedMapping mapping) noexcept : mapping_(std::move(mapping)) {}

  SharedMapping mapping_;
};

}  // namespace rondo::internal

#endif
