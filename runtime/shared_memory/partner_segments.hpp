/// @file
/// PartnerSegments: the segments of partners that this process has mapped.
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

/// Maps each segment once. A mapping is kept, or its borrowers keep it. One thread at a time. Must live as long as the
/// process, as a SegmentSpace.
class PartnerSegments {
 public:
  /// Maps the whole segment of `card`, which the process of `owner` has made. sharing() with that process must be
  /// possible. After a failure the next call tries again. Throws std::bad_alloc.
  Attempt<std::span<std::byte>> map(const NodeCard& owner, const SegmentCard& card);

  /// Maps a segment that ends before its process does: it stays mapped while somebody holds the result.
  Attempt<std::shared_ptr<const MappedSegment>> borrow(const NodeCard& owner, const SegmentCard& card);

  [[nodiscard]] std::size_t segments() const noexcept { return mapped_.size(); }

 private:
  using Key = std::pair<std::int32_t, SegmentCard>;  ///< key of a segment: pid and card
  std::map<Key, MappedSegment> mapped_;
  std::map<Key, std::weak_ptr<const MappedSegment>> borrowed_;
};

}  // namespace rondo::internal

#endif
