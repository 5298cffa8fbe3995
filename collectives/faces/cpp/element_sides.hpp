/// @file
/// From the buffers and blocks of the C++ interface to the sides of a call.
#ifndef RONDO_COLLECTIVES_FACES_CPP_ELEMENT_SIDES_HPP
#define RONDO_COLLECTIVES_FACES_CPP_ELEMENT_SIDES_HPP

#include <rondo/basics/element_buffer.hpp>

#include "collectives/blocks/call_side.hpp"

#include <cstddef>
#include <iterator>
#include <span>

namespace rondo::internal {

/// As many elements as one count of MPI's can say. Throws Error, MPI_ERR_COUNT.
[[nodiscard]] int length_as_count(std::size_t elements);

// They refer to what they are made of, which is only looked at while the call lasts.

/// Blocks of `count` elements, one after the other.
template <CountType Count>
[[nodiscard]] CallSide regular_side(const char* side, const ElementBuffer& buffer, const Count& count) {
  CallSide made = CallSide::alltoall(side, buffer.address, count, buffer.type);
  made.elements = buffer.elements;
  return made;
}

/// Blocks in places.
[[nodiscard]] inline CallSide irregular_side(const char* side, const ElementBuffer& buffer, const BlockPlaces& places) {
  CallSide made =
      CallSide::alltoallv(side, buffer.address, places.counts.data(), places.displacements.data(), buffer.type);
  made.entries = std::ssize(places.counts);
  made.placed = std::ssize(places.displacements);
  made.elements = buffer.elements;
  return made;
}

/// Blocks of different sizes in a row, whose counts are those that are received.
[[nodiscard]] inline CallSide row_side(const char* side, const ElementBuffer& buffer, std::span<const int> counts) {
  CallSide made = CallSide::one_after_the_other(side, buffer.address, "recv", counts.data(), buffer.type);
  made.entries = std::ssize(counts);
  made.elements = buffer.elements;
  return made;
}

/// One block, given by address. `Block`: SendBlock or RecvBlock.
template <typename Block>
[[nodiscard]] CallSide single_side(const char* side, const Block& block) {
  return CallSide::alltoall(side, block.address, block.count, block.type);
}

/// Blocks given by address.
template <typename Block>
[[nodiscard]] CallSide block_side(const char* side, std::span<const Block> blocks) {
  CallSide made{.side = side, .buffer = nullptr, .regular = false, .type_per_block = true, .counts = {}, .types = {}};
  made.entries = std::ssize(blocks);
  if (blocks.empty()) return made;
  const Block& first = blocks.front();
  made.counts = {&first.count, sizeof(Block)};
  made.types = {&first.type, sizeof(Block)};
  made.addresses = {const_cast<const void* const*>(&first.address), sizeof(Block)};
  return made;
}

}  // namespace rondo::internal

#endif
