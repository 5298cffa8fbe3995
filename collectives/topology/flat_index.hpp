/// @file
/// FlatIndex: maps keys to numbers by hashing, for building schedules.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_FLAT_INDEX_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_FLAT_INDEX_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A map from keys of at least 0 to numbers, made for building schedules: one array, from which nothing is ever
/// removed. A search costs a few nanoseconds, while std::unordered_map allocates for every key.
class FlatIndex {
 public:
  explicit FlatIndex(std::size_t expected = 16) : slots_(std::bit_ceil(2 * expected + 1), Slot{kFree, 0}) {}

  /// Returns the number of `key`, which becomes `number` if it had none.
  std::uint32_t find_or_add(std::int64_t key, std::uint32_t number) {
    if (2 * size_ >= slots_.size()) grow();
    Slot& slot = slot_of(key);
    if (slot.key == kFree) {
      slot = {key, number};
      ++size_;
    }
    return slot.number;
  }
  /// Forgets all keys and keeps the memory.
  void clear() {
    slots_.assign(slots_.size(), Slot{kFree, 0});
    size_ = 0;
  }

 private:
  static constexpr std::int64_t kFree = -1;
  struct Slot {
    std::int64_t key;
    std::uint32_t number;
  };

  Slot& slot_of(std::int64_t key) {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t hash = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U;
    for (std::size_t place = hash >> 32U & mask;; place = (place + 1) & mask) {
      if (slots_[place].key == key || slots_[place].key == kFree) return slots_[place];
    }
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{kFree, 0});
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.key != kFree) slot_of(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace rondo::internal

#endif
