#include "runtime/check/symbolic_memory.hpp"

#include <algorithm>
#include <iterator>

namespace rondo::internal {

void SymbolicRow::append(const SymbolicBytes& piece) {
  if (piece.bytes == 0) return;
  if (!pieces_.empty()) {
    SymbolicBytes& last = pieces_.back();
    const bool continues = !last.written() || last.offset + last.bytes == piece.offset;
    if (last.rank == piece.rank && continues) {
      last.bytes += piece.bytes;
      return;
    }
  }
  pieces_.push_back(piece);
}

void SymbolicMemory::read(std::int64_t begin, std::int64_t end, SymbolicRow& row) const {
  auto entry = written_.upper_bound(begin);
  if (entry != written_.begin() && std::prev(entry)->second.end > begin) --entry;
  while (begin < end) {
    if (entry == written_.end() || entry->first >= end) {
      row.append({SymbolicBytes::kNothing, 0, end - begin});
      return;
    }
    if (entry->first > begin) {
      row.append({SymbolicBytes::kNothing, 0, entry->first - begin});
      begin = entry->first;
    }
    const std::int64_t bytes = std::min(end, entry->second.end) - begin;
    row.append(entry->second.origin.part(begin - entry->first, bytes));
    begin += bytes;
    ++entry;
  }
}

void SymbolicMemory::split(std::int64_t place) {
  auto entry = written_.upper_bound(place);
  if (entry == written_.begin()) return;
  --entry;
  Written& left = entry->second;
  if (entry->first == place || left.end <= place) return;
  const std::int64_t skipped = place - entry->first;
  const Written right{left.end, left.origin.part(skipped, left.end - place), left.writer};
  left.end = place;
  left.origin.bytes = skipped;
  written_.emplace(place, right);
}

void SymbolicMemory::write(std::int64_t begin, const SymbolicBytes& origin, TaskId writer) {
  if (origin.bytes == 0) return;
  const std::int64_t end = begin + origin.bytes;
  split(begin);
  split(end);
  written_.erase(written_.lower_bound(begin), written_.lower_bound(end));
  written_.emplace(begin, Written{end, origin, writer});
}

TaskId SymbolicMemory::writer_of(std::int64_t place) const {
  auto entry = written_.upper_bound(place);
  if (entry == written_.begin()) return kNoTask;
  --entry;
  return place < entry->second.end ? entry->second.writer : kNoTask;
}

}  // namespace rondo::internal
