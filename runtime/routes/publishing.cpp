#include "runtime/routes/publishing.hpp"

#include "runtime/shared_memory/region_closing.hpp"

#include <cstring>
#include <utility>

namespace rondo::internal {
namespace {

/// A table begins with a word in which its reader says that it has closed its end, and the number of entries.
constexpr std::size_t kTableClosed = 0;
constexpr std::size_t kTableEntries = sizeof(SharedWord);
constexpr std::size_t kTableHead = 2 * sizeof(SharedWord);

struct TableEntry {
  std::uint64_t message;              ///< place in the planned direction
  std::array<std::uint64_t, 2> data;  ///< offsets in the segment
};

constexpr std::size_t table_size(std::uint64_t entries) noexcept { return kTableHead + entries * sizeof(TableEntry); }
constexpr std::size_t whole_lines(std::size_t bytes) noexcept {
  return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}
SharedWord* table_word(std::byte* table, std::size_t offset) noexcept {
  return reinterpret_cast<SharedWord*>(table + offset);
}

}  // namespace

void Publisher::add(std::int64_t bytes, std::vector<Reader> readers) {
  blocks_.push_back({static_cast<std::size_t>(bytes), std::move(readers), {}});
}

std::optional<Refusal> Publisher::offer(SegmentSpace& space, std::size_t partners) {
  if (blocks_.empty()) return std::nullopt;
  std::vector<Table> tables(partners);
  for (const Block& block : blocks_) {
    for (const Reader& reader : block.readers) ++tables[reader.partner].entries;
  }
  std::size_t end = 0;
  for (Table& table : tables) {
    table.offset = end;
    if (table.entries > 0) end += table_size(table.entries);
  }
  const std::size_t first_data = whole_lines(end);
  end = first_data;
  for (const Block& block : blocks_) end += 2 * whole_lines(block.bytes);
  std::vector<const SharedWord*> closed;
  closed.reserve(partners);
  std::vector<std::uint64_t> written(partners);
  Attempt<Region> region = space.take(end);
  if (!region) return region.refusal();

  region_ = *region;
  segment_ = space.card(region_.segment);
  std::size_t at = first_data;
  for (Block& block : blocks_) {
    const std::array offsets{at, at + whole_lines(block.bytes)};
    at = offsets[1] + whole_lines(block.bytes);
    block.data.buffers = {region_.data + offsets[0], region_.data + offsets[1]};
    for (const Reader& reader : block.readers) {
      const TableEntry entry{reader.message, {region_.offset + offsets[0], region_.offset + offsets[1]}};
      const std::size_t place = table_size(written[reader.partner]++);
      std::memcpy(region_.data + tables[reader.partner].offset + place, &entry, sizeof entry);
    }
  }
  for (const Table& table : tables) {
    if (table.entries == 0) continue;
    // relaxed: the MPI message that offers the table comes later
    table_word(region_.data + table.offset, kTableEntries)->store(table.entries, std::memory_order_relaxed);
  }
  tables_ = std::move(tables);
  closed_ = std::move(closed);
  return std::nullopt;
}

PublishedOffer Publisher::offer_to(std::size_t partner) const noexcept {
  if (region_.data == nullptr || tables_[partner].entries == 0) return {};
  return {segment_, region_.offset + tables_[partner].offset, tables_[partner].entries};
}

void Publisher::read_by(std::size_t partner) noexcept {
  if (region_.data == nullptr) return;
  tables_[partner].is_read = true;
  closed_.push_back(table_word(region_.data + tables_[partner].offset, kTableClosed));
}

void Publisher::settle(SegmentSpace& space) noexcept {
  if (closed_.empty()) close(space);
}

void Publisher::close(SegmentSpace& space) noexcept {
  if (region_.data != nullptr) space.give_back(std::exchange(region_, {}), std::move(closed_));
}

std::optional<Refusal> PublishedTable::answer(const NodeCard& owner, const PublishedOffer& offer,
                                              std::span<const PlannedMessage> receives, PartnerSegments& partners) {
  places_.clear();
  closed_ = nullptr;
  if (offer.entries == 0) return std::nullopt;
  const auto segment = partners.map(owner, offer.segment);
  if (!segment) return segment.refusal();
  const std::size_t size = segment->size();
  constexpr Refusal kWrong{"the partner's table of common data is wrong"};
  if (offer.entries > receives.size() || offer.table % sizeof(SharedWord) != 0 || offer.table > size ||
      table_size(offer.entries) > size - offer.table)
    return kWrong;
  std::byte* const table = segment->data() + offer.table;
  // relaxed: as in Publisher::offer()
  if (table_word(table, kTableEntries)->load(std::memory_order_relaxed) != offer.entries) return kWrong;
  std::vector<TableEntry> entries(offer.entries);  // a copy, which nobody changes while it is checked
  std::memcpy(entries.data(), table + kTableHead, offer.entries * sizeof(TableEntry));
  std::vector<Place> places;
  places.reserve(entries.size());
  for (const TableEntry& entry : entries) {
    if (entry.message >= receives.size()) return kWrong;
    Place& place = places.emplace_back(Place{static_cast<std::size_t>(entry.message), {}});
    const auto bytes = static_cast<std::size_t>(receives[place.message].bytes);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint64_t offset = entry.data[i];
      // Data lie on a cache line, as slots do: reduces read operands there.
      if (offset % kCacheLine != 0 || offset > size || bytes > size - offset) return kWrong;
      place.data[i] = segment->data() + offset;
    }
  }
  places_ = std::move(places);
  closed_ = table_word(table, kTableClosed);
  return std::nullopt;
}

void PublishedTable::close() noexcept {
  if (closed_ != nullptr) close_region(*std::exchange(closed_, nullptr));
}

}  // namespace rondo::internal
