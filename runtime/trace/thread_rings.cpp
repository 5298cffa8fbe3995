#include "runtime/trace/thread_rings.hpp"

#include <new>

namespace rondo::internal {

ThreadRings::Slot* ThreadRings::find(std::uint32_t thread) noexcept {
  for (std::size_t i = 0; i < kMostThreads; ++i) {
    Slot& slot = slots_[(thread + i) % kMostThreads];
    std::uint32_t owner = slot.owner.load(std::memory_order_acquire);  // acquire: as in add()
    if (owner == kNobody) {
      const std::scoped_lock lock(making_);
      owner = slot.owner.load(std::memory_order_relaxed);  // relaxed: under the lock
      if (owner == kNobody) {
        try {
          slot.ring = std::make_unique<TraceRing>(capacity_);
        } catch (const std::bad_alloc&) {
          return nullptr;
        }
        slot.owner.store(thread,
                         std::memory_order_release);  // release: see add()
        return &slot;
      }
    }
    if (owner == thread) return &slot;
  }
  return nullptr;
}

}  // namespace rondo::internal
