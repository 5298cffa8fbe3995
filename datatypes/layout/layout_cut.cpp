#include "datatypes/layout/layout_cut.hpp"

#include <algorithm>
#include <memory>

namespace rondo::internal {
namespace {

void append_part(Layout& part, const Layout::Item& item, std::int64_t displacement, std::int64_t begin,
                 std::int64_t end);

std::int64_t bytes_of(const Layout::Item& item) {
  return item.body == nullptr ? item.run.size() : item.run.length * item.run.count;
}

/// Adds bytes [begin, end) of the data of `layout` to `part`, moved by `displacement`.
void append_part(Layout& part, const Layout& layout, std::int64_t displacement, std::int64_t begin, std::int64_t end) {
  std::int64_t at = 0;
  for (const Layout::Item& item : layout.items()) {
    const std::int64_t size = bytes_of(item);
    if (at + size > begin)
      append_part(part, item, displacement, std::max(begin - at, std::int64_t{0}), std::min(end - at, size));
    at += size;
    if (at >= end) return;
  }
}

/// Returns the bytes of the first `count` pieces of a run, or repetitions of a loop.
std::int64_t bytes_before(const Layout::Item& item, std::int64_t count) {
  if (item.body != nullptr) return count * item.run.length;
  Run run = item.run;
  run.count = count;
  return run.size();
}

/// Returns how many whole pieces of a run, or repetitions of a loop, are in the first `bytes` bytes of an item.
std::int64_t whole_in(const Layout::Item& item, std::int64_t bytes) {
  std::int64_t low = 0;
  std::int64_t high = item.run.count + 1;  // one more than the item has
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (bytes_before(item, middle) <= bytes ? low : high) = middle;
  }
  return low;
}

/// Adds bytes [begin, end) of piece i of a run, or of repetition i of a loop, to `part`.
void append_piece(Layout& part, const Layout::Item& item, std::int64_t displacement, std::int64_t i, std::int64_t begin,
                  std::int64_t end) {
  const std::int64_t offset = displacement + item.run.offset + i * item.run.stride;
  if (item.body != nullptr)
    append_part(part, *item.body, offset, begin, end);
  else
    part.append({offset + begin, end - begin, 1, 0});
}

/// Adds `count` whole pieces of a run, or repetitions of a loop, from number i on, to `part`.
void append_whole(Layout& part, const Layout::Item& item, std::int64_t displacement, std::int64_t i,
                  std::int64_t count) {
  const Run& run = item.run;
  const std::int64_t offset = displacement + run.offset + i * run.stride;
  if (item.body == nullptr) {
    part.append({offset, run.length + i * run.growth, count, run.stride, run.growth});
  } else if (count == 1 || item.body->extent() == run.stride) {
    part.append_elements(item.body, count, offset);
  } else {
    Layout element = *item.body;
    element.set_extent(run.stride);
    part.append_elements(std::make_shared<const Layout>(std::move(element)), count, offset);
  }
}

void append_part(Layout& part, const Layout::Item& item, std::int64_t displacement, std::int64_t begin,
                 std::int64_t end) {
  std::int64_t first = whole_in(item, begin);
  const std::int64_t last = whole_in(item, end);  // index of the piece after the whole ones
  std::int64_t before = bytes_before(item, first);
  if (begin > before) {
    const std::int64_t next = bytes_before(item, first + 1);
    append_piece(part, item, displacement, first, begin - before, std::min(end, next) - before);
    if (end < next) return;
    ++first;
  }
  if (last > first) append_whole(part, item, displacement, first, last - first);
  before = bytes_before(item, last);
  if (end > before) append_piece(part, item, displacement, last, 0, end - before);
}

}  // namespace

std::vector<Layout> cut(const Layout& layout, std::int64_t bytes) {
  std::vector<Layout> parts;
  std::int64_t room = 0;  // bytes that the last part still takes
  for (const Layout::Item& item : layout.items()) {
    const std::int64_t size = bytes_of(item);
    for (std::int64_t at = 0; at < size;) {
      if (room == 0) {
        parts.emplace_back();
        room = bytes;
      }
      const std::int64_t taken = std::min(room, size - at);
      append_part(parts.back(), item, 0, at, at + taken);
      at += taken;
      room -= taken;
    }
  }
  return parts;
}

}  // namespace rondo::internal
