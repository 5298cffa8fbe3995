#include "runtime/shared_memory/partner_segments.hpp"

#include <utility>

namespace rondo::internal {

Attempt<std::span<std::byte>> PartnerSegments::map(const NodeCard& owner, const SegmentCard& card) {
  const std::pair key(owner.pid, card);
  const auto known = mapped_.find(key);
  if (known != mapped_.end()) return known->second.memory();
  Attempt<MappedSegment> opened = MappedSegment::open(owner.pid, card);
  if (!opened) return opened.refusal();
  return mapped_.emplace(key, std::move(*opened)).first->second.memory();
}

}  // namespace rondo::internal
