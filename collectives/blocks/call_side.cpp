#include "collectives/blocks/call_side.hpp"

#include <rondo/error.hpp>

#include "datatypes/layout/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

std::string at(int i) { return "[" + std::to_string(i) + "]"; }

std::string indexed(const char* side, const char* argument, int i) { return std::string(side) + argument + at(i); }

/// Returns the position of block i's layout in the side's SideLayouts.
std::size_t position(const CallSide& side, int i) { return side.type_per_block ? static_cast<std::size_t>(i) : 0; }

bool exists(ExistingBlocks existing, int i) { return existing.empty() || existing[static_cast<std::size_t>(i)] != 0; }

std::int64_t address_of(const void* buffer) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(buffer));
}

/// Returns the name of the counts in error messages.
std::string counts_name(const CallSide& side) {
  return std::string(side.counts_of == nullptr ? side.side : side.counts_of) + "counts";
}

/// Returns the displacement of block i in bytes, or its address if the side gives addresses, computed in numbers of
/// this type. `before`: elements of the blocks before block i.
template <typename Number>
Number displacement(const CallSide& side, int i, const Layout& type, Number before) {
  const auto number = [](std::int64_t value) { return static_cast<Number>(value); };
  if (side.in_a_row) return before * number(type.extent());
  if (side.addresses) return number(address_of(side.addresses[i]));
  if (side.displacements) return number(side.displacements[i]) * number(side.type_per_block ? 1 : type.extent());
  const int place = side.places == nullptr ? i : side.places[i];
  return number(place) * number(side.counts[0]) * number(type.extent());
}

/// Returns whether the datatype of block i is significant: MPI_DATATYPE_NULL is allowed without elements. If a side has
/// one datatype, the elements of all its blocks count.
bool needs_type(const CallSide& side, int i, int blocks, ExistingBlocks existing) {
  if (side.type(i) != MPI_DATATYPE_NULL) return true;
  if (side.type_per_block) return side.count(i) > 0;
  for (int j = 0; j < blocks; ++j) {
    if (exists(existing, j) && side.count(j) > 0) return true;
  }
  return false;
}

/// Returns whether block i, which must exist, has bytes. A block without bytes may lie anywhere.
bool has_bytes(const CallSide& side, int i, const SideLayouts& layouts) {
  return side.count(i) > 0 && layouts[position(side, i)]->size() > 0;
}

/// Throws Error unless sizes and places fit 64 bits, with room to add some up. Computes with floating-point numbers,
/// which reach farther.
void check_magnitudes(const CallSide& side, int blocks, ExistingBlocks existing, const SideLayouts& layouts) {
  constexpr double kMostBytes = 0x1p56;  // of all blocks together
  constexpr double kFarthest = 0x1p62;   // bytes from the buffer
  const auto magnitude = [](std::int64_t value) { return std::abs(static_cast<double>(value)); };
  double together = 0;
  double elements = 0;
  for (int i = 0; i < blocks; ++i) {
    if (!exists(existing, i) || !has_bytes(side, i, layouts)) continue;
    const Layout& type = *layouts[position(side, i)];
    const double count = magnitude(side.count(i));
    const double before = std::exchange(elements, elements + count);
    together += count * magnitude(type.size());
    const double reach =
        count * magnitude(type.extent()) + std::max(magnitude(type.true_begin()), magnitude(type.true_end()));
    const double from = side.addresses ? 0 : std::abs(displacement<double>(side, i, type, before));
    if (together < kMostBytes && from + reach < kFarthest) continue;
    const std::string argument = (side.regular ? std::string(side.side) + "count" : counts_name(side) + at(i)) +
                                 ": is " + std::to_string(side.count(i)) + " elements ";
    if (together >= kMostBytes) {
      throw Error(MPI_ERR_COUNT, argument + "of " + std::to_string(type.size()) +
                                     " bytes, must be fewer than 2^56 bytes in all blocks together");
    }
    const std::string apart = "that are " + std::to_string(type.extent()) + " bytes apart";
    if (!side.displacements || reach >= kFarthest)
      throw Error(MPI_ERR_COUNT, argument + apart + ", must reach less than 2^62 bytes from the buffer");
    throw Error(MPI_ERR_ARG, indexed(side.side, " displacements", i) + ": is " + std::to_string(side.displacements[i]) +
                                 (side.type_per_block ? " bytes" : " elements " + apart) +
                                 ", must be less than 2^62 bytes from the buffer");
  }
}

