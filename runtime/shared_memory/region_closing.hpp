/// @file
/// Closing: how a partner says that it no longer accesses memory of another process.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_REGION_CLOSING_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_REGION_CLOSING_HPP

#include "runtime/shared_memory/slot.hpp"

namespace rondo::internal {

/// Memory orders of the protocol. Each comment says what must come before what. A proof weakens the orders, one at a
/// time.
struct ClosingOrders {
  static constexpr std::memory_order close = std::memory_order_release;  // the last access before the news of it
  static constexpr std::memory_order look = std::memory_order_acquire;   // that news before the memory's next use
};

// Each partner to which a region is offered has a word in the region, 0 at first. Offers, and with them the zeros,
// arrive by MPI messages.

/// Closes a region. The partner calls this after its last access to the region, in which the word lies.
template <typename Orders = ClosingOrders, typename Word = SharedWord>
void close_region(Word& word) noexcept {
  word.store(1, Orders::close);
}

/// Returns whether the partner of this word has closed the region. The owner reuses the region only when all partners
/// to which it was offered have closed it.
template <typename Orders = ClosingOrders, typename Word = SharedWord>
[[nodiscard]] bool is_closed(const Word& word) noexcept {
  return word.load(Orders::look) != 0;
}

}  // namespace rondo::internal

#endif
