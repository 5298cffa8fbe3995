/// @file
/// Functions that make the send or receive side of a call from buffers and blocks of the C++ interface.
#ifndef RONDO_COLLECTIVES_FACES_CPP_ELEMENT_SIDES_HPP
#define RONDO_COLLECTIVES_FACES_CPP_ELEMENT_SIDES_HPP

#include <rondo/basics/element_buffer.hpp>

#include "collectives/blocks/call_side.hpp"

#include <cstddef>
#include <iterator>
#include <span>

namespace rondo::internal {

/// Returns a number of elements as a count of MPI. Throws Error (MPI_ERR_COUNT) if the number is too great.
[[nodiscard]] int length_as_count(std::size_t elements);

// A side refers to the arguments from which it is made. They are read only while the call lasts.

/// Returns a side of blocks of `count` elements, one after the other.
template <CountType Count>
[[nodiscard]] CallSide regular_side(const char* side, const ElementBuffer& buffer, const Count& count) {
  CallSide made = CallSide::alltoall(side, buffer.address, count, buffer.type);
  made.elements = buffer.elements;
  return made;
}

/// Returns a side of blocks with counts and displacements.
[[nodiscard]] inline CallSide irregular_side(const char* side, const ElementBuffer& buffer, const BlockPlaces& places) {
  CallSide made =
      CallSide::alltoallv(side, buffer.address, places.counts.data(), places.displacements.data(), buffer.type);
  made.entries = std::ssize(places.counts);
  made.placed = std::ssize(places.displacements);
  made.elements = buffer.elements;
  return made;
}

/// Returns a side of blocks of different sizes in a row, whose counts are those of the receive side.
[[nodiscard]] inline CallSide row_side(const char* side, const ElementBuffer& buffer, std::span<const int> counts) {
  CallSide made = CallSide::one_after_the_other(side, buffer.address, "recv", counts.data(), buffer.type);
  made.entries = std::ssize(counts);
  made.elements = buffer.elements;
  return made;
}

/// Returns a side of one block, given by address. `Block`: SendBlock or RecvBlock.
template <typename Block>
[[nodiscard]] CallSide single_side(const char* side, const Block& block) {
  return CallSide::alltoall(side, block.address, block.count, block.type);
}

/// Returns a side of blocks given by address.
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