/// Throws Error unless all blocks lie within the buffer, whose size in elements is known.
void check_extent(const CallSide& side, int blocks, ExistingBlocks existing, const SideLayouts& layouts) {
  std::int64_t elements = 0;
  for (int i = 0; i < blocks; ++i) {
    if (!exists(existing, i) || !has_bytes(side, i, layouts)) continue;
    const std::int64_t count = side.count(i);
    const std::int64_t before = std::exchange(elements, elements + count);
    const std::int64_t begin = side.regular ? i * count : side.in_a_row ? before : side.displacements[i];
    if (begin >= 0 && begin + count <= side.elements) continue;
    throw Error(MPI_ERR_BUFFER, std::string(side.side) + " block " + std::to_string(i) + ": is elements [" +
                                    std::to_string(begin) + ", " + std::to_string(begin + count) +
                                    "), must be within the buffer's [0, " + std::to_string(side.elements) + ")");
  }
}

}  // namespace

SideLayouts check_side(const CallSide& side, int blocks, ExistingBlocks existing, MPI_Comm probe) {
  const std::string name = side.side;
  if (side.buffer == MPI_IN_PLACE) {
    throw Error(MPI_ERR_BUFFER, name + "buf: is MPI_IN_PLACE, which only the sendbuf of a dense collective may be");
  }
  if (side.entries != side.placed && side.placed != -1) {
    throw Error(MPI_ERR_ARG, name + ": has " + std::to_string(side.entries) + " counts and " +
                                 std::to_string(side.placed) + " displacements, must have one of each for each block");
  }
  if (side.entries != -1 && side.entries != blocks) {
    throw Error(MPI_ERR_ARG, name + ": has " + std::to_string(side.entries) +
                                 " counts, displacements or blocks, must have " + std::to_string(blocks) +
                                 ", one for each neighbor or rank");
  }
  if (blocks == 0) return {};
  if (!side.regular) {
    const bool displaced = side.displacements || side.addresses || side.in_a_row;
    if (!side.counts)
      throw Error(MPI_ERR_ARG, counts_name(side) + ": is null, must have " + std::to_string(blocks) + " entries");
    if (!displaced)
      throw Error(MPI_ERR_ARG, name + " displacements: is null, must have " + std::to_string(blocks) + " entries");
    if (!side.types)
      throw Error(MPI_ERR_ARG, name + "types: is null, must have " + std::to_string(blocks) + " entries");
  }
  for (int i = 0; i < (side.regular ? 1 : blocks); ++i) {
    if (side.counts[i] >= 0 || (!side.regular && !exists(existing, i))) continue;
    throw Error(MPI_ERR_COUNT, (side.regular ? name + "count" : counts_name(side) + at(i)) + ": is " +
                                   std::to_string(side.counts[i]) + ", must be at least 0");
  }
  SideLayouts layouts;
  for (int i = 0; i < (side.type_per_block ? blocks : 1); ++i) {
    if ((side.type_per_block && !exists(existing, i)) || !needs_type(side, i, blocks, existing)) {
      layouts.emplace_back();
      continue;
    }
    const std::string argument = side.type_per_block ? indexed(side.side, "types", i) : name + "type";
    if (side.type(i) == MPI_DATATYPE_NULL) {
      throw Error(MPI_ERR_TYPE,
                  argument + ": is MPI_DATATYPE_NULL, must be a committed datatype unless there are no elements");
    }
    if (i > 0 && layouts.back() != nullptr && side.type(i) == side.type(i - 1)) {
      layouts.push_back(layouts.back());
      continue;
    }
    try {
      layouts.push_back(layout_of(side.type(i), probe));
    } catch (const Error& error) {
      throw Error(error.error_class(), argument + ": " + error.what());
    }
  }
  check_magnitudes(side, blocks, existing, layouts);
  if (side.elements != -1) check_extent(side, blocks, existing, layouts);
  return layouts;
}

