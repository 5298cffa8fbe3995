#include "collectives/topology/numbering.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace rondo::internal {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Numbers keys with a table entry for every possible key (the papers' BUCKETSORT).
Numbering number_in_table(std::span<const std::uint64_t> keys, std::uint64_t bound) {
  std::vector<std::uint32_t> first(static_cast<std::size_t>(bound), kNone);
  for (std::size_t i = keys.size(); i-- > 0;) first[static_cast<std::size_t>(keys[i])] = static_cast<std::uint32_t>(i);
  Numbering numbering;
  for (std::uint32_t& entry : first) {
    if (entry == kNone) continue;
    numbering.first_of.push_back(entry);
    entry = numbering.size() - 1;
  }
  numbering.number_of.reserve(keys.size());
  for (const std::uint64_t key : keys) numbering.number_of.push_back(first[static_cast<std::size_t>(key)]);
  return numbering;
}

/// Numbers keys by hashing, because they are far apart.
Numbering number_by_hash(std::span<const std::uint64_t> keys) {
  const std::size_t capacity = std::bit_ceil(2 * keys.size() + 2);
  const int shift = 64 - std::countr_zero(capacity);
  std::vector<std::uint32_t> table(capacity, kNone);
  Numbering numbering;
  numbering.number_of.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto place = static_cast<std::size_t>((keys[i] * 0x9E3779B97F4A7C15U) >> shift);
    while (table[place] != kNone && keys[numbering.first_of[table[place]]] != keys[i])
      place = (place + 1) & (capacity - 1);
    if (table[place] == kNone) {
      table[place] = numbering.size();
      numbering.first_of.push_back(static_cast<std::uint32_t>(i));
    }
    numbering.number_of.push_back(table[place]);
  }
  // Changes numbers in the order of first appearance to ascending order.
  std::vector<std::uint32_t> order(numbering.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t number) { return keys[numbering.first_of[number]]; });
  std::vector<std::uint32_t> renumbered(order.size());
  std::vector<std::uint32_t> first_of(order.size());
  for (std::uint32_t number = 0; number < order.size(); ++number) {
    renumbered[order[number]] = number;
    first_of[number] = numbering.first_of[order[number]];
  }
  for (std::uint32_t& number : numbering.number_of) number = renumbered[number];
  numbering.first_of = std::move(first_of);
  return numbering;
}

}  // namespace

Numbering number_keys(std::span<const std::uint64_t> keys, std::uint64_t bound) {
  return bound <= 4 * std::uint64_t{keys.size()} + 64 ? number_in_table(keys, bound) : number_by_hash(keys);
}

Numbering number_rows(std::span<const int> rows, std::size_t width) {
  if (width == 0) return {};
  const std::size_t count = rows.size() / width;
  std::vector<std::uint64_t> keys(count);
  std::uint64_t bound = 1;
  for (std::size_t k = 0; k < width && count > 0; ++k) {
    int low = rows[k];
    int high = rows[k];
    for (std::size_t i = 0; i < count; ++i) {
      low = std::min(low, rows[i * width + k]);
      high = std::max(high, rows[i * width + k]);
    }
    const auto range = static_cast<std::uint64_t>(std::int64_t{high} - low + 1);
    if (bound > std::numeric_limits<std::uint64_t>::max() / range) {
      const Numbering so_far = number_keys(keys, bound);
      std::ranges::copy(so_far.number_of, keys.begin());
      bound = so_far.size();
    }
    bound *= range;
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = keys[i] * range + static_cast<std::uint64_t>(std::int64_t{rows[i * width + k]} - low);
  }
  return number_keys(keys, bound);
}

}  // namespace rondo::internal
