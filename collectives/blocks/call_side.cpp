#include "collectives/blocks/call_side.hpp"

#include <rondo/error.hpp>

#include "datatypes/layout/overlap.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace rondo::internal {
namespace {

std::string indexed(const char* side, const char* argument, int i) {
  return std::string(side) + argument + "[" + std::to_string(i) + "]";
}

/// Of the layout of block i.
std::size_t position(const CallSide& side, int i) { return side.type_per_block ? static_cast<std::size_t>(i) : 0; }

bool exists(ExistingBlocks existing, int i) { return existing.empty() || existing[static_cast<std::size_t>(i)] != 0; }

std::int64_t address_of(const void* buffer) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(buffer));
}

/// Displacement of block i in bytes.
std::int64_t displacement(const CallSide& side, int i, const Layout& type) {
  if (side.addresses) return address_of(side.addresses[i]);
  if (side.byte_displacements) return side.byte_displacements[i];
  if (side.displacements) return std::int64_t{side.displacements[i]} * (side.type_per_block ? 1 : type.extent());
  const int place = side.places == nullptr ? i : side.places[i];
  return std::int64_t{place} * side.counts[0] * type.extent();
}

/// That all blocks lie within a buffer whose size in elements is known.
void check_extent(const CallSide& side, int blocks, ExistingBlocks existing) {
  for (int i = 0; i < blocks; ++i) {
    if (!exists(existing, i)) continue;
    const std::int64_t count = side.count(i);
    const std::int64_t begin = side.regular ? i * count : side.displacements[i];
    if (count == 0 || (begin >= 0 && begin + count <= side.elements)) continue;
    throw Error(MPI_ERR_BUFFER, std::string(side.side) + " block " + std::to_string(i) + ": is elements [" +
                                    std::to_string(begin) + ", " + std::to_string(begin + count) +
                                    "), must be within the buffer's [0, " + std::to_string(side.elements) + ")");
  }
}

}  // namespace

CallSide CallSide::alltoall(const char* side, const void* buffer, const int& count, const MPI_Datatype& type) {
  return {.side = side, .buffer = buffer, .regular = true, .type_per_block = false, .counts = &count, .types = &type};
}

CallSide CallSide::alltoallv(const char* side, const void* buffer, const int* counts, const int* displacements,
                             const MPI_Datatype& type) {
  return {.side = side,
          .buffer = buffer,
          .regular = false,
          .type_per_block = false,
          .counts = counts,
          .types = &type,
          .displacements = displacements};
}

CallSide CallSide::alltoallw(const char* side, const void* buffer, const int* counts, const MPI_Aint* displacements,
                             const MPI_Datatype* types) {
  return {.side = side,
          .buffer = buffer,
          .regular = false,
          .type_per_block = true,
          .counts = counts,
          .types = types,
          .byte_displacements = displacements};
}

CallSide CallSide::alltoallw(const char* side, const void* buffer, const int* counts, const int* displacements,
                             const MPI_Datatype* types) {
  return {.side = side,
          .buffer = buffer,
          .regular = false,
          .type_per_block = true,
          .counts = counts,
          .types = types,
          .displacements = displacements};
}

SideLayouts check_side(const CallSide& side, int blocks, ExistingBlocks existing, MPI_Comm probe) {
  const std::string name = side.side;
  if (side.buffer == MPI_IN_PLACE) {
    throw Error(MPI_ERR_BUFFER, name + "buf: is MPI_IN_PLACE, which only the sendbuf of a dense alltoall may be");
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
    const bool displaced = side.displacements || side.byte_displacements || side.addresses;
    if (!side.counts)
      throw Error(MPI_ERR_ARG, name + "counts: is null, must have " + std::to_string(blocks) + " entries");
    if (!displaced)
      throw Error(MPI_ERR_ARG, name + " displacements: is null, must have " + std::to_string(blocks) + " entries");
    if (!side.types)
      throw Error(MPI_ERR_ARG, name + "types: is null, must have " + std::to_string(blocks) + " entries");
  }
  for (int i = 0; i < (side.regular ? 1 : blocks); ++i) {
    if (side.counts[i] >= 0 || (!side.regular && !exists(existing, i))) continue;
    throw Error(MPI_ERR_COUNT, (side.regular ? name + "count" : indexed(side.side, "counts", i)) + ": is " +
                                   std::to_string(side.counts[i]) + ", must be at least 0");
  }
  if (side.elements != -1) check_extent(side, blocks, existing);
  SideLayouts layouts;
  for (int i = 0; i < (side.type_per_block ? blocks : 1); ++i) {
    if (side.type_per_block && !exists(existing, i)) {
      layouts.emplace_back();
      continue;
    }
    const std::string argument = side.type_per_block ? indexed(side.side, "types", i) : name + "type";
    if (side.type(i) == MPI_DATATYPE_NULL) {
      throw Error(MPI_ERR_TYPE, argument + ": is MPI_DATATYPE_NULL, must be a committed datatype");
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
  int before = -1;  // the last block that exists
  for (int i = 0; i < blocks; ++i) {
    if (!exists(existing, i)) {
      shapes.blocks.push_back({0, &nothing});
      continue;
    }
    const Layout& type = *layouts[position(side, i)];
    const bool same_as_before = before >= 0 && side.count(i) == side.count(before) &&
                                layouts[position(side, i)] == layouts[position(side, before)];
    if (!same_as_before) shapes.layouts.push_back(type.repeated(side.count(i)));
    shapes.blocks.push_back({displacement(side, i, type), &shapes.layouts.back()});
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