void append_key(const CallSide& side, int blocks, ExistingBlocks existing, const SideLayouts& layouts,
                std::vector<std::int64_t>& key) {
  for (const auto& layout : layouts)
    key.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(layout.get())));
  if (blocks == 0) return;
  const auto append = [&](auto value_of) {
    for (int i = 0; i < blocks; ++i) key.push_back(exists(existing, i) ? value_of(i) : 0);
  };
  key.push_back(form_of(side));
  if (side.regular)
    key.push_back(side.counts[0]);
  else
    append([&](int i) { return side.counts[i]; });
  if (has_places(side)) append([&](int i) { return place_of(side, i); });
}

SideShapes shapes_of(const CallSide& side, int blocks, ExistingBlocks existing, const SideLayouts& layouts) {
  static const Layout nothing;
  SideShapes shapes;
  shapes.blocks.reserve(static_cast<std::size_t>(blocks));
  int before = -1;  // the last block that has bytes
  std::int64_t elements = 0;
  for (int i = 0; i < blocks; ++i) {
    if (!exists(existing, i) || !has_bytes(side, i, layouts)) {
      shapes.blocks.push_back({0, &nothing});
      continue;
    }
    const Layout& type = *layouts[position(side, i)];
    const bool same_as_before = before >= 0 && side.count(i) == side.count(before) &&
                                layouts[position(side, i)] == layouts[position(side, before)];
    if (!same_as_before) shapes.layouts.push_back(type.repeated(side.count(i)));
    shapes.blocks.push_back({displacement<std::int64_t>(side, i, type, elements), &shapes.layouts.back()});
    elements += side.count(i);
    before = i;
  }
  return shapes;
}

ByteRange range_of(const SideShapes& shapes) {
  ByteRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const BlockShape& block : shapes.blocks) {
    if (block.layout->size() == 0) continue;
    range.begin = std::min(range.begin, block.offset + block.layout->true_begin());
    range.end = std::max(range.end, block.offset + block.layout->true_end());
  }
  return range.begin > range.end ? ByteRange{0, 0} : range;
}

void check_buffer(const CallSide& side, const ByteRange& range) {
  constexpr std::int64_t kNullPage = 4096;  // no buffer begins there, wherever MPI_BOTTOM and displacements point
  const std::int64_t begin = address_of(side.buffer) + range.begin;
  if (range.begin == range.end || begin < 0 || begin >= kNullPage) return;
  throw Error(MPI_ERR_BUFFER, std::string(side.side) + "buf: is null, must point to " +
                                  std::to_string(range.end - range.begin) + " bytes");
}

void check_aliases(const CallSide& send_side, const SideShapes& send, const CallSide& recv_side,
                   const SideShapes& recv) {
  const std::int64_t distance = address_of(send_side.buffer) - address_of(recv_side.buffer);
  std::vector<BlockShape> sent = send.blocks;
  for (BlockShape& block : sent) block.offset += distance;
  const auto overlap = find_overlap(sent, recv.blocks);
  if (!overlap) return;
  throw Error(MPI_ERR_BUFFER, "sendbuf and recvbuf: " + std::to_string(overlap->end - overlap->begin) +
                                  " bytes at recvbuf + " + std::to_string(overlap->begin) +
                                  " are both sent and received (send block " + std::to_string(overlap->one) +
                                  ", recv block " + std::to_string(overlap->other) + "), must be disjoint");
}

}  // namespace rondo::internal
