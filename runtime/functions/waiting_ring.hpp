/// @file
/// WaitingRing: a queue of items, which any of several threads may push and take.
#ifndef RONDO_RUNTIME_FUNCTIONS_WAITING_RING_HPP
#define RONDO_RUNTIME_FUNCTIONS_WAITING_RING_HPP

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal {

/// The types and memory orders of a ring. A proof replaces them by a model of memory and weakens the orders, one at a
/// time. Both orders are also used on one side of FunctionCrew::push(), where each thread first writes and then reads.
template <typename Item>
struct WaitingRingMemory {
  using Word = std::atomic<std::uint64_t>;
  using Cell = Item;
  static constexpr std::memory_order fill = std::memory_order_seq_cst;  // releases the item
  static constexpr std::memory_order look = std::memory_order_seq_cst;  // acquires it
  template <typename Place>
  [[nodiscard]] static std::vector<Place> places(std::size_t count) {
    return std::vector<Place>(count);
  }
};

/// A lock-free first-in, first-out queue. Numbers of places only grow, so that a thread that was asleep for long cannot
/// mistake one for another. At most `most` items come in a round. The next round begins when all of them were taken,
/// and whoever pushes knows that. So the ring never overflows, and no place is written while it is read.
template <typename Item, typename Memory = WaitingRingMemory<Item>>
class WaitingRing {
 public:
  /// Makes a ring for up to `most` items in a round. Throws std::bad_alloc.
  explicit WaitingRing(std::size_t most)
      : mask_(std::bit_ceil(std::max<std::size_t>(most, 1)) - 1), places_(Memory::template places<Place>(mask_ + 1)) {}

  void push(Item item) noexcept {
    const std::uint64_t number = pushed_.fetch_add(1, std::memory_order_relaxed);  // relaxed: only decides the place
    Place& place = places_[number & mask_];
    place.item = item;
    place.filled.store(number + 1, Memory::fill);
  }
  /// Takes the next item, which no other thread gets. Returns null if there is none, or if the thread that pushes the
  /// next item has not finished.
  [[nodiscard]] Item take() noexcept {
    std::uint64_t number = taken_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
    while (is_next(number)) {
      // seq_cst: see is_next(); relaxed: a failure only yields another number
      if (taken_.compare_exchange_weak(number, number + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        return places_[number & mask_].item;
    }
    return {};
  }
  [[nodiscard]] bool empty() const noexcept {
    std::uint64_t number = taken_.load(std::memory_order_relaxed);  // relaxed: see is_next()
    return !is_next(number);
  }
  /// Returns approximately how many items wait: a hint.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return pushed_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_relaxed);  // relaxed: a hint
  }

 private:
  using Word = typename Memory::Word;
  struct Place {
    Word filled{};  ///< number of the item in this place, counted from 1
    typename Memory::Cell item{};
  };

  /// Returns whether the next place to be taken is filled. `number`, which may be an old one, becomes its number.
  [[nodiscard]] bool is_next(std::uint64_t& number) const noexcept {
    while (true) {
      if (places_[number & mask_].filled.load(Memory::look) == number + 1) return true;
      // The place is not filled, or was taken already: in this round, or in an earlier one if this thread was asleep.
      // seq_cst: a number that is not the newest is no reason to say that nothing waits.
      const std::uint64_t now = taken_.load(std::memory_order_seq_cst);
      if (now == number) return false;
      number = now;
    }
  }

  std::size_t mask_;
  decltype(Memory::template places<Place>(0)) places_;
  alignas(64) Word pushed_{};
  alignas(64) Word taken_{};
};

}  // namespace rondo::internal

#endif
