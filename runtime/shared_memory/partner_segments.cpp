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

Attempt<std::shared_ptr<const MappedSegment>> PartnerSegments::borrow(const NodeCard& owner, const SegmentCard& card) {
  std::erase_if(borrowed_, [](const auto& it) { return it.second.expired(); });
  const std::pair key(owner.pid, card);
  if (const auto known = borrowed_.find(key); known != borrowed_.end()) {
    if (std::shared_ptr<const MappedSegment> held = known->second.lock()) return held;
  }
  Attempt<MappedSegment> opened = MappedSegment::open(owner.pid, card);
  if (!opened) return opened.refusal();
  auto made = std::make_shared<const MappedSegment>(std::move(*opened));
  borrowed_.insert_or_assign(key, made);
  return std::shared_ptr<const MappedSegment>(std::move(made));
}

}  // namespace rondo::internal
