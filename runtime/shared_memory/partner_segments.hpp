/// @file
/// The segments of partners that this process has mapped.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_PARTNER_SEGMENTS_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_PARTNER_SEGMENTS_HPP

#include "runtime/shared_memory/attempt.hpp"
#include "runtime/shared_memory/node_card.hpp"
#include "runtime/shared_memory/segment.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace rondo::internal {

/// Maps each segment once, and keeps it, or has others keep it. One thread at a time. Must live as long as the process,
/// as a SegmentSpace.
class PartnerSegments {
 public:
  /// The whole segment that `card` is of, made by the process that `owner` is of, with which sharing() is possible.
  /// What could not be mapped is tried again by the next call. Throws std::bad_alloc.
  Attempt<std::span<std::byte>> map(const NodeCard& owner, const SegmentCard& card);

  /// The same for a segment that ends before its process does: it stays mapped for as long as somebody holds it.
  Attempt<std::shared_ptr<const MappedSegment>> borrow(const NodeCard& owner, const SegmentCard& card);

  [[nodiscard]] std::size_t segments() const noexcept { return mapped_.size(); }

 private:
  using Key = std::pair<std::int32_t, SegmentCard>;  ///< begins with the pid
  std::map<Key, MappedSegment> mapped_;
  std::map<Key, std::weak_ptr<const MappedSegment>> borrowed_;
};

}  // namespace rondo::internal

#endif
