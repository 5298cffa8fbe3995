/// @file
/// MatchTable: a table of the messages to one rank of which only one end was posted.
#ifndef RONDO_RUNTIME_MACHINE_MATCH_TABLE_HPP
#define RONDO_RUNTIME_MACHINE_MATCH_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace rondo::internal::machine {

/// The number of a message in its LogGPNetwork.
using ParcelId = std::uint32_t;
inline constexpr ParcelId kNoParcel = std::numeric_limits<ParcelId>::max();

/// A MatchTable maps a source and a tag to a list of messages, which are linked elsewhere. It uses open addressing: 16
/// bytes an entry, because a process has tens of millions of entries.
class MatchTable {
 public:
  struct List {
    ParcelId first = kNoParcel;
    ParcelId last = kNoParcel;
  };

  /// Returns the list of a key (source and tag), or null if it has none. Valid until the next insert() or erase().
  [[nodiscard]] List* find(int source, int tag) noexcept {
    if (used_ == 0) return nullptr;
    Entry& entry = entries_[place_of(key_of(source, tag))];
    return entry.is_used() ? &entry.list : nullptr;
  }
  /// Adds a list of one message for a key that has no list.
  void insert(int source, int tag, ParcelId parcel) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    const std::uint64_t key = key_of(source, tag);
    entries_[place_of(key)] = {{parcel, parcel}, key};
    ++used_;
  }
  /// Removes the list of a key that has one.
  void erase(int source, int tag) noexcept {
    std::size_t hole = place_of(key_of(source, tag));
    entries_[hole] = {};
    --used_;
    // Entries that were pushed past the hole move back into it.
    for (std::size_t at = next(hole); entries_[at].is_used(); at = next(at)) {
      if (distance(home(entries_[at].key), at) < distance(hole, at)) continue;
      entries_[hole] = std::exchange(entries_[at], Entry{});
      hole = at;
    }
  }
  /// Returns the number of keys that have a list.
  [[nodiscard]] std::size_t size() const noexcept { return used_; }

 private:
  struct Entry {
    List list;
    std::uint64_t key = 0;
    [[nodiscard]] bool is_used() const noexcept { return list.first != kNoParcel; }
  };

  [[nodiscard]] static std::uint64_t key_of(int source, int tag) noexcept {
    return (std::uint64_t{static_cast<std::uint32_t>(source)} << 32U) | static_cast<std::uint32_t>(tag);
  }
  [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32U) & (entries_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & (entries_.size() - 1); }
  [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const noexcept {
    return (to - from) & (entries_.size() - 1);
  }
  /// Returns the place of a key, or the place where it would be inserted.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
    std::size_t at = home(key);
    while (entries_[at].is_used() && entries_[at].key != key) at = next(at);
    return at;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.is_used()) entries_[place_of(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;  ///< their number is a power of two
  std::size_t used_ = 0;
};

}  // namespace rondo::internal::machine

#endif
