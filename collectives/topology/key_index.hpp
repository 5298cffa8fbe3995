/// @file
/// Numbers for displacements on a grid: what schedules are built from is found by them, by hashing.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_KEY_INDEX_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_KEY_INDEX_HPP

#include "collectives/topology/grid.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal {

/// Makes one number of a displacement of d residues, in which each is a digit; a residue of zero is a digit of zero. On
/// a mesh, displacements that lead from some process to another have keys, and no others.
class DisplacementKeys {
 public:
  explicit DisplacementKeys(const Grid& grid) {
    std::int64_t stride = 1;  // stays below p * 2^d, where dimensions of size 1 do not count
    for (int k = 0; k < grid.dimensions(); ++k) {
      const std::int64_t size = grid.sizes()[static_cast<std::size_t>(k)];
      digits_.push_back({stride, grid.periodic(k) ? size : 2 * size - 1});
      stride *= digits_.back().values;
    }
  }

  [[nodiscard]] std::int64_t key(std::span<const int> residues) const {
    std::int64_t key = 0;
    for (std::size_t k = 0; k < residues.size(); ++k)
      key += (residues[k] < 0 ? residues[k] + digits_[k].values : residues[k]) * digits_[k].stride;
    return key;
  }
  /// Digit k of a key, and the number of values that it can have.
  [[nodiscard]] std::int64_t digit(std::int64_t key, std::size_t k) const {
    return key / digits_[k].stride % digits_[k].values;
  }
  [[nodiscard]] std::int64_t values(std::size_t k) const { return digits_[k].values; }
  /// What residue k adds to a key.
  [[nodiscard]] std::int64_t part(std::int64_t key, std::size_t k) const { return digit(key, k) * digits_[k].stride; }

 private:
  struct Digit {
    std::int64_t stride;
    std::int64_t values;
  };
  std::vector<Digit> digits_;
};

/// A map from keys of at least 0 to numbers, made for building schedules: one array, nothing is ever taken out. A
/// look-up costs a few nanoseconds, where std::unordered_map allocates for every key.
class KeyIndex {
 public:
  explicit KeyIndex(std::size_t expected = 16) : slots_(std::bit_ceil(2 * expected + 1), Slot{kFree, 0}) {}

  /// The number of `key`, which is `number` from now on when it had none.
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
