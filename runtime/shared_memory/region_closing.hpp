/// @file
/// Closing: how a partner says that it is done with memory of somebody else.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_REGION_CLOSING_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_REGION_CLOSING_HPP

#include "runtime/shared_memory/slot.hpp"

namespace rondo::internal {

/// Memory orders of the protocol; a proof weakens them, one at a time.
struct ClosingOrders {
  static constexpr std::memory_order close = std::memory_order_release;  // the last access before the news of it
  static constexpr std::memory_order look = std::memory_order_acquire;   // that news before the memory's next use
};

// Each partner that a region is offered to has a word in it, 0 at first. Offers, and with them the zeros, come by
// messages of MPI.

/// By the partner, after its last access to the region, in which this word lies.
template <typename Orders = ClosingOrders, typename Word = SharedWord>
void close_region(Word& word) noexcept {
  word.store(1, Orders::close);
}

/// By the owner, which uses the region for something else only when all that it was offered to have closed it.
template <typename Orders = ClosingOrders, typename Word = SharedWord>
[[nodiscard]] bool is_closed(const Word& word) noexcept {
  return word.load(Orders::look) != 0;
}

}  // namespace rondo::internal

#endif
